/** The envelope of a list while what it tells is being removed, and while the database goes away. */
import { expect, test } from 'bun:test';
import { usualDatabase } from '../../test/support/databases.ts';
import { ByteBudget } from '../base/byte-budget.ts';
import { proxyList } from '../base/client-address.ts';
import { Deadlines } from '../base/deadlines.ts';
import { systemIds } from '../base/ids.ts';
import type { LogFields } from '../base/log.ts';
import { everybody, onlyOf } from '../base/scope.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import { CallerDirectory, createKey, createUser, transact } from '../identity/index.ts';
import { MemoryLimiter } from '../limits/index.ts';
import { createContacts } from '../notifications/index.ts';
import { createAccountApi } from './index.ts';
import { readListQuery, writeList } from './list.ts';
import type { Resource } from './resource.ts';

/** So many preferences that they are written as they are read. */
const contacts = 40;

async function openApi() {
  const storage = await usualDatabase.open();
  const clock = new ManualClock();
  const parts = { storage, clock, ids: systemIds };
  const { db, changes } = storage;
  const errors: (readonly [message: string, fields: LogFields | undefined])[] = [];
  const api = createAccountApi({
    ...parts,
    callers: new CallerDirectory({ db, changes, clock, tokenPrefix: 'sluice_' }),
    limiter: new MemoryLimiter(clock),
    bodies: new ByteBudget(1024 ** 2),
    deadlines: new Deadlines(clock),
    log: { ...silentLog, error: (message, fields) => errors.push([message, fields]) },
    identityProviders: [],
    legal: { version: '1' },
    publicUrl: null,
    trustedProxies: proxyList([]),
  });
  const token = await transact(parts, async (work) => {
    const { id: ownerId } = await createUser(work, { email: 'ada@example.test', role: 'member' });
    const fields = Array.from({ length: contacts }, (_, at) => ({ email: `contact-${at}@example.test` }));
    await createContacts(onlyOf(ownerId), work, fields);
    const key = { name: 'reader', ownerId, scopes: ['read' as const] };
    return (await createKey(everybody, work, 'sluice_', key)).token;
  });
  const ask = async (path: string) =>
    await api.request(`http://sluice.test${path}`, { headers: { authorization: `Bearer ${token}` } });
  return { storage, ask, errors };
}

test('a long list that breaks off stands in the log with the id of its request', async () => {
  const { storage, ask, errors } = await openApi();
  const answer = await ask('/api/2.0/notification_preferences/?limit=0');
  const reader = answer.body?.getReader();
  await reader?.read();
  await reader?.read();
  await storage.close();
  await expect(reader?.read()).rejects.toThrow();
  expect(errors).toMatchObject([
    [
      'an account API answer broke off',
      {
        requestId: answer.headers.get('x-request-id') ?? 'none',
        method: 'GET',
        path: '/api/2.0/notification_preferences/',
      },
    ],
  ]);
});

test.each([[[[], [1], [2, 3]]], [[[1], [], [2, 3]]], [[[1, 2], [3], []]]])(
  'pieces of which nothing is left are no part of the envelope: %j',
  async (pieces) => {
    const resource: Resource<number> = {
      ...{ name: 'numbers', summary: 'Numbers', title: 'Number', fields: {}, find: null },
      ...{ actions: {}, actionsOnOne: {} },
      list: {
        filters: [],
        read: async () => ({
          total: 3,
          pieces: (async function* () {
            yield* pieces;
          })(),
        }),
      },
      show: (item) => ({ item }),
    };
    const storage = await usualDatabase.open();
    const text = await writeList({
      resource,
      scope: onlyOf(1),
      executor: storage.db,
      query: readListQuery(new URLSearchParams(), []),
      brokenOff: () => undefined,
    });
    await storage.close();
    expect(JSON.parse(String(text))).toMatchObject({ objects: [{ item: 1 }, { item: 2 }, { item: 3 }] });
  },
);
