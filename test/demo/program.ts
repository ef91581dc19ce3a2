/** The demonstration as a process of its own, filled on a database that goes with it: for what is measured and photographed with its data. */
import { join } from 'node:path';
import { type DatabaseChoice, testDatabases } from '../support/databases.ts';
import { type SluiceProgram, startProgram } from '../support/program.ts';

export interface DemoProgram {
  readonly program: SluiceProgram;
  /** Signs in one of those whom it prints a link for, such as `agnes`; once each. Resolves to the session's cookie as `name=value`. */
  signIn(name: string): Promise<string>;
  /** Stops it, and throws its database away too. */
  discard(): Promise<void>;
}

interface DemoOptions {
  readonly kind: DatabaseChoice['kind'];
  readonly rows: number;
}

/** A tenth of a second for a thousand rows on a slow machine, beside what any start takes. */
const startMs = (rows: number): number => 60_000 + rows * 2;

/** @throws Error where this machine has no such database. */
export async function startDemoProgram({ kind, rows }: DemoOptions): Promise<DemoProgram> {
  const choice = testDatabases.find((each) => each.kind === kind);
  if (choice === undefined) throw new Error(`There is no ${kind} on this machine.`);
  const database = await choice.prepare();
  try {
    const folder = database.variables['SLUICE_DATA_DIR'] ?? 'data-demo';
    const program = await startProgram({
      ...{ file: {}, database, startTimeoutMs: startMs(rows) },
      script: [join(import.meta.dirname, 'main.ts'), '--rows', String(rows), '--data-dir', folder],
    });
    return {
      program,
      signIn: (name) => signIn(program, name),
      async discard() {
        await program.discard();
        await database.discard();
      },
    };
  } catch (error) {
    await database.discard();
    throw error;
  }
}

async function signIn({ printed, url }: SluiceProgram, name: string): Promise<string> {
  const line = new RegExp(`^ +${name} .*\\n +(\\S+/sign-in/\\S+)$`, 'im');
  const link = line.exec(printed())?.[1];
  if (link === undefined) throw new Error(`The demonstration has printed no link for ${name}.`);
  const answer = await fetch(link, { method: 'POST', redirect: 'manual', headers: { origin: url } });
  await answer.arrayBuffer();
  const cookies = answer.headers.getSetCookie().map((set) => set.split(';')[0] ?? '');
  const session = cookies.find((cookie) => /^(?:__Host-)?sluice=/.test(cookie));
  if (session === undefined) throw new Error(`The link of ${name} was answered with ${answer.status}.`);
  return session;
}
