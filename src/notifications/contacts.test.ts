/** Contacts of an account that goes while they are written. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { and, eq, ne } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { openEnvelope } from '../base/envelope.ts';
import { systemIds } from '../base/ids.ts';
import { onlyOf } from '../base/scope.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { untilSomebodyWaits } from '../identity/testing/until-somebody-waits.ts';
import { auditEntries } from '../storage/schema/audit.ts';
import { notificationContacts } from '../storage/schema/contacts.ts';
import { users } from '../storage/schema/identity.ts';
import type { Storage } from '../storage/storage.ts';
import { transact, type Work, type WorkParts } from '../storage/work.ts';
import { changeContact, createContacts, removeContact } from './contacts.ts';
import { forgetTold } from './forget-person.ts';
import { createWebhook, listWebhooks } from './webhooks.ts';

describeOnEachDatabase('contacts of an account that is removed', (openDatabase) => {
  let storage: Storage;
  let parts: WorkParts;
  let made = 0;
  beforeAll(async () => {
    storage = await openDatabase();
    parts = { storage, clock: new ManualClock(), ids: systemIds };
  });
  afterAll(() => storage.close());

  async function newAccount(): Promise<{ readonly userId: number; readonly email: string }> {
    made += 1;
    const email = `own-${made}@example.test`;
    const [user] = await storage.db.insert(users).values({ email, role: 'member' }).returning();
    return { userId: user?.id ?? 0, email };
  }
  /** What is begun comes to the account before the work that removes it has ended; the embedded database does one after the other. */
  async function removeDuring<Result>(
    { userId, email }: { readonly userId: number; readonly email: string },
    begin: () => Promise<Result>,
  ): Promise<Result> {
    const { begun } = await transact(parts, async (work) => {
      const { executor } = work;
      await executor.select().from(users).where(eq(users.id, userId)).for('update');
      await forgetTold(work, { id: userId, email });
      const gone = { email: `${userId}@removed.invalid`, removedAt: new Date(0) };
      await executor.update(users).set(gone).where(eq(users.id, userId));
      const begun = begin();
      begun.catch(() => undefined);
      if (storage.kind === 'postgres') await untilSomebodyWaits(storage.db);
      return { begun };
    });
    return await begun;
  }
  const contactsOf = (userId: number) =>
    storage.db.$count(notificationContacts, eq(notificationContacts.userId, userId));
  const notesOf = (userId: number) =>
    storage.db.$count(
      auditEntries,
      and(eq(auditEntries.userId, userId), ne(auditEntries.action, 'contact.created')),
    );

  test('are not made, whether it was removed before or is at that moment', async () => {
    const account = await newAccount();
    const { userId } = account;
    const make = () =>
      transact(parts, (work) => createContacts(onlyOf(userId), work, [{ email: 'team@example.test' }]));
    await make();
    expect(await contactsOf(userId)).toBe(2);
    await expect(removeDuring(account, make)).rejects.toMatchObject({ code: 'not_found' });
    await expect(make()).rejects.toMatchObject({ code: 'not_found' });
    expect(await contactsOf(userId)).toBe(0);
    const isMade = and(eq(auditEntries.userId, userId), eq(auditEntries.action, 'contact.created'));
    expect(await storage.db.$count(auditEntries, isMade)).toBe(1);
  });

  test('are as little made as its webhooks are', async () => {
    const account = await newAccount();
    const scope = onlyOf(account.userId);
    const envelope = await openEnvelope('a secret of thirty-two characters');
    const fields = { name: 'hook', url: new URL('https://example.com'), events: null, createdBy: null };
    const make = () =>
      transact(parts, (work) =>
        createWebhook(scope, work, { envelope }, { ...fields, format: 'standard', enabled: true }),
      );
    await expect(removeDuring(account, make)).rejects.toMatchObject({ code: 'not_found' });
    await expect(make()).rejects.toMatchObject({ code: 'not_found' });
    expect(await listWebhooks(scope, storage.db)).toEqual([]);
  });

  test('are neither changed nor removed, nor is anything of that noted', async () => {
    for (const write of [
      (scope: ReturnType<typeof onlyOf>, work: Work, uuid: string) =>
        changeContact(scope, work, { uuid, change: { name: 'Ada' } }),
      removeContact,
    ]) {
      const account = await newAccount();
      const scope = onlyOf(account.userId);
      const [contact] = await transact(parts, (work) =>
        createContacts(scope, work, [{ email: 'team@example.test' }]),
      );
      const uuid = contact?.uuid ?? '';
      const writing = () => transact(parts, (work) => write(scope, work, uuid));
      await expect(removeDuring(account, writing)).rejects.toMatchObject({ code: 'not_found' });
      expect([await contactsOf(account.userId), await notesOf(account.userId)]).toEqual([0, 0]);
    }
  });
});
