import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq, sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, within, writerOn } from '../../test/support/writing.ts';
import { AppError } from '../base/errors.ts';
import { systemIds } from '../base/ids.ts';
import { everybody, onlyOf } from '../base/scope.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import type { Storage } from '../storage/storage.ts';
import { transact } from '../storage/work.ts';
import { removeAccount } from './account-removal.ts';
import { createKey, createUser, listKeys, revokeKey, touchKeys, upsertManagedKey } from './index.ts';
import { findKey } from './keys.ts';
import { untilSomebodyWaits } from './testing/until-somebody-waits.ts';
import { hashToken, isWellFormedToken, mintToken } from './token.ts';

const nowMs = Date.UTC(2031, 0, 1);
const clock = clockShowing(() => nowMs);
const tokenPrefix = 'sluice_';

describeOnEachDatabase('API keys', (openDatabase) => {
  let storage: Storage;
  let write: Write;
  let ownerId: number;
  beforeAll(async () => {
    storage = await openDatabase();
    write = writerOn({ storage, clock, ids: systemIds });
    ownerId = (await write(createUser, { email: 'owner@example.test', role: 'member' })).id;
  });
  afterAll(() => storage.close());

  /** What the feed tells because of `action` and nothing else: changes arrive in the order of their commits. */
  async function toldBy(action: () => Promise<unknown>): Promise<readonly string[]> {
    const told: string[] = [];
    let onMark = () => {};
    const stop = storage.changes.subscribe('api-key', (key) => {
      if (key === 'mark') onMark();
      else told.push(key);
    });
    const mark = async () => {
      const heard = new Promise<void>((resolve) => {
        onMark = resolve;
      });
      await storage.changes.publish(storage.db, 'api-key', 'mark');
      await heard;
    };
    await mark();
    told.length = 0;
    await action();
    await mark();
    stop();
    return told;
  }

  async function refusalOf(attempt: Promise<unknown>): Promise<AppError> {
    const error: unknown = await attempt.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error instanceof AppError) return error;
    throw new Error(`not refused: ${String(error)}`);
  }

  test('are made with a token that is shown once and stored as a hash', async () => {
    const { key, token } = await write(within(everybody, createKey), tokenPrefix, { ownerId, name: ' ci ' });
    expect(isWellFormedToken(token, tokenPrefix)).toBe(true);
    expect(key).toMatchObject({
      ownerId,
      ownerEmail: 'owner@example.test',
      name: 'ci',
      tokenPrefix: token.slice(0, 11),
      tokenLastFour: token.slice(-4),
      scopes: ['inference', 'read'],
      allowedModels: null,
      requestsPerMinute: null,
      enabled: true,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      managedBy: null,
    });
    expect(await findKey(everybody, storage.db, key.id)).toEqual(key);
    const rows = await storage.db.select().from(apiKeys).where(eq(apiKeys.id, key.id));
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(rows).toHaveLength(1);
  });

  test('keep their locks, limits and expiry', async () => {
    const given = {
      scopes: ['webchat' as const],
      allowedModels: ['a', 'b'],
      allowedProviders: [],
      allowedRegions: ['eu'],
      requestsPerMinute: 60,
      tokensPerMinute: 2_147_483_647,
      concurrentRequests: 1,
      enabled: false,
      expiresAt: new Date(nowMs + 1),
    };
    const { key } = await write(within(everybody, createKey), tokenPrefix, {
      ownerId,
      name: 'limited',
      ...given,
    });
    expect(key).toMatchObject(given);
  });

  test('422 that names each wrong field', async () => {
    const error = await refusalOf(
      write(within(everybody, createKey), tokenPrefix, {
        ownerId,
        name: ' ',
        scopes: [],
        allowedModels: [''],
        requestsPerMinute: 0,
        tokensPerMinute: 1.5,
        concurrentRequests: 2_147_483_648,
      }),
    );
    expect(error.status).toBe(422);
    expect(error.fields.map(({ loc }) => loc.join('.'))).toEqual([
      'name',
      'scopes',
      'allowedModels.0',
      'requestsPerMinute',
      'tokensPerMinute',
      'concurrentRequests',
    ]);
  });

  test('422 for a name of 101 characters, an expiry that is past, an owner who is nobody', async () => {
    const paramOf = async (change: object) =>
      (await refusalOf(write(within(everybody, createKey), tokenPrefix, { ownerId, name: 'x', ...change })))
        .param;
    expect(await paramOf({ name: 'n'.repeat(101) })).toBe('name');
    expect(await paramOf({ expiresAt: new Date(nowMs) })).toBe('expiresAt');
    expect(await paramOf({ ownerId: 999_999 })).toBe('ownerId');
    expect(await paramOf({ scopes: ['everything'] })).toBe('scopes.0');
  });

  test('422 for an owner who is removed while the key waits for them', async () => {
    const owner = await write(createUser, { email: 'leaving@example.test', role: 'member' });
    const { begun } = await transact({ storage, clock, ids: systemIds }, async (work) => {
      const removal = { userId: owner.id, typedEmail: owner.email, actor: owner, keptElsewhere: [] };
      await removeAccount(onlyOf(owner.id), work, removal);
      const fields = { ownerId: owner.id, name: 'late' };
      const begun = refusalOf(write(within(onlyOf(owner.id), createKey), tokenPrefix, fields));
      begun.catch(() => undefined);
      if (storage.kind === 'postgres') await untilSomebodyWaits(storage.db);
      return { begun };
    });
    expect((await begun).fields).toMatchObject([{ loc: ['ownerId'], type: 'unknown_user' }]);
    expect(await storage.db.$count(apiKeys, eq(apiKeys.ownerId, owner.id))).toBe(0);
  });

  test('are revoked for good, once, and the change is told', async () => {
    const { key, token } = await write(within(everybody, createKey), tokenPrefix, {
      ownerId,
      name: 'to revoke',
    });
    expect(await toldBy(() => write(within(everybody, revokeKey), key.id))).toEqual([hashToken(token)]);
    const revoked = await findKey(everybody, storage.db, key.id);
    expect(revoked?.revokedAt).toEqual(new Date(nowMs));
    const later = { ...clock, nowMs: () => nowMs + 1_000 };
    expect(
      await writerOn({ storage, clock: later, ids: systemIds })(within(everybody, revokeKey), key.id),
    ).toEqual({
      ...key,
      revokedAt: new Date(nowMs),
    });
    expect(await refusalOf(write(within(everybody, revokeKey), 999_999))).toMatchObject({
      code: 'not_found',
    });
  });

  test('are listed oldest first, by owner, with the revoked ones when asked for', async () => {
    const { id } = await write(createUser, { email: 'lister@example.test', role: 'member' });
    const first = await write(within(everybody, createKey), tokenPrefix, { ownerId: id, name: 'first' });
    const second = await write(within(everybody, createKey), tokenPrefix, { ownerId: id, name: 'second' });
    await write(within(everybody, createKey), tokenPrefix, { ownerId, name: 'of another' });
    const revoked = await write(within(everybody, revokeKey), first.key.id);
    expect(await listKeys(everybody, storage.db, { ownerId: id })).toEqual([second.key]);
    expect(await listKeys(everybody, storage.db, { ownerId: id, includeRevoked: true })).toEqual([
      revoked,
      second.key,
    ]);
    expect((await listKeys(everybody, storage.db)).map(({ ownerEmail }) => ownerEmail)).toContain(
      'owner@example.test',
    );
  });

  test('are at most a thousand of one owner, without the revoked ones, and are read in pages', async () => {
    const { id } = await write(createUser, { email: 'hoarder@example.test', role: 'member' });
    const { key } = await write(within(everybody, createKey), tokenPrefix, { ownerId: id, name: 'one' });
    const [row] = await storage.db.select().from(apiKeys).where(eq(apiKeys.id, key.id));
    if (row === undefined) throw new Error('the key that was just made is not there');
    const { id: _, ...copied } = row;
    const others = Array.from({ length: 998 }, (_each, at) => ({ ...copied, tokenHash: `${at} of ${id}` }));
    // What the file declares comes beside them.
    const declared = { ...copied, tokenHash: `declared of ${id}`, managedBy: 'file' };
    await storage.db.insert(apiKeys).values(declared);
    await storage.db.insert(apiKeys).values(others);
    const make = () => write(within(everybody, createKey), tokenPrefix, { ownerId: id, name: 'next' });
    // Of two who make the last one at once, one is too late.
    const [last, late] = await Promise.allSettled([make(), make()]);
    const refused = last?.status === 'rejected' ? last : late;
    expect([last?.status, late?.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(refused).toMatchObject({ reason: { fields: [{ loc: ['ownerId'], type: 'too_many_keys' }] } });
    await write(within(everybody, revokeKey), key.id);
    expect((await make()).key.name).toBe('next');
    expect(await refusalOf(make())).toMatchObject({ code: 'validation_failed' });
    await write(within(everybody, createKey), tokenPrefix, { ownerId, name: 'of another' });

    const ids: number[] = [];
    for (let after: number | undefined; ; after = ids.at(-1)) {
      const asked = { ownerId: id, includeRevoked: true, after, limit: 400 };
      const page = await listKeys(everybody, storage.db, asked);
      ids.push(...page.map((each) => each.id));
      if (page.length < 400) break;
    }
    expect([ids.length, new Set(ids).size]).toEqual([1002, 1002]);
    expect(await listKeys(everybody, storage.db, { ownerId: id, managedBy: 'file' })).toHaveLength(1);
  });

  async function useKeys(lastUsed: ReadonlyMap<number, Date>): Promise<void> {
    const rows = JSON.stringify([...lastUsed].map(([key_id, used_at]) => ({ key_id, used_at })));
    const used = sql`json_to_recordset(${rows}::text::json)`;
    await storage.db.execute(
      touchKeys(
        sql`(SELECT *, NULL::integer AS secret FROM ${used} AS given (key_id bigint, used_at timestamptz))`,
      ),
    );
  }

  test('remember when they were last used, and never an earlier time', async () => {
    const keys = [];
    for (const name of ['a', 'b', 'c'])
      keys.push((await write(within(everybody, createKey), tokenPrefix, { ownerId, name })).key);
    const [a = 0, b = 0, c = 0] = keys.map(({ id }) => id);
    const at = (second: number) => new Date(nowMs + second * 1_000);
    await useKeys(
      new Map([
        [b, at(5)],
        [a, at(1)],
      ]),
    );
    await useKeys(
      new Map([
        [a, at(3)],
        [b, at(4)],
        [999_999, at(9)],
      ]),
    );
    await useKeys(new Map());
    const used = async (id: number) => (await findKey(everybody, storage.db, id))?.lastUsedAt;
    expect([await used(a), await used(b), await used(c)]).toEqual([at(3), at(5), null]);
  });

  test('are noted as used by several writers at once, without locking each other out', async () => {
    const ids: number[] = [];
    for (let index = 0; index < 20; index += 1) {
      ids.push(
        (await write(within(everybody, createKey), tokenPrefix, { ownerId, name: `busy ${index}` })).key.id,
      );
    }
    const rounds = Array.from({ length: 30 }, (_, round) => {
      const order = round % 2 ? ids : ids.toReversed();
      return useKeys(new Map(order.map((id) => [id, new Date(nowMs + round)])));
    });
    await Promise.all(rounds);
    for (const id of ids)
      expect((await findKey(everybody, storage.db, id))?.lastUsedAt).toEqual(new Date(nowMs + 29));
  });

  test('declared with a token are made once, follow what is declared, and stay revoked', async () => {
    const token = mintToken(systemIds, tokenPrefix);
    const declared = { ownerId, name: 'ci', token, managedBy: 'file' as const };
    const first = await write(upsertManagedKey, tokenPrefix, { ...declared, requestsPerMinute: 5 });
    const { key: made } = first;
    expect([first.isNew, first.changed]).toEqual([true, true]);
    expect(made).toMatchObject({ name: 'ci', requestsPerMinute: 5, managedBy: 'file' });
    const renamed = await write(upsertManagedKey, tokenPrefix, { ...declared, name: 'build' });
    const key = { ...made, name: 'build', requestsPerMinute: null };
    expect(renamed).toEqual({ key, changed: true, isNew: false });
    const { revokedAt } = await write(within(everybody, revokeKey), made.id);
    expect((await write(upsertManagedKey, tokenPrefix, declared)).key.revokedAt).toEqual(revokedAt);
  });

  test('are told of when they are made or change, and only then', async () => {
    const token = mintToken(systemIds, tokenPrefix);
    const declared = { ownerId, name: 'told', token, managedBy: 'file' as const };
    const hashes = [hashToken(token)];
    expect(await toldBy(() => write(upsertManagedKey, tokenPrefix, declared))).toEqual(hashes);
    expect(await toldBy(() => write(upsertManagedKey, tokenPrefix, declared))).toEqual([]);
    expect(await toldBy(() => write(upsertManagedKey, tokenPrefix, { ...declared, enabled: false }))).toEqual(
      hashes,
    );
    expect(
      await toldBy(() => write(within(everybody, createKey), tokenPrefix, { ownerId, name: 'made' })),
    ).toHaveLength(1);
    const [{ id } = { id: 0 }] = await listKeys(everybody, storage.db);
    expect(await toldBy(() => useKeys(new Map([[id, new Date(nowMs)]])))).toEqual([]);
  });

  test('422 for a declared token that is not of the form, without repeating it', async () => {
    const token = `${mintToken(systemIds, tokenPrefix).slice(0, -1)}~`;
    const error = await refusalOf(
      write(upsertManagedKey, tokenPrefix, { ownerId, name: 'ci', token, managedBy: 'file' }),
    );
    expect(error).toMatchObject({ code: 'validation_failed', param: 'token' });
    expect(error.message).toContain('sluice_');
    expect(error.message).not.toContain(token);
  });
});
