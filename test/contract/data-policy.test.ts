/** What is demanded of providers at each level, and that a refusal says whose demand it was and what it allows. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { apiKeys } from '../../src/storage/schema/api-keys.ts';
import { departments, organisations, users } from '../../src/storage/schema/identity.ts';
import { heardAll } from '../support/heard-all.ts';
import {
  newToken,
  owner,
  startTestSluice,
  type TestSluice,
  usualModel,
  usualProvider,
} from '../support/sluice.ts';

let sluice: TestSluice;
const tokens = {
  nothingKept: newToken(),
  notTrained: newToken(),
  inEurope: newToken(),
  exact: newToken(),
  ofDepartment: newToken(),
};
const member = 'member@example.test';
const claim = { source: 'https://provider.test/terms', as_of: '2026-11-01' };

/** Nothing is known of the first; the others differ in what they say. */
const claims: Readonly<Record<string, object | null>> = {
  silent: null,
  keeps: { ...claim, retention_days: 30, training: false, regions: ['us', 'eu'], quantization: 'fp8' },
  forgets: { ...claim, retention_days: 0, training: false, regions: ['eu'] },
};

beforeAll(async () => {
  sluice = await startTestSluice({
    file: (url) => ({
      users: [
        { email: owner, password: 'a long enough password', role: 'platform_owner', wallet_usd: 25 },
        { email: member, password: 'a long enough password', role: 'member', wallet_usd: 25 },
      ],
      organisations: [
        {
          slug: 'careful',
          name: 'Careful',
          data_policy: { data_collection: 'deny' },
          departments: [{ name: 'Law', data_policy: { zdr: true } }],
        },
      ],
      providers: Object.entries(claims).map(([name, data_policy]) => {
        const { region, ...provider } = usualProvider(url);
        return { ...provider, name, data_policy };
      }),
      models: [
        {
          ...usualModel,
          providers: Object.keys(claims).map((provider) => ({ provider, upstream_id: 'double-1-2026' })),
        },
        {
          ...usualModel,
          id: 'double-2',
          aliases: ['two'],
          providers: ['silent', 'keeps'].map((provider) => ({ provider, upstream_id: 'double-1-2026' })),
        },
      ],
      keys: [
        { name: 'zdr', owner, token: tokens.nothingKept, data_policy: { zdr: true } },
        { name: 'deny', owner, token: tokens.notTrained, data_policy: { data_collection: 'deny' } },
        { name: 'eu', owner, token: tokens.inEurope, data_policy: { regions: ['eu'] } },
        { name: 'exact', owner, token: tokens.exact, data_policy: { quantizations: ['fp8', 'bf16'] } },
        { name: 'law', owner: member, token: tokens.ofDepartment },
      ],
    }),
  });
  const { db } = sluice.running.services.storage;
  const [careful] = await db.select().from(organisations);
  await db.update(users).set({ organisationId: careful?.id }).where(eq(users.email, member));
});
afterAll(() => sluice.stop());
beforeEach(() => sluice.upstream.forget());

const ask = (token: string, body: object = {}, path = '/v1/chat/completions') =>
  sluice.post(
    path,
    { model: 'double-1', max_tokens: 50, messages: [{ role: 'user', content: 'Hello' }], ...body },
    { authorization: `Bearer ${token}` },
  );

const paths = ['/v1/chat/completions', '/v1/messages'];

test.each(paths)('each demand leaves those that are known to keep it, at %s', async (path) => {
  const providers: Record<string, string | null> = {};
  for (const [name, token] of Object.entries({ ...tokens, usual: sluice.token })) {
    providers[name] = (await ask(token, {}, path)).headers.get('x-sluice-provider');
  }
  expect(providers).toEqual({
    ...{ usual: 'silent', nothingKept: 'forgets', notTrained: 'keeps', inEurope: 'forgets' },
    ...{ exact: 'keeps', ofDepartment: 'keeps' },
  });
});

test.each(paths)('a failure goes on to nobody who is not known to keep the demand, at %s', async (path) => {
  sluice.upstream.enqueue({ fault: 'status_500' }, { fault: 'status_500' });
  const answer = await ask(tokens.nothingKept, {}, path);
  expect(answer.status).toBe(502);
  expect(answer.headers.get('x-sluice-provider')).toBe('forgets');
});

test('a refusal names the code, the level, the lock and what would be allowed, by an alias too', async () => {
  for (const model of ['double-2', 'two']) {
    const answer = await ask(tokens.nothingKept, { model });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({
      error: {
        code: 'data_policy_not_allowed',
        level: 'key',
        lock: 'zdr',
        allowed: 'providers known to keep nothing of what they are sent',
      },
    });
  }
  const answer = await ask(tokens.inEurope, { model: 'double-2' }, '/v1/messages');
  expect(await answer.json()).toMatchObject({
    type: 'error',
    error: {
      type: 'permission_error',
      level: 'key',
      lock: 'regions',
      allowed: expect.stringContaining('eu'),
    },
  });
  expect(sluice.upstream.requests).toHaveLength(0);
});

test('a demand of the department holds beside that of the organisation, from when somebody is in it', async () => {
  const { db, changes } = sluice.running.services.storage;
  const [careful] = await db.select().from(organisations);
  const [law] = await db.select().from(departments);
  await db
    .update(users)
    .set({ departmentId: law?.id, organisationId: careful?.id })
    .where(eq(users.email, member));
  const [key] = await db.select().from(apiKeys).where(eq(apiKeys.name, 'law'));
  await changes.publish(db, 'api-key', key?.tokenHash ?? '');
  await heardAll({ db, changes });
  expect((await ask(tokens.ofDepartment)).headers.get('x-sluice-provider')).toBe('forgets');
  const refused = await ask(tokens.ofDepartment, { model: 'double-2' });
  expect(await refused.json()).toMatchObject({ error: { level: 'department', lock: 'zdr' } });
});

test('where key and owner are in different departments, what both demand holds', async () => {
  const { db, changes } = sluice.running.services.storage;
  const [careful] = await db.select().from(organisations);
  const [open] = await db
    .insert(departments)
    .values({ organisationId: careful?.id ?? 0, name: 'Open' })
    .returning();
  // Its owner is in the department that demands.
  const [key] = await db
    .update(apiKeys)
    .set({ organisationId: careful?.id, departmentId: open?.id })
    .where(eq(apiKeys.name, 'law'))
    .returning();
  const forget = async () => {
    await changes.publish(db, 'api-key', key?.tokenHash ?? '');
    await heardAll({ db, changes });
  };
  await forget();
  expect((await ask(tokens.ofDepartment)).headers.get('x-sluice-provider')).toBe('forgets');
  // And the other way round.
  const [law] = await db.select().from(departments).where(eq(departments.name, 'Law'));
  await db.update(apiKeys).set({ departmentId: law?.id }).where(eq(apiKeys.name, 'law'));
  await db.update(users).set({ departmentId: open?.id }).where(eq(users.email, member));
  await forget();
  expect((await ask(tokens.ofDepartment)).headers.get('x-sluice-provider')).toBe('forgets');
  const shown = await fetch(`${sluice.url}/v1/key`, {
    headers: { authorization: `Bearer ${tokens.ofDepartment}` },
  });
  const { locks } = await shown.json();
  expect(locks.data_policy.map(({ level }: { level: string }) => level)).toEqual([
    'organisation',
    'department',
  ]);
});

test('the key says what is demanded', async () => {
  const answer = await fetch(`${sluice.url}/v1/key`, {
    headers: { authorization: `Bearer ${tokens.inEurope}` },
  });
  expect(await answer.json()).toMatchObject({
    locks: { data_policy: [{ level: 'key', regions: ['eu'] }] },
  });
});
