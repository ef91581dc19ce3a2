/** Preferences that are changed, and whose activity says so. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { and, asc, eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { systemIds } from '../base/ids.ts';
import { onlyOf } from '../base/scope.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { auditEntries } from '../storage/schema/audit.ts';
import { users } from '../storage/schema/identity.ts';
import type { Storage } from '../storage/storage.ts';
import { transact, type WorkParts } from '../storage/work.ts';
import { createContacts } from './contacts.ts';
import { changePreferences } from './preferences.ts';

describeOnEachDatabase('preferences that are changed', (openDatabase) => {
  let storage: Storage;
  let parts: WorkParts;
  let userId: number;
  let made = 0;
  beforeAll(async () => {
    storage = await openDatabase();
    parts = { storage, clock: new ManualClock(), ids: systemIds };
  });
  afterAll(() => storage.close());
  beforeEach(async () => {
    made += 1;
    const row = { email: `owner-${made}@example.test`, role: 'member' } as const;
    const [user] = await storage.db.insert(users).values(row).returning();
    userId = user?.id ?? 0;
  });

  async function addContacts(count: number): Promise<readonly string[]> {
    const fields = Array.from({ length: count }, (_, at) => ({ email: `contact-${at}@example.test` }));
    const contacts = await transact(parts, (work) => createContacts(onlyOf(userId), work, fields));
    return contacts.map(({ uuid }) => uuid);
  }
  /** Of each contact, as the table of the settings sends them: those that stay as they are, too. */
  const set = (enabledOf: ReadonlyMap<string, readonly [payment: boolean, newAccount: boolean]>) =>
    transact(parts, (work) =>
      changePreferences(
        onlyOf(userId),
        work,
        [...enabledOf].flatMap(([contact, [payment, newAccount]]) => [
          { contact, medium: 'email', kind: 'payment', enabled: payment },
          { contact, medium: 'email', kind: 'new_account', enabled: newAccount },
        ]),
      ),
    );
  const notes = () =>
    storage.db
      .select()
      .from(auditEntries)
      .where(and(eq(auditEntries.userId, userId), eq(auditEntries.action, 'contact.preferences_changed')))
      .orderBy(asc(auditEntries.sequence));

  test('are noted of those contacts alone of which something is another than before', async () => {
    const [first = '', second = '', third = ''] = await addContacts(3);
    await set(new Map([first, second, third].map((uuid) => [uuid, [false, false]])));
    const before = (await notes()).length;
    await set(
      new Map([
        [first, [false, false]],
        [second, [true, false]],
        [third, [true, true]],
      ]),
    );
    expect((await notes()).slice(before)).toMatchObject([
      { subjectKind: 'contact', subjectId: second, details: { preferences: 1 } },
      { subjectKind: 'contact', subjectId: third, details: { preferences: 2 } },
    ]);
    await set(new Map([[third, [true, true]]]));
    expect(await notes()).toHaveLength(before + 2);
  });

  test('of very many contacts are noted once, of the account', async () => {
    const uuids = await addContacts(60);
    await set(new Map(uuids.map((uuid) => [uuid, [false, false]])));
    const before = (await notes()).length;
    await set(new Map(uuids.map((uuid) => [uuid, [true, true]])));
    expect((await notes()).slice(before)).toMatchObject([
      { subjectKind: 'account', subjectId: String(userId), details: { preferences: 120, contacts: 60 } },
    ]);
  });
});
