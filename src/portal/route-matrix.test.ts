/** Every route that is mounted, for every role and status, and for who is not signed in: who is let in, and where others are sent. */
import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { TestDatabase } from '../../test/support/databases.ts';
import { isAtLeast, type UserRole, userRoles } from '../identity/index.ts';
import type { UserStatus } from '../identity/user.ts';
import { users } from '../storage/schema/identity.ts';
import { mountRoutes } from './guard.ts';
import type { Route } from './route.ts';
import { portalRoutes } from './routes.ts';
import { origin, type TestPortal, withTestPortal } from './testing/test-portal.ts';

const statuses = ['active', 'unverified', 'suspended', 'archived'] as const;
const wayOf: Readonly<Record<Exclude<UserStatus, 'active'>, string>> = {
  unverified: '/verify-email',
  suspended: '/account/suspended',
  archived: '/account/archived',
};

/** The rows as they are mounted, but for what they do: whoever is let in is told so. */
const letIn: readonly Route[] = portalRoutes.map((row) => ({
  ...row,
  answer: async (context) => context.json({ isIn: true }),
}));

let storage: TestDatabase;
let app: ReturnType<typeof mountRoutes>;
let portal: TestPortal;
withTestPortal((opened) => {
  ({ storage, portal } = opened);
  app = mountRoutes(letIn, portal.services);
});

const closed = portalRoutes.filter(({ access }) => access !== 'anyone');
const nameOf = ({ method, path }: Route) => `${method} ${path}`;

/** `in`, or the code of the refusal to a program, and where a browser is sent. */
async function ask(row: Route, headers: Readonly<Record<string, string>>): Promise<string> {
  const address = `${origin}${row.path.replaceAll(/\{[^}]+\}/g, '1')}`;
  const answer = await app.request(address, { method: row.method, headers });
  if (answer.status === 303) return answer.headers.get('location')?.replace(/\?.*$/, '') ?? '';
  if (answer.status === 200) return 'in';
  const { code } = refusal.parse(await answer.json());
  return `${answer.status} ${code}`;
}

const refusal = z.object({ code: z.string() });

test('who is not signed in is let in nowhere, and a browser is sent to sign in', async () => {
  for (const row of closed) {
    const heard = [await ask(row, {}), await ask(row, { accept: 'text/html' })];
    expect([nameOf(row), ...heard]).toEqual([nameOf(row), '401 not_signed_in', '/login']);
  }
});

describe.each(userRoles)('%s', (role) => {
  test.each(statuses)('who is %s', async (status) => {
    const { user, cookie } = await portal.signedIn({ role });
    await storage.db.update(users).set({ status }).where(eq(users.id, user.id));
    for (const row of closed) {
      const expected = expectedOf(row, role, status);
      expect([nameOf(row), await ask(row, { cookie })]).toEqual([nameOf(row), expected]);
      if (status === 'active' || expected === 'in') continue;
      const page = await ask(row, { cookie, accept: 'text/html' });
      expect([nameOf(row), page]).toEqual([nameOf(row), wayOf[status]]);
    }
  });
});

/** What the table of roles says, written again by hand. */
function expectedOf({ access }: Route, role: UserRole, status: UserStatus): string {
  if (access === 'anyone' || access === 'session') return 'in';
  if (status === 'unverified') return '403 email_unverified';
  if (status !== 'active') return `403 account_${status}`;
  return isAtLeast(role, access) ? 'in' : '403 not_allowed';
}
