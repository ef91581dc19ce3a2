/** Sluice as a process of its own, on a database of its own: for what is asked of a whole program from outside. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { type PreparedDatabase, usualDatabase } from './databases.ts';

const here = resolve(import.meta.dirname, '../..');
/** As `bin/sluice.mjs` calls it, but for the launcher itself, which would stand between this process and its memory. */
const commandIn = (root: string, script: readonly string[] | undefined): readonly string[] => [
  '--no-orphans',
  `--config=${join(root, 'bin/bunfig.toml')}`,
  `--tsconfig-override=${join(root, 'tsconfig.json')}`,
  ...(script ?? [join(root, 'src/main/sluice.ts'), 'serve']),
];
const usualStartTimeoutMs = 60_000;
const stopTimeoutMs = 45_000;
const pollMs = 20;
const metricsToken = 'a-token-for-the-tests-of-metrics';
/** USER_HZ, in which the kernel reports on every Linux platform that Bun runs on. */
const ticksPerSecond = 100;

export interface ProgramCost {
  readonly cpuMs: number;
  /** That its main thread was ready to go on and had no core. */
  readonly waitedMs: number;
  readonly residentBytes: number;
}

export interface SluiceProgram {
  readonly url: string;
  /** What it has printed so far, both streams in one. */
  printed(): string;
  /** Undefined while it runs; a signal's name where one ended it. */
  readonly ending: number | string | undefined;
  /** The exposition text of its metrics. */
  metrics(): Promise<string>;
  /** What it took since its start, and holds in memory; zeros where the system does not say. */
  readCost(): ProgramCost;
  /** Asks it to end, and resolves with its exit code, or with the name of the signal that was needed. */
  stop(): Promise<number | string>;
  /** Ends it at once, as a machine does that has no memory left; resolves when it has ended. */
  kill(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** The one that it ran on, to read what it has booked; still there after the stop. */
  readonly database: PreparedDatabase;
  /** Stops it, and throws its database and folder away. */
  discard(): Promise<void>;
}

export interface ProgramOptions {
  /** The configuration file's content. */
  readonly file: object;
  readonly variables?: Readonly<Record<string, string>>;
  /** One that it does not throw away, to start on what another left; a new one when not given. */
  readonly database?: PreparedDatabase;
  /** A folder with another edition, installed; this one when not given. */
  readonly checkout?: string | undefined;
  /** What is started in place of the program, with its arguments: it tells in the same words that it is ready. */
  readonly script?: readonly string[];
  /** A minute when not given. */
  readonly startTimeoutMs?: number;
}

export async function startProgram(options: ProgramOptions): Promise<SluiceProgram> {
  const { file, variables, checkout, script, startTimeoutMs = usualStartTimeoutMs } = options;
  // Another edition makes its own tables, which are not ours.
  const database = options.database ?? (await usualDatabase.prepare({ migrated: checkout === undefined }));
  const folder = await mkdtemp(join(tmpdir(), 'sluice-program-'));
  await writeFile(join(folder, 'sluice.yaml'), stringify(file, { aliasDuplicateObjects: false }));
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, commandIn(resolve(checkout ?? here), script), {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH,
      HOME,
      PORT: '0',
      SLUICE_METRICS_ADDRESS: 'off',
      SLUICE_METRICS_TOKEN: metricsToken,
      SLUICE_CONFIG: join(folder, 'sluice.yaml'),
      SLUICE_SECRET: 'a secret of the tests, long enough',
      ...database.variables,
      ...variables,
    },
  });
  const printed = collectOutput(child);
  const stop = () => stopChild(child);
  const discard = async () => {
    await stop();
    if (options.database === undefined) await database.discard();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const url = await untilReady(child, { printed, startTimeoutMs });
    return {
      url,
      printed,
      get ending() {
        return endingOf(child);
      },
      async metrics() {
        const headers = { authorization: `Bearer ${metricsToken}` };
        return await (await fetch(`${url}/metrics`, { headers })).text();
      },
      readCost: () => readCost(child.pid ?? 0),
      stop,
      async kill() {
        const ended = once(child, 'close');
        child.kill('SIGKILL');
        await ended;
      },
      signal: (name) => void child.kill(name),
      database,
      discard,
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

function collectOutput({ stdout, stderr }: ChildProcess): () => string {
  let text = '';
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
  }
  return () => text;
}

async function untilReady(
  child: ChildProcess,
  { printed, startTimeoutMs }: { printed: () => string; startTimeoutMs: number },
): Promise<string> {
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline) {
    const url = /ready at (\S+)/.exec(printed())?.[1];
    if (url !== undefined) return url;
    if (endingOf(child) !== undefined) break;
    await Bun.sleep(pollMs);
  }
  throw new Error(`the gateway did not start: ${printed()}`);
}

function endingOf({ exitCode, signalCode }: ChildProcess): number | string | undefined {
  return exitCode ?? signalCode ?? undefined;
}

async function stopChild(child: ChildProcess): Promise<number | string> {
  const ended = once(child, 'close');
  if (endingOf(child) === undefined) {
    child.kill('SIGTERM');
    const killer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
    await ended;
    clearTimeout(killer);
  }
  return endingOf(child) ?? 'unknown';
}

function readCost(pid: number): ProgramCost {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name, in brackets, may itself hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    const [, waitedNs] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return {
      cpuMs: (ticks * 1000) / ticksPerSecond,
      waitedMs: Number(waitedNs ?? 0) / 1_000_000,
      residentBytes: Number(kibibytes ?? 0) * 1024,
    };
  } catch {
    return { cpuMs: 0, waitedMs: 0, residentBytes: 0 };
  }
}
