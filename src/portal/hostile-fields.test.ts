/**
 * Every field of every route, filled with what attackers and broken programs send: an answer that is no failure of ours,
 * and nothing of it as markup, neither at once nor on any page or in any mail that shows it later.
 */
import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { TestDatabase } from '../../test/support/databases.ts';
import type { User } from '../identity/index.ts';
import { createOrganisation } from '../identity/organisations.ts';
import { newDepartment } from '../identity/testing/new-department.ts';
import { users } from '../storage/schema/identity.ts';
import type { Route } from './route.ts';
import { portalRoutes } from './routes.ts';
import { soundBody } from './testing/sound-fields.ts';
import { origin, type TestPortal, withTestPortal } from './testing/test-portal.ts';
import { type Thing, thingsIn } from './testing/things.ts';

const dayMs = 86_400_000;
const html = { accept: 'text/html' };

const texts = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'; DROP TABLE users; --",
  'a\r\nBcc: victim@example.test',
  '\u0000',
  '\ud800',
  '\u202etxt.exe',
  '=HYPERLINK("http://evil.test")',
  '../../../etc/passwd',
  '%00%0d%0a',
  'javascript:alert(1)',
  '-1',
  '1e999',
  '9'.repeat(40),
  'x'.repeat(60_000),
] as const;
const values = [
  ...texts,
  null,
  true,
  -1,
  1e308,
  0.1,
  [],
  {},
  [[[]]],
  { $gt: '' },
  Array.from({ length: 5000 }, () => 'x'),
];
/** What must never stand in a page as it was sent. */
const markup = /<script>alert\(1\)|<img src=x onerror/;

let storage: TestDatabase;
let portal: TestPortal;
let things: Readonly<Record<string, Thing>>;
let spot: { readonly organisationId: number; readonly departmentId: number };
withTestPortal(async (opened) => {
  ({ storage, portal } = opened);
  things = thingsIn(portal, storage);
  const { id: organisationId } = await portal.write(createOrganisation, { name: 'Mill' });
  const department = await portal.write(newDepartment, organisationId, 'Wheel');
  spot = { organisationId, departmentId: department.id };
});

/** Somebody who may do all that there is to do in an organisation, with nothing of theirs used up today. */
async function somebody({ access }: Route): Promise<{ user: User; cookie: string }> {
  portal.setNowMs(portal.nowMs() + dayMs);
  const role = access === 'platform_owner' ? access : 'org_owner';
  const { user, cookie } = await portal.signedIn({ role });
  await storage.db.update(users).set(spot).where(eq(users.id, user.id));
  return { user: { ...user, ...spot }, cookie };
}

async function addressOf(row: Route, owner: User): Promise<string> {
  const name = [...row.path.matchAll(/\{([^}]+)\}/g)].at(-1)?.[1] ?? '';
  const ids = (await things[name]?.make(owner)) ?? {};
  return row.path.replaceAll(/\{([^}]+)\}/g, (_, each: string) => ids[each] ?? '1');
}

/** Their pages, and what is downloaded as JSON: all that shows what somebody wrote. */
const shownTo = portalRoutes.filter(
  ({ method, path, access, answers }) =>
    method === 'GET' && !path.includes('{') && access !== 'anyone' && answers === 'page',
);

async function send(row: Route, address: string, { body, cookie }: { body: unknown; cookie: string }) {
  const answer = await portal.app.request(`${origin}${address}`, {
    method: row.method,
    headers: { cookie, ...html, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const isEndless = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (isEndless) await answer.body?.cancel();
  return { status: answer.status, text: isEndless ? '' : await answer.text() };
}

const withFields = portalRoutes.filter(
  ({ body, query }) => body !== null || Object.keys(query.shape).length > 0,
);

describe.each(withFields.map((row) => [`${row.method} ${row.path}`, row] as const))('%s', (_name, row) => {
  test('takes whatever its fields hold', async () => {
    const { user, cookie } = await somebody(row);
    const told: unknown[] = [];
    const judge = (field: string, value: unknown, { status, text }: { status: number; text: string }) => {
      if (status >= 500 || markup.test(text)) told.push([field, value, status]);
    };
    for (const field of Object.keys(row.query.shape)) {
      const address = await addressOf(row, user);
      for (const value of texts) {
        const query = new URLSearchParams([[field, value]]);
        judge(field, value, await send(row, `${address}?${query}`, { body: undefined, cookie }));
      }
    }
    for (const field of Object.keys(row.body?.shape ?? {})) {
      const address = await addressOf(row, user);
      for (const value of values) {
        judge(
          field,
          value,
          await send(row, address, { body: { ...soundBody(row), [field]: value }, cookie }),
        );
      }
    }
    for (const page of row.method === 'GET' ? [] : shownTo) {
      judge('shown later', page.path, await send(page, page.path, { body: undefined, cookie }));
    }
    expect(told).toEqual([]);
  }, 180_000);
});
