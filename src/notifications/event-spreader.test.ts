/** From an event to the mails of those who want to know: to whom, in which language, once, and how they have it stopped. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { and, asc, eq, sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Envelope, openEnvelope } from '../base/envelope.ts';
import { systemIds } from '../base/ids.ts';
import { clockShowing, ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import type { AgreeingParts } from '../storage/agreed-time.ts';
import { type EventAudience, raiseEvent } from '../storage/events.ts';
import { notificationContacts, notificationPreferences } from '../storage/schema/contacts.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { departments, organisations, resellerHosts, users } from '../storage/schema/identity.ts';
import { mailOutbox } from '../storage/schema/notifications.ts';
import { webhookDeliveries, webhooks } from '../storage/schema/webhooks.ts';
import type { Storage } from '../storage/storage.ts';
import { transact } from '../storage/work.ts';
import { kindsWithoutEvent } from './event-kinds.ts';
import { EventSpreader, spreadEvents } from './event-spreader.ts';
import { MailSender } from './mail-sender.ts';
import type { Mailer, Message } from './mailer.ts';
import { Outbox } from './outbox.ts';
import { preferenceKinds } from './preference-kinds.ts';
import { mostMailsADay } from './told-contacts.ts';
import { readEvent } from './told-event.ts';
import { findSubscription, unsubscribe } from './unsubscribe.ts';

const service = { name: 'Sluice', url: 'https://sluice.test' };
const low = { balance_usd: '9.50', level_usd: '10.00' };

describeOnEachDatabase('events', (openDatabase) => {
  let storage: Storage;
  let envelope: Envelope;
  let clock: ManualClock;
  let parts: AgreeingParts;
  let made = 0;
  beforeAll(async () => {
    storage = await openDatabase();
    envelope = await openEnvelope('a secret of more than thirty-two characters');
  });
  afterAll(() => storage.close());
  beforeEach(() => {
    clock = new ManualClock();
    parts = { storage, clock, ids: systemIds, databaseMs: async () => clock.nowMs() };
  });
  afterEach(async () => {
    await storage.db.delete(notificationEvents);
  });

  async function newUser(fields: Partial<typeof users.$inferInsert> = {}): Promise<number> {
    made += 1;
    const email = `person-${made}@example.test`;
    const [row] = await storage.db
      .insert(users)
      .values({ email, role: 'member', ...fields })
      .returning();
    return row?.id ?? 0;
  }
  async function newOrganisation(): Promise<number> {
    made += 1;
    const [row] = await storage.db
      .insert(organisations)
      .values({ name: `House ${made}`, slug: `house-${made}` })
      .returning();
    return row?.id ?? 0;
  }
  const addContacts = (userId: number, ...emails: string[]) =>
    storage.db.insert(notificationContacts).values(emails.map((email) => ({ userId, email })));
  const raise = (audience: EventAudience, once?: string) =>
    transact(parts, (work) =>
      raiseEvent(work, {
        ...({ kind: 'wallet.low', facts: low, audience } as const),
        ...(once === undefined ? {} : { once }),
      }),
    );
  async function spreadAll(): Promise<void> {
    while ((await spreadEvents(parts)) > 0);
  }
  const recipients = async () =>
    (await storage.db.select().from(mailOutbox).orderBy(asc(mailOutbox.id))).map(
      ({ recipient }) => recipient,
    );

  test('reach every contact that wants the kind, in the contact’s language or the account’s, once', async () => {
    const userId = await newUser({ email: 'ada@example.test', language: 'de' });
    await addContacts(userId, 'books@example.test', 'quiet@example.test');
    await storage.db
      .update(notificationContacts)
      .set({ language: 'fr' })
      .where(eq(notificationContacts.email, 'books@example.test'));
    const [quiet] = await storage.db
      .select()
      .from(notificationContacts)
      .where(eq(notificationContacts.email, 'quiet@example.test'));
    await storage.db
      .update(notificationPreferences)
      .set({ enabled: false })
      .where(
        and(
          eq(notificationPreferences.contactId, quiet?.id ?? 0),
          eq(notificationPreferences.kind, 'out_of_money_soon'),
        ),
      );
    await newUser();
    expect(await raise({ of: 'account', id: userId }, 'one')).toBeNumber();
    expect(await raise({ of: 'account', id: userId }, 'one')).toBeUndefined();
    await Promise.all([spreadAll(), spreadAll()]);
    const mails = await storage.db.select().from(mailOutbox).orderBy(asc(mailOutbox.id));
    expect(mails).toMatchObject([
      { recipient: 'ada@example.test', language: 'de', kind: 'wallet.low', sealedContent: null },
      { recipient: 'books@example.test', language: 'fr' },
    ]);
    const sent = await send();
    expect(sent.map(({ subject }) => subject)).toEqual([
      'Ihr Guthaben geht zur Neige',
      'Votre solde devient bas',
    ]);
    expect(sent[0]?.text).toContain('9,50');
    expect(sent[0]?.text).toContain('ein Kontakt des Kontos ada@example.test');
  });

  async function send(count = 2): Promise<readonly Message[]> {
    const sent: Message[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const mailer: Mailer = {
      async send(message) {
        sent.push(message);
        if (sent.length === count) resolve();
      },
      check: async () => undefined,
      close: () => undefined,
      describe: () => 'nowhere',
    };
    const outbox = new Outbox({ ...parts, envelope, service });
    const sender = new MailSender({ ...parts, outbox, mailer, changes: storage.changes, log: silentLog });
    await promise;
    const closing = sender.close(60_000);
    await closing;
    return sent.sort((one, other) => (one.to < other.to ? -1 : 1));
  }

  test('of organisations reach their admins, of departments theirs too, of the platform those who run it', async () => {
    const organisationId = await newOrganisation();
    const other = await newOrganisation();
    const inside = { organisationId };
    await newUser({ ...inside, email: 'owner@org.test', role: 'org_owner' });
    await newUser({ ...inside, email: 'admin@org.test', role: 'org_admin' });
    await newUser({ ...inside, email: 'member@org.test' });
    await newUser({ organisationId: other, email: 'foreign@org.test', role: 'org_owner' });
    await newUser({ email: 'platform@house.test', role: 'platform_admin' });
    await raise({ of: 'organisation', id: organisationId });
    await spreadAll();
    expect(await recipients()).toEqual(['owner@org.test', 'admin@org.test']);
    await storage.db.delete(mailOutbox);
    await raise({ of: 'platform' });
    await spreadAll();
    expect(await recipients()).toEqual(['platform@house.test']);
  });

  test('that are not an account’s own reach no administrator who is suspended', async () => {
    const organisationId = await newOrganisation();
    const [department] = await storage.db
      .insert(departments)
      .values({ organisationId, name: 'Research' })
      .returning();
    const departmentId = department?.id ?? 0;
    const gone = { status: 'suspended', organisationId } as const;
    await newUser({ ...gone, role: 'org_owner' });
    await newUser({ ...gone, role: 'department_admin', departmentId });
    await newUser({ role: 'platform_admin', status: 'suspended' });
    await newUser({ organisationId, email: 'active@org.test', role: 'org_admin' });
    await raise({ of: 'organisation', id: organisationId });
    await raise({ of: 'department', id: departmentId });
    await raise({ of: 'platform' });
    await spreadAll();
    const told = new Set(await recipients());
    told.delete('platform@house.test');
    expect([...told]).toEqual(['active@org.test']);
  });

  test('are told an address once, however many contacts of the account have it', async () => {
    const userId = await newUser({ email: 'cannon@example.test' });
    await addContacts(userId, 'Cannon@Example.test', 'one@example.test', 'cannon@example.test');
    await addContacts(userId, ...Array.from({ length: 12 }, () => 'ONE@example.test'), 'last@example.test');
    await raise({ of: 'account', id: userId });
    while ((await spreadEvents(parts, 2)) > 0);
    expect(await recipients()).toEqual(['cannon@example.test', 'one@example.test', 'last@example.test']);
  });

  test('are told a contact 50 times within a day, the last of which says that more is in the account', async () => {
    const userId = await newUser();
    await storage.db.update(notificationPreferences).set({ enabled: false });
    await addContacts(userId, 'often@example.test');
    const tellTimes = async (times: number) => {
      for (let at = 0; at < times; at += 1) await raise({ of: 'account', id: userId });
      await spreadAll();
    };
    await tellTimes(mostMailsADay - 1);
    await clock.advance(60_000);
    await tellTimes(3);
    const rows = await storage.db.select().from(mailOutbox).orderBy(asc(mailOutbox.id));
    expect(rows).toHaveLength(mostMailsADay);
    expect(rows.filter(({ lastOfDay }) => lastOfDay)).toEqual(rows.slice(-1));
    const sent = await send(mostMailsADay);
    const says = sent.map(({ text, html }) =>
      [text, html].map((form) => form.includes('as many mails today')),
    );
    expect(says.filter(([text, html]) => text === true && html === true)).toHaveLength(1);
    await clock.advance(86_400_000 - 60_000);
    await tellTimes(1);
    expect(await recipients()).toHaveLength(mostMailsADay + 1);
  });

  test('that this version cannot read are left to a newer one for a day, and hold up no other', async () => {
    const userId = await newUser();
    const foreign = (at: number) => ({
      ...{ audience: 'account', audienceId: userId, dedupKey: `newer ${at}` },
      ...(at % 2 === 0 ? { kind: 'newer.kind', facts: {} } : { kind: 'wallet.low', facts: { newer: at } }),
      createdAt: new Date(clock.nowMs()),
    });
    await storage.db.insert(notificationEvents).values(Array.from({ length: 90 }, (_, at) => foreign(at)));
    await raise({ of: 'account', id: userId });
    const waiting = async () =>
      (await storage.db.select().from(notificationEvents)).filter(({ spreadAt }) => spreadAt === null).length;
    await spreadAll();
    expect(await recipients()).toHaveLength(1);
    expect(await waiting()).toBe(90);
    await clock.advance(86_400_000);
    await spreadAll();
    expect(await waiting()).toBe(90);
    await clock.advance(1);
    await spreadAll();
    expect(await waiting()).toBe(0);
    expect(await recipients()).toHaveLength(1);
  });

  test('reach nobody whose address was not shown to be theirs, and nobody who is gone', async () => {
    const unverified = await newUser({ status: 'unverified' });
    const gone = await newUser({ removedAt: new Date(clock.nowMs()) });
    const suspended = await newUser({ status: 'suspended', email: 'suspended@example.test' });
    for (const id of [unverified, gone, suspended]) await raise({ of: 'account', id });
    await spreadAll();
    expect(await recipients()).toEqual(['suspended@example.test']);
  });

  test('with more contacts than one turn takes reach all of them, once', async () => {
    const userId = await newUser();
    const emails = Array.from({ length: 14 }, (_, at) => `contact-${at}@example.test`);
    await addContacts(userId, ...emails);
    await raise({ of: 'account', id: userId });
    expect(await spreadEvents(parts, 10)).toBe(1);
    const [half] = await storage.db.select().from(notificationEvents);
    expect(half?.spreadAt).toBeNull();
    expect(await recipients()).toHaveLength(10);
    await spreadAll();
    const all = await recipients();
    expect(all).toHaveLength(15);
    expect(new Set(all).size).toBe(15);
  });

  test('of work that fails are told to nobody', async () => {
    const userId = await newUser();
    const failing = transact(parts, async (work) => {
      await raiseEvent(work, { kind: 'wallet.low', facts: low, audience: { of: 'account', id: userId } });
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    await spreadAll();
    expect(await recipients()).toEqual([]);
  });

  test('are spread by a loop as soon as they are committed', async () => {
    const userId = await newUser();
    const spreader = new EventSpreader({ ...parts, log: silentLog });
    await raise({ of: 'account', id: userId });
    while ((await recipients()).length === 0) await clock.advance(0);
    await spreader.close();
    expect(await recipients()).toHaveLength(1);
  });

  test('are told of at once, though the clock of the process that spreads them is ahead', async () => {
    const userId = await newUser();
    await storage.db
      .insert(webhooks)
      .values({ userId, name: 'on call', url: 'https://on.call', format: 'standard', sealedSecret: '' });
    await raise({ of: 'account', id: userId });
    const ahead = clockShowing(() => clock.nowMs() + 3_600_000);
    const spreader = new EventSpreader({ ...parts, clock: ahead, log: silentLog });
    while ((await recipients()).length === 0) await clock.advance(0);
    await spreader.close();
    const due = sql<boolean>`due_at <= ${new Date(clock.nowMs()).toISOString()}::timestamptz`;
    expect(await storage.db.select({ due }).from(mailOutbox)).toEqual([{ due: true }]);
    expect(await storage.db.select({ due }).from(webhookDeliveries)).toEqual([{ due: true }]);
  });

  test('carry a link that stops their kind alone, for that contact alone, and needs no sign-in', async () => {
    const userId = await newUser({ email: 'eve@example.test' });
    await raise({ of: 'account', id: userId });
    await spreadAll();
    const [mail] = await send(1);
    const link = mail?.stopLink ?? '';
    expect(link).toStartWith('https://sluice.test/unsubscribe?token=');
    expect(mail?.html).toContain(link);
    expect(mail?.text).toContain(link);
    const token = new URL(link).searchParams.get('token') ?? '';
    const subscription = await findSubscription(storage.db, envelope, token);
    expect(subscription).toMatchObject({ email: 'eve@example.test', kind: 'out_of_money_soon', isOn: true });
    if (subscription === undefined) throw new Error('There is no subscription.');
    for (const _ of [1, 2]) await transact(parts, (work) => unsubscribe(work, subscription));
    const off = await storage.db
      .select()
      .from(notificationPreferences)
      .where(and(eq(notificationPreferences.userId, userId), eq(notificationPreferences.enabled, false)));
    const offByDefault = preferenceKinds.filter(({ isOnByDefault }) => !isOnByDefault);
    expect(off).toHaveLength(offByDefault.length + 1);
    await raise({ of: 'account', id: userId });
    await storage.db.delete(mailOutbox);
    await spreadAll();
    expect(await recipients()).toEqual([]);
    // Of the last characters some bits are none of the token's.
    const altered = `${token.slice(0, 20)}${token[20] === 'A' ? 'B' : 'A'}${token.slice(21)}`;
    expect(await findSubscription(storage.db, envelope, altered)).toBeUndefined();
  });

  test('carry a link that stops their kind for the address, though several contacts have it', async () => {
    const userId = await newUser({ email: 'own@example.test' });
    await storage.db.delete(notificationPreferences).where(eq(notificationPreferences.userId, userId));
    await addContacts(userId, 'twice@example.test', 'Twice@example.test');
    await raise({ of: 'account', id: userId });
    await spreadAll();
    const mails = await send(1);
    const link = mails.find(({ to }) => to.toLowerCase().startsWith('twice'))?.stopLink ?? '';
    const token = new URL(link).searchParams.get('token') ?? '';
    const subscription = await findSubscription(storage.db, envelope, token);
    if (subscription === undefined) throw new Error('There is no subscription.');
    await transact(parts, (work) => unsubscribe(work, subscription));
    expect(await findSubscription(storage.db, envelope, token)).toMatchObject({ isOn: false });
    await storage.db.delete(mailOutbox);
    await raise({ of: 'account', id: userId });
    await spreadAll();
    expect(await recipients()).toEqual([]);
    expect(await findSubscription(storage.db, envelope, 'nothing')).toBeUndefined();
    const foreign = await envelope.seal(JSON.stringify({ kind: 'known browser', people: [userId] }));
    expect(await findSubscription(storage.db, envelope, foreign)).toBeUndefined();
  });

  test('carry a link that is of the address that they went to, whichever contact has it now', async () => {
    const userId = await newUser({ email: 'main@example.test' });
    await storage.db.delete(notificationPreferences).where(eq(notificationPreferences.userId, userId));
    await addContacts(userId, 'old@example.test', 'Old@example.test');
    const [one] = await storage.db
      .select()
      .from(notificationContacts)
      .where(eq(notificationContacts.email, 'old@example.test'));
    await raise({ of: 'account', id: userId });
    await spreadAll();
    const mails = await send(1);
    const link = mails.find(({ to }) => to.toLowerCase() === 'old@example.test')?.stopLink ?? '';
    const find = () => findSubscription(storage.db, envelope, new URL(link).searchParams.get('token') ?? '');
    // The contact moves to somebody else, whom the link is not of; another one still has the address.
    const ofOne = eq(notificationContacts.id, one?.id ?? 0);
    await storage.db.update(notificationContacts).set({ email: 'new@example.test' }).where(ofOne);
    expect((await find())?.email.toLowerCase()).toBe('old@example.test');
    await storage.db.delete(notificationContacts).where(ofOne);
    const subscription = await find();
    if (subscription === undefined) throw new Error('There is no subscription.');
    await transact(parts, (work) => unsubscribe(work, subscription));
    expect(await find()).toMatchObject({ isOn: false });
    await storage.db.delete(notificationContacts).where(eq(notificationContacts.id, subscription.contactId));
    expect(await find()).toBeUndefined();
  });

  test('of a reseller’s people speak in its name, and lead to its host', async () => {
    const organisationId = await newOrganisation();
    await storage.db
      .insert(resellerHosts)
      .values({ host: 'ai.reseller.test', name: 'Reseller AI', organisationId });
    const userId = await newUser({ organisationId });
    await raise({ of: 'account', id: userId });
    await spreadAll();
    const [mail] = await send(1);
    expect(mail?.text).toContain('https://ai.reseller.test/dashboard');
    expect(mail?.stopLink).toStartWith('https://ai.reseller.test/unsubscribe');
  });

  test('that are older than 90 days are removed with what they caused, and those that are newer stay', async () => {
    const userId = await newUser();
    await raise({ of: 'account', id: userId });
    await spreadAll();
    const dayMs = 86_400_000;
    await clock.advance(91 * dayMs);
    await raise({ of: 'account', id: userId });
    const spreader = new EventSpreader({ ...parts, log: silentLog });
    while ((await storage.db.select().from(notificationEvents)).length > 1) await clock.advance(0);
    await spreader.close();
    expect(await recipients()).toHaveLength(1);
  });

  test('are removed in time by a process whose clock was ahead and is set right', async () => {
    const dayMs = 86_400_000;
    let aheadMs = 365 * dayMs;
    const { monotonicMs, after, sleep } = clock;
    const wrong = { nowMs: () => clock.nowMs() + aheadMs, monotonicMs, after, sleep };
    await raise({ of: 'account', id: await newUser() });
    const count = () => storage.db.$count(notificationEvents);
    const spreader = new EventSpreader({ ...parts, clock: wrong, log: silentLog });
    while (clock.pendingTimers === 0) await clock.advance(0);
    expect(await count()).toBe(1);
    aheadMs = 0;
    await clock.advance(91 * dayMs);
    while ((await count()) > 0) await clock.advance(0);
    await spreader.close();
  });
});

test('every kind of preference is raised by an event, or said to have none', () => {
  const raised = sampleEvents.map(([kind, facts]) => readEvent({ kind, facts })?.preference);
  const known = new Set<string>([...raised.filter((one) => one != null), ...Object.keys(kindsWithoutEvent)]);
  expect([...known].sort()).toEqual(preferenceKinds.map(({ kind }): string => kind).sort());
});

test('facts that are not those of the kind are not told, nor is a kind of another version', () => {
  expect(readEvent({ kind: 'wallet.low', facts: { balance_usd: 3 } })).toBeUndefined();
  expect(readEvent({ kind: 'wallet.upside_down', facts: {} })).toBeUndefined();
});

const at = '2030-03-01T09:05:00.000Z';
const money = { amount_usd: '5.00', reference: '' };
const budget = {
  ...{ spent_usd: '1', limit_usd: '1', period: 'total', period_started_at: at },
  subject: { kind: 'key', id: 1, name: 'k' },
};
const sampleEvents: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['account.created', {}],
  ['wallet.low', low],
  ['wallet.very_low', low],
  ['budget.threshold', { ...budget, percent: 50 }],
  ['budget.threshold', { ...budget, percent: 100 }],
  ['key.expires_soon', { key_id: 1, name: 'k', days: 7, expires_at: at }],
  ['key.expires_soon', { key_id: 1, name: 'k', days: 1, expires_at: at }],
  ['key.expired', { key_id: 1, name: 'k', expires_at: at }],
  ['promotion.expires_soon', { name: 'p', remaining_usd: '1', expires_at: at }],
  ['promotion.expired', { name: 'p', expired_usd: '1' }],
  ['payment.received', money],
  ['payment.approved', money],
  ['payment.cancelled', money],
  ['provider.troubled', { provider: 'p', attempts: 20, failures: 19 }],
];
