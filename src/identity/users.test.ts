import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, writerOn } from '../../test/support/writing.ts';
import { systemClock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { systemIds } from '../base/ids.ts';
import { everybody } from '../base/scope.ts';
import { users } from '../storage/schema/identity.ts';
import type { Storage } from '../storage/storage.ts';
import { transact, type WorkParts } from '../storage/work.ts';
import { createUser, findFirstOwner, findSession, findUserByEmail, upsertManagedUser } from './index.ts';
import { createOrganisation } from './organisations.ts';
import { verifyPassword } from './passwords.ts';
import { startSession } from './sessions.ts';
import { signedInBy } from './testing/signed-in-by.ts';
import { findUser } from './users.ts';

describeOnEachDatabase('users', (openDatabase) => {
  let storage: Storage;
  let write: Write;
  let parts: WorkParts;
  beforeAll(async () => {
    storage = await openDatabase();
    parts = { storage, clock: systemClock, ids: systemIds };
    write = writerOn(parts);
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
    await write(createUser, { email: 'member@example.test', role: 'member' });
    await write(createUser, { email: 'gone@example.test', role: 'platform_owner', status: 'archived' });
    const first = await write(createUser, { email: 'first@example.test', role: 'platform_owner' });
    await write(createUser, { email: 'second@example.test', role: 'platform_owner' });
    expect(await findFirstOwner(storage.db)).toEqual(first);
  });

  test('are found by id and by address, however it is written', async () => {
    const made = await write(createUser, {
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
    expect(await findUser(everybody, storage.db, made.id)).toEqual(made);
    expect(await findUserByEmail(storage.db, 'ANNA@example.test ')).toEqual(made);
    expect(await findUserByEmail(storage.db, 'nobody@example.test')).toBeUndefined();
    expect(await findUser(everybody, storage.db, 999_999)).toBeUndefined();
  });

  test('keep their password as argon2id only', async () => {
    const made = await write(createUser, {
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
    expect(await fieldsOf(write(createUser, wrong))).toEqual(['email', 'name', 'password']);
    expect(await fieldsOf(write(createUser, { email: `${'a'.repeat(250)}@b.test`, role: 'member' }))).toEqual(
      ['email'],
    );
    expect(
      await fieldsOf(write(upsertManagedUser, { ...wrong, email: 'w@example.test', name: 'W' })),
    ).toEqual(['password']);
  });

  test('422 when the address is taken, also in the middle of a transaction', async () => {
    await write(createUser, { email: 'taken@example.test', role: 'member' });
    await transact(parts, async (work) => {
      const again = createUser(work, { email: 'Taken@example.test', role: 'member' });
      expect(await fieldsOf(again)).toEqual(['email']);
      expect(await findUserByEmail(work.executor, 'taken@example.test')).toBeDefined();
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
    const { user: made, changed } = await write(upsertManagedUser, declared);
    expect(changed).toBe(true);
    expect(made).toMatchObject({ email: 'file@example.test', managedBy: 'file', role: 'platform_owner' });
    const hash = await storedHash(made.id);
    const { token } = await write(startSession, made.id, signedInBy('password'));
    expect(await write(upsertManagedUser, declared)).toMatchObject({ user: { id: made.id }, changed: false });
    expect(await storedHash(made.id)).toBe(hash);
    expect(await findSession(parts, token)).toBeDefined();
  });

  test('declared by the file are told of when they change, and only then', async () => {
    const heard: string[] = [];
    const ended = Promise.withResolvers<void>();
    const stop = storage.changes.subscribe('user', (key) => {
      if (key === 'end') ended.resolve();
      else heard.push(key);
    });
    const declared = { email: 'told@example.test', password: 'orbit-lantern', role: 'member' as const };
    const { id } = (await write(upsertManagedUser, declared)).user;
    await write(upsertManagedUser, declared);
    await write(upsertManagedUser, { ...declared, billingExempt: true });
    await storage.changes.publish(storage.db, 'user', 'end');
    await ended.promise;
    stop();
    expect(heard).toEqual([String(id), String(id)]);
  });

  test('declared by the file with another password or role are signed out', async () => {
    const declared = { email: 'changed@example.test', password: 'orbit-lantern', role: 'member' as const };
    const { id } = (await write(upsertManagedUser, declared)).user;
    const first = await write(startSession, id, signedInBy('password'));
    await write(upsertManagedUser, { ...declared, password: 'another-lantern' });
    expect(await verifyPassword('another-lantern', await storedHash(id))).toBe(true);
    expect(await findSession(parts, first.token)).toBeUndefined();
    const second = await write(startSession, id, signedInBy('password'));
    const promoted = { ...declared, password: 'another-lantern', role: 'org_admin' as const };
    expect((await write(upsertManagedUser, promoted)).user.role).toBe('org_admin');
    expect(await findSession(parts, second.token)).toBeUndefined();
  });

  test('declared by the file keep what it does not say: password, name, suspension', async () => {
    const made = await write(createUser, {
      email: 'kept@example.test',
      name: 'Kept',
      password: 'orbit-lantern',
      role: 'member',
      status: 'suspended',
    });
    const again = await write(upsertManagedUser, { email: 'kept@example.test', role: 'member' });
    expect(again).toEqual({ user: { ...made, managedBy: 'file' }, changed: true, isTakenOver: false });
    expect(await verifyPassword('orbit-lantern', await storedHash(made.id))).toBe(true);
  });

  test.each([
    ['unverified', 'active'],
    ['suspended', 'suspended'],
  ] as const)(
    'declared by the file are not whoever registered their address before: %s',
    async (status, then) => {
      const email = `taken-${status}@example.test`;
      const password = 'orbit-lantern';
      const stranger = await write(createUser, { email, name: 'Mallory', password, role: 'member', status });
      // They registered at the portal of an organisation.
      const { id: organisationId } = await write(createOrganisation, { name: 'Pelican' });
      const left = { emailVerifiedAt: null, organisationId };
      await storage.db.update(users).set(left).where(eq(users.id, stranger.id));
      const { token } = await write(startSession, stranger.id, signedInBy('password'));
      const declared = { email, role: 'platform_owner' as const };
      const { user } = await write(upsertManagedUser, declared);
      expect(user).toMatchObject({ id: stranger.id, name: '', status: then, hasPassword: false });
      expect(user.emailVerifiedAt).not.toBeNull();
      expect(user.organisationId).toBeNull();
      expect(await findSession(parts, token)).toBeUndefined();
      expect((await write(upsertManagedUser, declared)).changed).toBe(false);

      await storage.db.update(users).set({ emailVerifiedAt: null }).where(eq(users.id, stranger.id));
      const named = await write(upsertManagedUser, { ...declared, password, name: 'Ada' });
      expect(await verifyPassword(password, await storedHash(stranger.id))).toBe(true);
      expect(named.user.name).toBe('Ada');
    },
  );
});
