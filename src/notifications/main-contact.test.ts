import { afterAll, beforeAll, expect, test } from 'bun:test';
import { and, asc, eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import {
  notificationContacts,
  notificationKinds,
  notificationPreferences,
} from '../storage/schema/contacts.ts';
import { users } from '../storage/schema/identity.ts';
import type { Storage } from '../storage/storage.ts';
import { preferenceKinds } from './preference-kinds.ts';

describeOnEachDatabase('the main contact', (openDatabase) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage.close());

  async function newUser(email: string, name = ''): Promise<number> {
    const [row] = await storage.db.insert(users).values({ email, name, role: 'member' }).returning();
    return row?.id ?? 0;
  }
  const contactsOf = (userId: number) =>
    storage.db
      .select()
      .from(notificationContacts)
      .where(eq(notificationContacts.userId, userId))
      .orderBy(asc(notificationContacts.id));

  test('is there with the account, however its row is written, and has a preference of every kind', async () => {
    const userId = await newUser('first@example.test', 'First');
    const contacts = await contactsOf(userId);
    expect(contacts).toMatchObject([
      { email: 'first@example.test', name: 'First', phone: '', main: true, language: null },
    ]);
    expect(contacts[0]?.uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    const preferences = await storage.db
      .select()
      .from(notificationPreferences)
      .where(eq(notificationPreferences.userId, userId));
    expect(preferences).toHaveLength(22);
    const enabledByKind = new Map(preferences.map(({ kind, enabled }) => [kind, enabled]));
    for (const { kind, isOnByDefault } of preferenceKinds)
      expect(enabledByKind.get(kind), kind).toBe(isOnByDefault);
  });

  test('follows the address of the account, and its name until it has one of its own', async () => {
    const userId = await newUser('old@example.test', 'Old');
    await storage.db.insert(notificationContacts).values({ userId, email: 'old@example.test', name: 'Old' });
    const change = (values: Partial<typeof users.$inferInsert>) =>
      storage.db.update(users).set(values).where(eq(users.id, userId));
    await change({ email: 'new@example.test' });
    await change({ name: 'New' });
    expect(await contactsOf(userId)).toMatchObject([
      { email: 'new@example.test', name: 'New', main: true },
      { email: 'old@example.test', name: 'Old', main: false },
    ]);
    const isMain = and(eq(notificationContacts.userId, userId), eq(notificationContacts.main, true));
    await storage.db
      .update(notificationContacts)
      .set({ email: 'desk@example.test', name: 'Desk' })
      .where(isMain);
    await change({ name: 'Newer' });
    expect((await contactsOf(userId))[0]).toMatchObject({ email: 'desk@example.test', name: 'Desk' });
    await change({ email: 'newest@example.test' });
    expect((await contactsOf(userId))[0]).toMatchObject({ email: 'newest@example.test', name: 'Desk' });
  });

  test('is one an account', async () => {
    const userId = await newUser('one@example.test');
    const second = storage.db
      .insert(notificationContacts)
      .values({ userId, email: 'one@example.test', main: true });
    // A query that is thenable, not a promise.
    expect(await second.then(() => 'written').catch(() => 'refused')).toBe('refused');
  });

  test('and its preferences go with the row of the account', async () => {
    const userId = await newUser('going@example.test');
    await storage.db.delete(users).where(eq(users.id, userId));
    expect(await contactsOf(userId)).toEqual([]);
    const left = await storage.db
      .select()
      .from(notificationPreferences)
      .where(eq(notificationPreferences.userId, userId));
    expect(left).toEqual([]);
  });

  test('the kinds of the database are those of the table in the code', async () => {
    const kinds = await storage.db.select().from(notificationKinds);
    const written = preferenceKinds.map(({ kind, isOnByDefault }) => ({ kind, onByDefault: isOnByDefault }));
    expect(kinds.sort((one, other) => one.kind.localeCompare(other.kind))).toEqual(
      written.sort((one, other) => one.kind.localeCompare(other.kind)),
    );
  });
});
