/** What becomes of a mail of an event when its contact, or the event, is another by the time it is sent. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { asc, eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Envelope, openEnvelope } from '../base/envelope.ts';
import { systemIds } from '../base/ids.ts';
import { onlyOf } from '../base/scope.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import type { AgreeingParts } from '../storage/agreed-time.ts';
import { raiseEvent } from '../storage/events.ts';
import { notificationContacts, notificationPreferences } from '../storage/schema/contacts.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { organisations, users } from '../storage/schema/identity.ts';
import { mailOutbox } from '../storage/schema/notifications.ts';
import type { Storage } from '../storage/storage.ts';
import { transact } from '../storage/work.ts';
import { spreadEvents } from './event-spreader.ts';
import { MailSender } from './mail-sender.ts';
import { Outbox } from './outbox.ts';
import { listSentMails } from './sent-mails.ts';

describeOnEachDatabase('a mail of an event', (openDatabase) => {
  let storage: Storage;
  let envelope: Envelope;
  let clock: ManualClock;
  let parts: AgreeingParts;
  let userId = 0;
  let made = 0;
  beforeAll(async () => {
    storage = await openDatabase();
    envelope = await openEnvelope('a secret of more than thirty-two characters');
  });
  afterAll(() => storage.close());
  beforeEach(async () => {
    clock = new ManualClock();
    parts = { storage, clock, ids: systemIds, databaseMs: async () => clock.nowMs() };
    made += 1;
    const email = `person-${made}@example.test`;
    const [row] = await storage.db.insert(users).values({ email, role: 'member' }).returning();
    userId = row?.id ?? 0;
    const facts = { balance_usd: '9.50', level_usd: '10.00' };
    await transact(parts, (work) =>
      raiseEvent(work, { kind: 'wallet.low', facts, audience: { of: 'account', id: userId } }),
    );
    while ((await spreadEvents(parts)) > 0);
  });
  afterEach(async () => {
    await storage.db.delete(notificationEvents);
  });

  /** Lets the sender try what is due, once. @returns to whom something went. */
  async function sendDue(): Promise<readonly string[]> {
    const sent: string[] = [];
    const mailer = {
      send: async ({ to }: { readonly to: string }) => void sent.push(to),
      check: async () => undefined,
      close: () => undefined,
      describe: () => 'nowhere',
    };
    const outbox = new Outbox({
      ...parts,
      envelope,
      service: { name: 'Sluice', url: 'https://sluice.test' },
    });
    const sender = new MailSender({ ...parts, outbox, mailer, changes: storage.changes, log: silentLog });
    const isDue = ({ tries, lastError, sentAt }: typeof mailOutbox.$inferSelect) =>
      tries === 0 || (lastError === null && sentAt === null);
    while ((await storage.db.select().from(mailOutbox)).some(isDue)) await clock.advance(0);
    await sender.close();
    return sent;
  }
  const rows = () => storage.db.select().from(mailOutbox).orderBy(asc(mailOutbox.id));
  const stopKind = (kind: string) =>
    storage.db
      .update(notificationPreferences)
      .set({ enabled: false })
      .where(eq(notificationPreferences.kind, kind));

  test('is not sent where its kind was stopped meanwhile, and nothing says that it was', async () => {
    await stopKind('out_of_money_soon');
    expect(await sendDue()).toEqual([]);
    expect((await listSentMails(onlyOf(userId), storage.db)).mails).toEqual([]);
  });

  test('is sent in the place of a contact that stopped its kind to another that has the address', async () => {
    const [main] = await storage.db
      .select()
      .from(notificationContacts)
      .where(eq(notificationContacts.userId, userId));
    const [other] = await storage.db
      .insert(notificationContacts)
      .values({ userId, email: main?.email.toUpperCase() ?? '' })
      .returning();
    await storage.db
      .update(notificationPreferences)
      .set({ enabled: false })
      .where(eq(notificationPreferences.contactId, main?.id ?? 0));
    expect(await sendDue()).toEqual([other?.email ?? '']);
    expect(await rows()).toMatchObject([{ contactId: other?.id }]);
  });

  test('is sent where another kind was stopped, to the address that its contact has now', async () => {
    await stopKind('payment');
    await storage.db
      .update(notificationContacts)
      .set({ email: 'right@example.test' })
      .where(eq(notificationContacts.userId, userId));
    expect(await sendDue()).toEqual(['right@example.test']);
    expect((await listSentMails(onlyOf(userId), storage.db)).mails).toMatchObject([
      { recipient: 'right@example.test', state: 'sent' },
    ]);
  });

  test('is not sent to who was one of those it is about when it was queued, and is none any more', async () => {
    await sendDue();
    const slug = `engines-${userId}-${storage.kind}`;
    const [organisation] = await storage.db
      .insert(organisations)
      .values({ name: 'Engines', slug })
      .returning();
    const organisationId = organisation?.id ?? 0;
    const set = (change: Partial<typeof users.$inferInsert>) =>
      storage.db.update(users).set(change).where(eq(users.id, userId));
    await set({ organisationId, role: 'org_admin', status: 'active' });
    const tell = async () => {
      const facts = { balance_usd: '9.50', level_usd: '10.00' };
      const audience = { of: 'organisation', id: organisationId } as const;
      await transact(parts, (work) => raiseEvent(work, { kind: 'wallet.low', facts, audience }));
      while ((await spreadEvents(parts)) > 0);
    };
    await tell();
    expect(await sendDue()).toHaveLength(1);
    for (const change of [{ status: 'suspended' }, { status: 'active', role: 'member' }] as const) {
      await set({ role: 'org_admin', status: 'active' });
      await tell();
      await set(change);
      expect(await sendDue()).toEqual([]);
    }
  });

  test('that can never be told is given up at its first try', async () => {
    const facts = { balance_usd: 'nothing', level_usd: '10.00' };
    await storage.db.update(notificationEvents).set({ facts });
    expect(await sendDue()).toEqual([]);
    expect(await rows()).toMatchObject([{ tries: 1, failedAt: new Date(clock.nowMs()) }]);
  });

  test('whose event this version cannot read is left to a newer one', async () => {
    await storage.db.update(notificationEvents).set({ kind: 'newer.kind' });
    expect(await sendDue()).toEqual([]);
    expect(await rows()).toMatchObject([{ tries: 1, failedTries: 1, failedAt: null }]);
  });
});
