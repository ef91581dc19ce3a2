/** The program over a database of that size, with somebody of each role signed in. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { systemClock } from '../../src/base/clock.ts';
import { systemIds } from '../../src/base/ids.ts';
import { onlyOf } from '../../src/base/scope.ts';
import { acceptLegal, issueToken, type UserRole } from '../../src/identity/index.ts';
import { openLegalTexts } from '../../src/portal/index.ts';
import { openStorage, type Storage } from '../../src/storage/index.ts';
import { transact } from '../../src/storage/work.ts';
import { facets } from '../../src/usage/facets.ts';
import { type SluiceProgram, startProgram } from '../support/program.ts';

export interface ScaleVisitor {
  readonly name: string;
  readonly role: UserRole;
  readonly cookie: string;
}

export interface ScaleProgram {
  readonly program: SluiceProgram;
  readonly visitors: readonly ScaleVisitor[];
  /** Stops it; the database stays. */
  discard(): Promise<void>;
}

export const openScaleStorage = (databaseUrl: string): Promise<Storage> =>
  openStorage({ databaseUrl, dataDir: '/nowhere' });

/** @throws Error where the database was not filled by `usage-scale`. */
export async function startScaleProgram(databaseUrl: string): Promise<ScaleProgram> {
  const storage = await openScaleStorage(databaseUrl);
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-scale-'));
  const variables = { DATABASE_URL: databaseUrl, SLUICE_DATA_DIR: dataDir };
  try {
    const program = await startProgram({
      file: { providers, models },
      database: { options: { databaseUrl, dataDir }, variables, discard: () => Promise.resolve() },
    });
    const discard = async () => {
      await program.discard();
      await rm(dataDir, { recursive: true, force: true });
    };
    try {
      const visitors: ScaleVisitor[] = [];
      for (const { id, role } of await findVisitors(storage)) {
        const parts = { storage, clock: systemClock, ids: systemIds };
        const { version } = openLegalTexts(null);
        const secret = await transact(parts, async (work) => {
          await acceptLegal(onlyOf(id), work, version);
          return (await issueToken(work, 'sign_in', id)).secret;
        });
        const cookie = await signIn(`${program.url}/sign-in/${secret}`);
        if (role !== 'member') await lookAtAll(program.url, cookie);
        visitors.push({ name: role, role, cookie });
      }
      return { program, visitors, discard };
    } catch (error) {
      await discard();
      throw error;
    }
  } finally {
    await storage.close();
  }
}

const providers = [{ name: 'simulator', kind: 'simulator' }];
const models = Array.from({ length: 30 }, (_, place) => ({
  ...{ id: `model-${place}`, type: 'chat', owned_by: 'doubles', context_window: 128_000 },
  ...{
    prices: { input: 0.15, output: 0.6 },
    providers: [{ provider: 'simulator', upstream_id: 'simulator' }],
  },
}));

/** Of each role whoever asks for most, or whose group does. */
async function findVisitors({ db }: Storage): Promise<readonly { id: number; role: UserRole }[]> {
  const { rows } = await db.execute<{ id: string; role: UserRole }>(sql`
    WITH told AS (
      SELECT user_id, organisation_id, department_id, requests FROM usage_weekly WHERE facet = ${facets.callers.id}
    ), people AS (SELECT user_id, sum(requests) AS requests FROM told GROUP BY 1),
    departments AS (SELECT department_id, sum(requests) AS requests FROM told GROUP BY 1),
    organisations AS (SELECT organisation_id, sum(requests) AS requests FROM told GROUP BY 1),
    counted AS (
      SELECT users.id, users.role, CASE users.role WHEN 'member' THEN people.requests
        WHEN 'department_admin' THEN departments.requests ELSE organisations.requests END AS requests
      FROM users LEFT JOIN people ON people.user_id = users.id
        LEFT JOIN departments ON departments.department_id = users.department_id
        LEFT JOIN organisations ON organisations.organisation_id = users.organisation_id
      WHERE role <> 'org_admin' AND email LIKE '%@scale.example'
    )
    SELECT DISTINCT ON (role) id::text, role FROM counted ORDER BY role, requests DESC NULLS LAST, id`);
  if (rows.length === 0) throw new Error('Nobody of usage-scale is in this database.');
  const order: readonly UserRole[] = ['platform_owner', 'org_owner', 'department_admin', 'member'];
  return rows
    .map(({ id, role }) => ({ id: Number(id), role }))
    .toSorted((one, other) => order.indexOf(one.role) - order.indexOf(other.role));
}

/** Of whom the role administers, and not of their own things alone. */
async function lookAtAll(url: string, cookie: string): Promise<void> {
  const answer = await fetch(`${url}/dashboard/toggle-admin-mode`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin: url, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'next=',
  });
  if (answer.status >= 400) throw new Error(`The view could not be changed: ${await answer.text()}`);
}

async function signIn(link: string): Promise<string> {
  const answer = await fetch(link, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: new URL(link).origin },
  });
  await answer.arrayBuffer();
  const cookies = answer.headers.getSetCookie().map((set) => set.split(';')[0] ?? '');
  const session = cookies.find((cookie) => /^(?:__Host-)?sluice=/.test(cookie));
  if (session === undefined) throw new Error(`A sign-in link was answered with ${answer.status}.`);
  return session;
}
