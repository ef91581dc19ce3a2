import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { systemClock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { systemIds } from '../base/ids.ts';
import { users } from '../storage/schema/identity.ts';
import type { Storage } from '../storage/storage.ts';
import {
  createUser,
  findFirstOwner,
  findSession,
  findUser,
  findUserByEmail,
  type IdentityContext,
  startSession,
  upsertManagedUser,
} from './index.ts';
import { verifyPassword } from './passwords.ts';

describeOnEachDatabase('users', (openDatabase) => {
  let storage: Storage;
  let context: IdentityContext;
  beforeAll(async () => {
    storage = await openDatabase();
    const { db, changes } = storage;
    context = { executor: db, changes, clock: systemClock, ids: systemIds, tokenPrefix: 'sluice_' };
  });
  afterAll(() => storage.close());

  async function storedHash(userId: number): Promise<string | null> {
    const [row] = await storage.db.select().from(users).where(eq(users.id, userId));
    if (row === undefined) throw new Error('no such user');
    return row.passwordHash;
  }

  async function fieldsOf(attempt: Promise<unknown>): Promise<readonly string[]> {
    const error: unknown = await attempt.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof AppError)) throw new Error(`not refused: ${String(error)}`);
    expect(error.code).toBe('validation_failed');
    return error.fields.map(({ loc }) => loc.join('.'));
  }

  test('there is no owner before the first one; then it is the oldest active one', async () => {
    expect(await findFirstOwner(storage.db)).toBeUndefined();
    await createUser(context, { email: 'member@example.test', role: 'member' });
    await createUser(context, { email: 'gone@example.test', role: 'platform_owner', status: 'archived' });
    const first = await createUser(context, { email: 'first@example.test', role: 'platform_owner' });
    await createUser(context, { email: 'second@example.test', role: 'platform_owner' });
    expect(await findFirstOwner(storage.db)).toEqual(first);
  });

  test('are found by id and by address, however it is written', async () => {
    const made = await createUser(context, {
      email: ' Anna@Example.TEST ',
      name: ' Anna ',
      role: 'org_admin',
    });
    expect(made).toMatchObject({
      email: 'anna@example.test',
      name: 'Anna',
      role: 'org_admin',
      status: 'active',
      billingExempt: false,
      hasPassword: false,
      managedBy: null,
    });
    expect(await findUser(storage.db, made.id)).toEqual(made);
    expect(await findUserByEmail(storage.db, 'ANNA@example.test ')).toEqual(made);
    expect(await findUserByEmail(storage.db, 'nobody@example.test')).toBeUndefined();
    expect(await findUser(storage.db, 999_999)).toBeUndefined();
  });

  test('keep their password as argon2id only', async () => {
    const made = await createUser(context, {
      email: 'p@example.test',
      password: 'orbit-lantern',
      role: 'member',
    });
    expect(made.hasPassword).toBe(true);
    expect(await storedHash(made.id)).toStartWith('$argon2id$');
    expect(await verifyPassword('orbit-lantern', await storedHash(made.id))).toBe(true);
  });

  test('422 that names each wrong field', async () => {
    const wrong = {
      email: 'not an address',
      name: 'n'.repeat(101),
      password: 'short',
      role: 'member' as const,
    };
    expect(await fieldsOf(createUser(context, wrong))).toEqual(['email', 'name', 'password']);
    expect(
      await fieldsOf(createUser(context, { email: `${'a'.repeat(250)}@b.test`, role: 'member' })),
    ).toEqual(['email']);
    expect(
      await fieldsOf(upsertManagedUser(context, { ...wrong, email: 'w@example.test', name: 'W' })),
    ).toEqual(['password']);
  });

  test('422 when the address is taken, also in the middle of a transaction', async () => {
    await createUser(context, { email: 'taken@example.test', role: 'member' });
    await storage.db.transaction(async (executor) => {
      const again = createUser({ ...context, executor }, { email: 'Taken@example.test', role: 'member' });
      expect(await fieldsOf(again)).toEqual(['email']);
      expect(await findUserByEmail(executor, 'taken@example.test')).toBeDefined();
    });
  });

  test('with a role that this version does not know are refused rather than guessed', async () => {
    await storage.db.insert(users).values({ email: 'odd@example.test', role: 'emperor' });
    await expect(findUserByEmail(storage.db, 'odd@example.test')).rejects.toThrow('emperor');
  });

  test('declared by the file are made once, and applied again without a trace', async () => {
    const declared = {
      email: 'File@example.test',
      password: 'orbit-lantern',
      role: 'platform_owner' as const,
    };
    const made = await upsertManagedUser(context, declared);
    expect(made).toMatchObject({ email: 'file@example.test', managedBy: 'file', role: 'platform_owner' });
    const hash = await storedHash(made.id);
    const { token } = await startSession(context, made.id);
    expect(await upsertManagedUser(context, declared)).toEqual(made);
    expect(await storedHash(made.id)).toBe(hash);
    expect(await findSession(context, token)).toBeDefined();
  });

  test('declared by the file are told of when they change, and only then', async () => {
    const heard: string[] = [];
    const ended = Promise.withResolvers<void>();
    const stop = storage.changes.subscribe('user', (key) => {
      if (key === 'end') ended.resolve();
      else heard.push(key);
    });
    const declared = { email: 'told@example.test', password: 'orbit-lantern', role: 'member' as const };
    const { id } = await upsertManagedUser(context, declared);
    await upsertManagedUser(context, declared);
    await upsertManagedUser(context, { ...declared, billingExempt: true });
    await storage.changes.publish(storage.db, 'user', 'end');
    await ended.promise;
    stop();
    expect(heard).toEqual([String(id), String(id)]);
  });

  test('declared by the file with another password or role are signed out', async () => {
    const declared = { email: 'changed@example.test', password: 'orbit-lantern', role: 'member' as const };
    const { id } = await upsertManagedUser(context, declared);
    const first = await startSession(context, id);
    await upsertManagedUser(context, { ...declared, password: 'another-lantern' });
    expect(await verifyPassword('another-lantern', await storedHash(id))).toBe(true);
    expect(await findSession(context, first.token)).toBeUndefined();
    const second = await startSession(context, id);
    const promoted = { ...declared, password: 'another-lantern', role: 'org_admin' as const };
    expect((await upsertManagedUser(context, promoted)).role).toBe('org_admin');
    expect(await findSession(context, second.token)).toBeUndefined();
  });

  test('declared by the file keep what it does not say: password, name, suspension', async () => {
    const made = await createUser(context, {
      email: 'kept@example.test',
      name: 'Kept',
      password: 'orbit-lantern',
      role: 'member',
      status: 'suspended',
    });
    const again = await upsertManagedUser(context, { email: 'kept@example.test', role: 'member' });
    expect(again).toEqual({ ...made, managedBy: 'file' });
    expect(await verifyPassword('orbit-lantern', await storedHash(made.id))).toBe(true);
  });
});
