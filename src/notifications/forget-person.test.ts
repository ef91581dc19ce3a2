/** What is still told of an account that goes, and to whom. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, writerOn } from '../../test/support/writing.ts';
import { systemIds } from '../base/ids.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { raiseEvent } from '../storage/events.ts';
import { notificationContacts } from '../storage/schema/contacts.ts';
import { users } from '../storage/schema/identity.ts';
import { mailOutbox } from '../storage/schema/notifications.ts';
import type { Storage } from '../storage/storage.ts';
import { forgetTold } from './forget-person.ts';

describeOnEachDatabase('forgetting a person', (openDatabase) => {
  let storage: Storage;
  let write: Write;
  let people = 0;
  const nowMs = Date.UTC(2031, 0, 1);
  beforeAll(async () => {
    storage = await openDatabase();
    write = writerOn({ storage, clock: clockShowing(() => nowMs), ids: systemIds });
  });
  afterAll(() => storage.close());

  async function person(): Promise<{ readonly id: number; readonly email: string }> {
    people += 1;
    const email = `p${people}@example.test`;
    const [row] = await storage.db.insert(users).values({ email, role: 'member' }).returning();
    return { id: row?.id ?? 0, email };
  }
  const forget = (gone: Awaited<ReturnType<typeof person>>) => write(forgetTold, gone);

  test('takes along what was still to be mailed to the person, and not what others have sent to their address', async () => {
    const [user, other] = [await person(), await person()];
    const theirs = { userId: other.id, email: user.email };
    const [contact] = await storage.db.insert(notificationContacts).values(theirs).returning();
    const [own] = await storage.db
      .select()
      .from(notificationContacts)
      .where(eq(notificationContacts.userId, user.id));
    const eventOf = ({ id }: { readonly id: number }) =>
      write(raiseEvent, { kind: 'account.created', facts: {}, audience: { of: 'account', id } });
    const mail = (kind: string) => ({
      ...{ recipient: user.email, messageId: systemIds.requestId(), language: 'en', kind },
      ...{ dueAt: new Date(nowMs), createdAt: new Date(nowMs) },
    });
    await storage.db.insert(mailOutbox).values([
      { ...mail('reset_password'), sealedContent: 'sealed' },
      { ...mail('own event'), eventId: await eventOf(user), contactId: own?.id, accountId: user.id },
      { ...mail('of another'), eventId: await eventOf(other), contactId: contact?.id, accountId: other.id },
    ]);
    await forget(user);
    const left = await storage.db.select().from(mailOutbox).where(eq(mailOutbox.recipient, user.email));
    expect(left.map(({ kind }) => kind)).toEqual(['of another']);
  });

  test('still tells the address before of its change, which no more belongs to the account', async () => {
    const user = await person();
    const mail = (kind: string, recipient: string) => ({
      ...{ recipient, messageId: systemIds.requestId(), language: 'en', kind, accountId: user.id },
      ...{ dueAt: new Date(nowMs), createdAt: new Date(nowMs) },
    });
    await storage.db
      .insert(mailOutbox)
      .values([
        mail('address_changed', 'before@example.test'),
        mail('password_changed', 'before@example.test'),
        mail('address_changed', user.email),
      ]);
    await forget(user);
    const left = await storage.db.select().from(mailOutbox);
    const ofThese = left.filter(({ recipient }) => ['before@example.test', user.email].includes(recipient));
    expect(ofThese).toMatchObject([
      { kind: 'address_changed', recipient: 'before@example.test', accountId: null },
    ]);
  });
});
