import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq, sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { heardAll } from '../../test/support/heard-all.ts';
import { type Write, within, writerOn } from '../../test/support/writing.ts';
import { AppError } from '../base/errors.ts';
import { systemIds } from '../base/ids.ts';
import { everybody } from '../base/scope.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { everyKey } from '../storage/change-feed.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { organisations, users } from '../storage/schema/identity.ts';
import type { Storage } from '../storage/storage.ts';
import {
  type Caller,
  CallerDirectory,
  createKey,
  createUser,
  type KeyFields,
  listPayingKeys,
  revokeKey,
  upsertManagedKey,
} from './index.ts';
import { createOrganisation } from './organisations.ts';
import { hashToken, mintToken } from './token.ts';

const tokenPrefix = 'sluice_';

describeOnEachDatabase('the caller directory', (openDatabase) => {
  let storage: Storage;
  let write: Write;
  let nowMs = Date.UTC(2031, 0, 1);
  const clock = clockShowing(() => nowMs);
  beforeAll(async () => {
    storage = await openDatabase();
    write = writerOn({ storage, clock, ids: systemIds });
  });
  afterAll(() => storage.close());

  const openDirectory = (maxCallers?: number) =>
    new CallerDirectory({
      db: storage.db,
      changes: storage.changes,
      clock,
      tokenPrefix,
      ...(maxCallers && { maxCallers }),
    });

  let count = 0;
  async function newKey(fields: Partial<KeyFields> = {}) {
    count += 1;
    const name = `key ${count}`;
    const owner = await write(createUser, { email: `owner-${count}@example.test`, role: 'member' });
    const make = () =>
      write(within(everybody, createKey), tokenPrefix, { ownerId: owner.id, name, ...fields });
    const { key, token } = await heard('api-key', (made) => hashToken(made.token), make);
    return { owner, key, token };
  }

  /** Makes a change and waits until all who listened before have heard of it. */
  async function heard<Made>(topic: string, keyOf: (made: Made) => string, change: () => Promise<Made>) {
    const keys = new Set<string>();
    let onKey = () => {};
    const stop = storage.changes.subscribe(topic, (key) => {
      keys.add(key);
      onKey();
    });
    const made = await change();
    while (!keys.has(keyOf(made))) await new Promise<void>((resolve) => (onKey = resolve));
    stop();
    return made;
  }

  async function refusal(find: () => Caller | Promise<Caller>): Promise<AppError> {
    try {
      await find();
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
    throw new Error('was let in');
  }

  function now(found: Caller | Promise<Caller>): Caller {
    if (found instanceof Promise) throw new Error('answered later, not at once');
    return found;
  }

  async function setStatus(userId: number, status: string): Promise<void> {
    await storage.db.update(users).set({ status }).where(eq(users.id, userId));
    await storage.changes.publish(storage.db, 'user', String(userId));
  }

  test('tells who calls, with scopes, locks and limits', async () => {
    const { owner, key, token } = await newKey({
      scopes: ['inference'],
      allowedModels: ['a', 'b'],
      allowedProviders: [],
      requestsPerMinute: 5,
      expiresAt: new Date(nowMs + 1_000),
    });
    expect(await openDirectory().find(token)).toEqual({
      keyId: key.id,
      keyName: key.name,
      secretNumber: null,
      secretEndsAtMs: null,
      secretIsOver: false,
      userId: owner.id,
      userStatus: 'active',
      payerId: owner.id,
      organisationId: null,
      ownersOrganisationId: null,
      departmentId: null,
      projectId: null,
      billingExempt: false,
      scopes: new Set(['inference']),
      shownToOther: false,
      allowedModels: new Set(['a', 'b']),
      allowedProviders: new Set(),
      allowedRegions: null,
      dataLocks: [],
      keyLimits: { requestsPerMinute: 5, tokensPerMinute: null, concurrentRequests: null },
      userLimits: null,
      strictOutput: false,
      rescue: null,
      enabled: true,
      revoked: false,
      expiresAtMs: nowMs + 1_000,
    });
  });

  test('tells the limits of the key and those of its owner', async () => {
    const { owner, token } = await newKey({ concurrentRequests: 2 });
    await storage.db.update(users).set({ tokensPerMinute: 7000 }).where(eq(users.id, owner.id));
    expect(await openDirectory().find(token)).toMatchObject({
      keyLimits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: 2 },
      userLimits: { requestsPerMinute: null, tokensPerMinute: 7000, concurrentRequests: null },
    });
  });

  test('asks the database once for all who come at once, and then answers at once', async () => {
    const directory = openDirectory();
    const { token } = await newKey();
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => directory.find(token)));
    if (first === undefined) throw new Error('nobody');
    for (const other of others) expect(other).toBe(first);
    expect(now(directory.find(token))).toBe(first);
  });

  test.each(['', 'sluice_', 'Bearer x', `sluice_${'a'.repeat(46)}`])('401 for %p, at once', (token) => {
    const directory = openDirectory();
    expect(() => directory.find(token)).toThrow(
      expect.objectContaining({ code: 'invalid_token', status: 401 }),
    );
  });

  test('401 for a well-formed token that nobody has; remembered for some seconds', async () => {
    const directory = openDirectory();
    const token = mintToken(systemIds, tokenPrefix);
    expect(await refusal(() => directory.find(token))).toMatchObject({ code: 'invalid_token' });
    expect(() => directory.find(token)).toThrow('not valid');
    nowMs += 5_000;
    expect(await refusal(() => directory.find(token))).toMatchObject({ code: 'invalid_token' });
  });

  test('a key that is made after its token was refused works at once', async () => {
    const directory = openDirectory();
    const { owner } = await newKey();
    const token = mintToken(systemIds, tokenPrefix);
    await refusal(() => directory.find(token));
    await heard(
      'api-key',
      () => hashToken(token),
      () =>
        write(upsertManagedKey, tokenPrefix, { ownerId: owner.id, name: 'late', token, managedBy: 'file' }),
    );
    expect((await directory.find(token)).keyName).toBe('late');
  });

  test('401 from the moment a warm key is revoked, for others too', async () => {
    const [here, elsewhere] = [openDirectory(), openDirectory()];
    const { key, token } = await newKey();
    await Promise.all([here.find(token), elsewhere.find(token)]);
    await heard(
      'api-key',
      () => hashToken(token),
      () => write(within(everybody, revokeKey), key.id),
    );
    expect(await refusal(() => here.find(token))).toMatchObject({ code: 'token_revoked', status: 401 });
    expect(await refusal(() => elsewhere.find(token))).toMatchObject({ code: 'token_revoked' });
    expect(() => here.find(token)).toThrow('revoked');
  });

  test('401 from the moment a warm key expires', async () => {
    const directory = openDirectory();
    const { token } = await newKey({ expiresAt: new Date(nowMs + 1_000) });
    await directory.find(token);
    nowMs += 999;
    now(directory.find(token));
    nowMs += 1;
    expect(() => directory.find(token)).toThrow(
      expect.objectContaining({ code: 'token_expired', status: 401 }),
    );
    expect(await refusal(() => openDirectory().find(token))).toMatchObject({ code: 'token_expired' });
  });

  test('401 for a disabled key, with a sentence that says so', async () => {
    const { token } = await newKey({ enabled: false });
    const error = await refusal(() => openDirectory().find(token));
    expect(error).toMatchObject({ code: 'invalid_token' });
    expect(error.message).toContain('disabled');
  });

  test.each([
    ['suspended', 'account_suspended'],
    ['unverified', 'account_suspended'],
    ['archived', 'token_revoked'],
  ])('a warm key is refused from the moment its owner is %s', async (status, code) => {
    const directory = openDirectory();
    const { owner, token } = await newKey();
    const other = await newKey();
    await Promise.all([directory.find(token), directory.find(other.token)]);
    await heard(
      'user',
      () => String(owner.id),
      () => setStatus(owner.id, status),
    );
    const error = await refusal(() => directory.find(token));
    expect<string>(error.code).toBe(code);
    expect(error.message).not.toContain(owner.email);
    now(directory.find(other.token));
  });

  test.each(['api-key', 'user'])(
    'what was being read when a change of %s came is not remembered',
    async (topic) => {
      const directory = openDirectory();
      const { owner, token } = await newKey();
      const key = topic === 'user' ? String(owner.id) : hashToken(token);
      let early: Promise<unknown> = Promise.resolve();
      await storage.db.transaction(async (transaction) => {
        // The reading waits for the lock, or for the only connection.
        await transaction.execute(sql`LOCK TABLE ${apiKeys} IN ACCESS EXCLUSIVE MODE`);
        early = Promise.resolve(directory.find(token));
        if (storage.kind === 'embedded') await storage.changes.publish(transaction, topic, key);
        else
          await heard(
            topic,
            () => key,
            () => storage.changes.publish(storage.db, topic, key),
          );
      });
      await early;
      expect(directory.find(token)).toBeInstanceOf(Promise);
    },
  );

  test('a change that nobody told of is found within a minute, without making anyone wait', async () => {
    const directory = openDirectory();
    const { key, token } = await newKey();
    await directory.find(token);
    await storage.db.update(apiKeys).set({ enabled: false }).where(eq(apiKeys.id, key.id));
    nowMs += 59_999;
    now(directory.find(token));
    nowMs += 1;
    now(directory.find(token));
    const error = await refusal(async () => {
      for (;;) {
        await storage.ping();
        now(directory.find(token));
      }
    });
    expect(error).toMatchObject({ code: 'invalid_token' });
  });

  test('when everything may have changed, everything is read again', async () => {
    const directory = openDirectory();
    const { token } = await newKey();
    const before = await directory.find(token);
    await heard(
      'api-key',
      () => everyKey,
      () => storage.changes.publish(storage.db, 'api-key', everyKey),
    );
    const between = await directory.find(token);
    expect(between).not.toBe(before);
    await heard(
      'user',
      () => everyKey,
      () => storage.changes.publish(storage.db, 'user', everyKey),
    );
    expect(await directory.find(token)).not.toBe(between);
  });

  test('remembers no more than it was told to', async () => {
    const directory = openDirectory(2);
    const tokens = [(await newKey()).token, (await newKey()).token, (await newKey()).token];
    for (const token of tokens) await directory.find(token);
    const [first = '', ...others] = tokens;
    for (const token of others) now(directory.find(token));
    expect(directory.find(first)).toBeInstanceOf(Promise);
  });

  test('an organisation that has a billing user pays for its people, also once that changes', async () => {
    const { owner, token } = await newKey();
    const payer = await write(createUser, { email: 'payer@example.test', role: 'org_owner' });
    const { id } = await write(createOrganisation, { name: 'Paying' });
    const at = (userId: number) => eq(users.id, userId);
    await storage.db.update(users).set({ organisationId: id }).where(at(owner.id));
    await storage.db.update(users).set({ organisationId: id }).where(at(payer.id));
    const directory = openDirectory();
    const own = { organisationId: id, departmentId: null, projectId: null };
    expect(await directory.find(token)).toMatchObject({ ...own, payerId: owner.id, billingExempt: false });
    const changed = { billingUserId: payer.id, billingExempt: true };
    await heard(
      'organisation',
      () => String(id),
      async () => {
        await storage.db.update(organisations).set(changed).where(eq(organisations.id, id));
        await storage.changes.publish(storage.db, 'organisation', String(id));
      },
    );
    expect(await directory.find(token)).toMatchObject({ ...own, payerId: payer.id, billingExempt: true });
  });

  test('who pays for an organisation and is exempt makes its people so, also once that changes', async () => {
    const { owner, key, token } = await newKey();
    const payer = await write(createUser, { email: 'exempt-payer@example.test', role: 'org_owner' });
    const { id } = await write(createOrganisation, { name: 'Exempt' });
    for (const person of [owner, payer]) {
      await storage.db.update(users).set({ organisationId: id }).where(eq(users.id, person.id));
    }
    await storage.db.update(organisations).set({ billingUserId: payer.id }).where(eq(organisations.id, id));
    const directory = openDirectory();
    const isPaying = async () =>
      (await listPayingKeys(everybody, storage.db, new Date(nowMs))).some((each) => each.id === key.id);
    for (const billingExempt of [false, true, false]) {
      await heard(
        'user',
        () => String(payer.id),
        async () => {
          await storage.db.update(users).set({ billingExempt }).where(eq(users.id, payer.id));
          await storage.changes.publish(storage.db, 'user', String(payer.id));
        },
      );
      expect(await directory.find(token)).toMatchObject({ payerId: payer.id, billingExempt });
      expect(await isPaying()).toBe(!billingExempt);
    }
  });
});

describeOnEachDatabase('the caller directory without its database', (openDatabase) => {
  test('goes on with those it knows, and does not call others invalid', async () => {
    const storage = await openDatabase();
    let nowMs = 0;
    const clock = clockShowing(() => nowMs);
    const { db, changes } = storage;
    const write = writerOn({ storage, clock, ids: systemIds });
    const directory = new CallerDirectory({ db, changes, clock, tokenPrefix });
    const owner = await write(createUser, { email: 'a@example.test', role: 'member' });
    const { token } = await write(within(everybody, createKey), tokenPrefix, {
      ownerId: owner.id,
      name: 'a',
    });
    // Its own announcement would make the directory forget the key again.
    await heardAll(storage);
    const found = await directory.find(token);
    await storage.close();
    nowMs += 3_600_000;
    expect(directory.find(token)).toBe(found);
    const cold: unknown = await Promise.resolve(directory.find(mintToken(systemIds, tokenPrefix))).catch(
      (thrown: unknown) => thrown,
    );
    expect(cold).toBeInstanceOf(Error);
    expect(cold).not.toBeInstanceOf(AppError);
  });
});
