/** What becomes of an account while the body of its request is still coming holds for that request too. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { Hono } from 'hono';
import { type TestDatabase, usualDatabase } from '../../test/support/databases.ts';
import { within } from '../../test/support/writing.ts';
import { ByteBudget } from '../base/byte-budget.ts';
import { proxyList } from '../base/client-address.ts';
import { Deadlines } from '../base/deadlines.ts';
import { systemIds } from '../base/ids.ts';
import { everybody, onlyOf } from '../base/scope.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import {
  CallerDirectory,
  changeAccountStatus,
  createKey,
  createUser,
  removeAccount,
  transact,
  type User,
  type WorkParts,
} from '../identity/index.ts';
import { MemoryLimiter } from '../limits/index.ts';
import { forgetTold, holdEventsOf } from '../notifications/index.ts';
import { auditEntries } from '../storage/schema/audit.ts';
import { notificationContacts, notificationPreferences } from '../storage/schema/contacts.ts';
import { createAccountApi } from './index.ts';

const clock = new ManualClock();
const contactsPath = '/api/2.0/notification_contacts/';
const newContact = { objects: [{ email: 'team@example.test', name: 'Team' }] };
let storage: TestDatabase;
let parts: WorkParts;
let api: Hono;
let people = 0;
beforeAll(async () => {
  storage = await usualDatabase.open();
  parts = { storage, clock, ids: systemIds };
  const { db, changes } = storage;
  api = createAccountApi({
    ...parts,
    callers: new CallerDirectory({ db, changes, clock, tokenPrefix: 'sluice_' }),
    limiter: new MemoryLimiter(clock),
    bodies: new ByteBudget(1024 ** 2),
    deadlines: new Deadlines(clock),
    log: silentLog,
    identityProviders: [],
    legal: { version: '1' },
    publicUrl: null,
    trustedProxies: proxyList([]),
  });
});
afterAll(() => storage.close());

async function newPerson(): Promise<{ readonly user: User; readonly token: string }> {
  people += 1;
  return await transact(parts, async (work) => {
    const user = await createUser(work, { email: `slow-${people}@example.test`, role: 'member' });
    const fields = { name: 'key', ownerId: user.id, scopes: ['account' as const] };
    const { token } = await createKey(everybody, work, 'sluice_', fields);
    return { user, token };
  });
}

/** The body is there once `happen` is over, which begins when it is asked for: then it is known who asks. */
async function askDuring(
  { path, method, token, json }: Record<'path' | 'method' | 'token', string> & { readonly json: unknown },
  happen: () => Promise<unknown>,
): Promise<Response> {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await happen();
        controller.enqueue(new TextEncoder().encode(JSON.stringify(json)));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return await api.request(`http://sluice.test${path}`, { method, headers, body });
}
const setStatus = (userId: number, status: 'active' | 'suspended' | 'archived') =>
  transact(parts, (work) => within(everybody, changeAccountStatus)(work, { userId, status }));
const contactsOf = (userId: number) =>
  storage.db.select().from(notificationContacts).where(eq(notificationContacts.userId, userId));

test('an account that is removed meanwhile is nobody, and nothing of the request is kept', async () => {
  const { user, token } = await newPerson();
  const remove = () =>
    transact(parts, (work) =>
      removeAccount(onlyOf(user.id), work, {
        ...{ userId: user.id, typedEmail: user.email, actor: user },
        keptElsewhere: [{ hold: holdEventsOf, forget: forgetTold }],
      }),
    );
  const asked = { path: contactsPath, method: 'POST', token, json: newContact };
  const refused = await askDuring(asked, remove);
  expect(refused.status).toBe(401);
  expect(refused.headers.get('www-authenticate')).toContain('Basic');
  expect(await refused.json()).toMatchObject([{ error_point: null, error_type: 'permission' }]);
  expect(await contactsOf(user.id)).toEqual([]);
  const noted = await storage.db.select().from(auditEntries).where(eq(auditEntries.userId, user.id));
  expect(noted.at(-1)?.action).toBe('account.deleted');
  expect(noted.flatMap(({ personal }) => Object.values(personal ?? {}))).toEqual([]);
});

test('an account that is suspended or closed meanwhile changes nothing, and adds what it is asked to otherwise', async () => {
  const { user, token } = await newPerson();
  const [main] = await contactsOf(user.id);
  const preference = { contact: `${contactsPath}${main?.uuid}/`, medium: 'email', type: 'payment' };
  const asked = [
    { path: contactsPath, method: 'POST', json: newContact },
    { path: preference.contact, method: 'PUT', json: { name: 'Another' } },
    {
      ...{ path: '/api/2.0/notification_preferences/', method: 'PUT' },
      json: { ...preference, value: false },
    },
  ];
  for (const one of asked) {
    const refused = await askDuring({ ...one, token }, () => setStatus(user.id, 'suspended'));
    expect([one.path, refused.status]).toEqual([one.path, 403]);
    expect(await refused.json()).toMatchObject([
      { error_type: 'permission', error_message: expect.stringContaining('suspended') },
    ]);
    await setStatus(user.id, 'active');
  }
  expect(await contactsOf(user.id)).toMatchObject([{ name: '' }]);
  const stopped = await storage.db
    .select()
    .from(notificationPreferences)
    .where(eq(notificationPreferences.kind, 'payment'));
  expect(stopped.find(({ userId }) => userId === user.id)?.enabled).toBe(true);
  const adding = { path: contactsPath, method: 'POST', token, json: newContact };
  const made = await askDuring(adding, () => Promise.resolve());
  expect(made.status).toBe(201);
  const closed = await askDuring(adding, () => setStatus(user.id, 'archived'));
  expect(closed.status).toBe(403);
  expect(await contactsOf(user.id)).toHaveLength(2);
});
