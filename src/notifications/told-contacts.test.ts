/** How many mails somebody gets whose address an account names, whatever the account does; and that its owner gets all. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { and, eq, sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { openEnvelope } from '../base/envelope.ts';
import { systemIds } from '../base/ids.ts';
import { onlyOf } from '../base/scope.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import type { AgreeingParts } from '../storage/agreed-time.ts';
import { raiseEvent } from '../storage/events.ts';
import { auditEntries } from '../storage/schema/audit.ts';
import { notificationContacts } from '../storage/schema/contacts.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { users } from '../storage/schema/identity.ts';
import { mailOutbox, toldAddresses } from '../storage/schema/notifications.ts';
import type { Storage } from '../storage/storage.ts';
import { transact } from '../storage/work.ts';
import { changeContact, createContacts, removeContact } from './contacts.ts';
import { spreadEvents } from './event-spreader.ts';
import { Outbox } from './outbox.ts';
import { forgetTellings, mostMailsADay, mostMailsToOthersADay } from './told-contacts.ts';

const dayMs = 86_400_000;
/** As long as a mail that was claimed is nobody else's. */
const claimMs = 5 * 60_000;
const stranger = 'stranger@elsewhere.test';

describeOnEachDatabase('contacts that are told', (openDatabase) => {
  let storage: Storage;
  let parts: AgreeingParts;
  let clock: ManualClock;
  let userId: number;
  let own: string;
  let made = 0;
  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage.close());
  beforeEach(async () => {
    clock = new ManualClock();
    parts = { storage, clock, ids: systemIds, databaseMs: async () => clock.nowMs() };
    made += 1;
    own = `Own-${made}@example.test`;
    const [user] = await storage.db.insert(users).values({ email: own, role: 'member' }).returning();
    userId = user?.id ?? 0;
  });
  afterEach(async () => {
    await storage.db.delete(notificationEvents);
  });

  type Kind = 'wallet.low' | 'wallet.very_low';
  const raiseTimes = (times: number, kind: Kind = 'wallet.low') =>
    transact(parts, async (work) => {
      const facts = { balance_usd: '1', level_usd: '2' };
      for (let at = 0; at < times; at += 1) {
        await raiseEvent(work, { kind, facts, audience: { of: 'account', id: userId } });
      }
    });
  async function spreadAll(): Promise<void> {
    while ((await spreadEvents(parts)) > 0);
  }
  async function tellTimes(times: number, kind?: Kind) {
    await raiseTimes(times, kind);
    await spreadAll();
  }
  const add = async (email: string) => {
    const [contact] = await transact(parts, (work) => createContacts(onlyOf(userId), work, [{ email }]));
    return contact?.uuid ?? '';
  };
  const change = (uuid: string, email: string) =>
    transact(parts, (work) => changeContact(onlyOf(userId), work, { uuid, change: { email } }));
  const remove = (uuid: string) => transact(parts, (work) => removeContact(onlyOf(userId), work, uuid));
  /** What is begun comes to the contact before the work that removes it has ended; the embedded database does one after the other. */
  async function removeDuring<Result>(uuid: string, begin: () => Promise<Result>): Promise<Result> {
    const { begun } = await transact(parts, async (work) => {
      await removeContact(onlyOf(userId), work, uuid);
      const begun = begin();
      while (storage.kind === 'postgres' && (await countWaiting()) === 0);
      return { begun };
    });
    return await begun;
  }
  /** By another connection: in a work it stays as it was when it was first looked at. */
  async function countWaiting(): Promise<number> {
    const { rows } = await storage.db.execute(
      sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows.length;
  }
  const setTold = (uuid: string, kind: string, enabled: boolean) =>
    storage.db.execute(sql`UPDATE notification_preferences SET enabled = ${enabled} WHERE kind = ${kind}
      AND contact_id = (SELECT id FROM notification_contacts WHERE uuid = ${uuid}::uuid)`);
  const countOf = (recipient: string) => storage.db.$count(mailOutbox, eq(mailOutbox.recipient, recipient));
  /** They want to know nothing any more. */
  const stop = async (...uuids: readonly string[]) => {
    for (const uuid of uuids) {
      await storage.db.execute(sql`UPDATE notification_preferences SET enabled = false
        WHERE contact_id = (SELECT id FROM notification_contacts WHERE uuid = ${uuid}::uuid)`);
    }
  };
  const isLastOfDay = () => and(eq(mailOutbox.accountId, userId), eq(mailOutbox.lastOfDay, true));
  const isNote = () =>
    and(eq(auditEntries.userId, userId), eq(auditEntries.action, 'notification.held_back'));

  test('begin no new day by being removed and added again, nor by taking over an address', async () => {
    const first = await add(stranger);
    const second = await add('second@example.test');
    await tellTimes(mostMailsADay - 10);
    await change(first, 'first@example.test');
    await change(second, stranger.toUpperCase());
    await tellTimes(4);
    const before = (await countOf(stranger)) + (await countOf(stranger.toUpperCase()));
    expect(before).toBe(mostMailsADay - 6);
    await remove(second);
    await add(stranger);
    await tellTimes(20);
    // Mails of the contact that was removed went with it.
    expect(await countOf(stranger)).toBe(mostMailsADay - 10 + 6);
    await clock.advance(dayMs);
    await tellTimes(1);
    expect(await countOf(stranger)).toBe(mostMailsADay - 10 + 7);
  });

  async function openOutbox() {
    const envelope = await openEnvelope('a secret of thirty-two characters');
    return new Outbox({ ...parts, envelope, service: { name: 'Sluice', url: 'https://sluice.test' } });
  }
  /** What is claimed is sent: to whom, in order. */
  async function claimAll(atOnce = 7): Promise<readonly string[]> {
    const outbox = await openOutbox();
    const recipients: string[] = [];
    for (;;) {
      const claimed = await outbox.claim(atOnce);
      if (claimed.length === 0 && ((await outbox.nextDueMs()) ?? Infinity) > clock.nowMs()) return recipients;
      await outbox.settle(claimed.map((mail) => ({ mail, end: { end: 'sent' } })));
      recipients.push(...claimed.map(({ recipient }) => recipient).filter((to) => to !== own));
    }
  }

  test('that become one address while their mails wait are told of an event there once', async () => {
    const uuids = await Promise.all(['a', 'b', 'c'].map((name) => add(`${name}@elsewhere.test`)));
    await tellTimes(1);
    for (const [at, uuid] of uuids.entries())
      await change(uuid, at === 0 ? stranger : stranger.toUpperCase());
    expect((await claimAll()).map((to) => to.toLowerCase())).toEqual([stranger]);
    const [left] = await storage.db.select().from(mailOutbox).where(eq(mailOutbox.recipient, stranger));
    expect(left?.sentAt).not.toBeNull();
  });

  test('that moved are told no more at the new address than whoever had it', async () => {
    const before = await add(stranger);
    await tellTimes(mostMailsADay - 3);
    expect(await claimAll()).toHaveLength(mostMailsADay - 3);
    await remove(before);
    const mover = await add('mover@elsewhere.test');
    await tellTimes(5, 'wallet.very_low');
    await change(mover, stranger);
    expect(await claimAll()).toEqual([stranger, stranger, stranger]);
    const last = await storage.db.select().from(mailOutbox).where(isLastOfDay());
    expect(last).toMatchObject([{ recipient: stranger, kind: 'wallet.very_low' }]);
    expect(await storage.db.$count(auditEntries, isNote())).toBe(1);
  });

  test('that moved are counted at the new address by events that nobody there was told of', async () => {
    const before = await add(stranger);
    await tellTimes(mostMailsADay - 3);
    await claimAll();
    const movers = [await add('a@elsewhere.test'), await add('b@elsewhere.test')];
    await tellTimes(1);
    await stop(before);
    await tellTimes(1, 'wallet.very_low');
    await stop(...movers);
    const single = await add('single@elsewhere.test');
    await tellTimes(1);
    for (const uuid of [...movers, single]) await change(uuid, stranger);
    expect(await claimAll(20)).toEqual([stranger, stranger, stranger]);
    const last = await storage.db.select().from(mailOutbox).where(isLastOfDay());
    expect(last).toMatchObject([{ recipient: stranger, kind: 'wallet.low' }]);
    expect(await storage.db.$count(auditEntries, isNote())).toBe(0);
  });

  test('are tried again where only the case of their address has changed', async () => {
    const jane = await add('jane@elsewhere.test');
    await tellTimes(1);
    const outbox = await openOutbox();
    const isJane = ({ recipient }: { readonly recipient: string }) => /^jane@/i.test(recipient);
    const [first] = (await outbox.claim(7)).filter(isJane);
    await clock.advance(claimMs);
    await change(jane, 'Jane@Elsewhere.test');
    const again = (await outbox.claim(7)).filter(isJane);
    expect(again).toMatchObject([{ id: first?.id, recipient: 'Jane@Elsewhere.test', unknownTries: 1 }]);
    expect(await storage.db.$count(toldAddresses, eq(toldAddresses.userId, userId))).toBe(1);
  });

  test('that move leave their address to another that has it and wants to know, as often as they move', async () => {
    const team = [await add(stranger), await add(stranger), await add(stranger.toUpperCase())];
    const [mover = '', stopped = '', next = ''] = team;
    await tellTimes(1);
    await stop(stopped);
    await change(mover, 'moved@elsewhere.test');
    expect((await claimAll()).toSorted()).toEqual(
      [stranger.toUpperCase(), 'moved@elsewhere.test'].toSorted(),
    );
    expect(await storage.db.$count(toldAddresses, eq(toldAddresses.userId, userId))).toBe(2);
    await tellTimes(1, 'wallet.very_low');
    await change(next, 'next@elsewhere.test');
    await change(mover, stranger);
    expect((await claimAll()).toSorted()).toEqual(['next@elsewhere.test', stranger]);
  });

  test('that move when their mail may have arrived leave nothing to tell at the address that they had', async () => {
    const mover = await add(stranger);
    await add(stranger);
    await tellTimes(1);
    await (await openOutbox()).claim(7);
    await clock.advance(claimMs);
    await change(mover, 'moved@elsewhere.test');
    expect(await claimAll()).toEqual(['moved@elsewhere.test']);
  });

  test('that are removed leave what they were still to be told to another that has their address and wants to know', async () => {
    const team = [await add(stranger), await add(stranger), await add(stranger.toUpperCase())];
    const [first = '', stopped = '', last = ''] = team;
    await tellTimes(1);
    await stop(stopped);
    await remove(first);
    expect(await claimAll()).toEqual([stranger.toUpperCase()]);
    await tellTimes(1, 'wallet.very_low');
    await remove(last);
    expect(await claimAll()).toEqual([]);
    // The address has been told of as much as before, for how often it may be.
    expect(await storage.db.$count(toldAddresses, eq(toldAddresses.userId, userId))).toBe(2);
  });

  test('that are removed when their mail may have arrived leave nothing to tell', async () => {
    const first = await add(stranger);
    await add(stranger);
    await tellTimes(1);
    await (await openOutbox()).claim(7);
    await clock.advance(claimMs);
    await remove(first);
    expect(await claimAll()).toEqual([]);
  });

  test('that are removed while an event is spread are left out, and another with their address is told', async () => {
    const first = await add(stranger);
    await add(stranger.toUpperCase());
    await add('third@elsewhere.test');
    await raiseTimes(1);
    await removeDuring(first, spreadAll);
    expect((await claimAll()).toSorted()).toEqual([stranger.toUpperCase(), 'third@elsewhere.test']);
    expect(await storage.db.$count(toldAddresses, eq(toldAddresses.userId, userId))).toBe(2);
  });

  test('that are removed while they take over an address leave it to the next that has it', async () => {
    const mover = await add(stranger);
    const next = await add(stranger);
    await add(stranger.toUpperCase());
    await tellTimes(1);
    await change(mover, 'moved@elsewhere.test');
    expect(await removeDuring(next, claimAll)).toEqual(['moved@elsewhere.test', stranger.toUpperCase()]);
  });

  test('that are removed at once leave what both were to be told to the third with their address', async () => {
    const first = await add(stranger);
    const second = await add(stranger);
    await add(stranger.toUpperCase());
    await tellTimes(1);
    await setTold(first, 'out_of_money_very_soon', false);
    await tellTimes(1, 'wallet.very_low');
    await setTold(first, 'out_of_money_very_soon', true);
    const removed = await transact(parts, async ({ executor }) => {
      // Both come as far as the mails that their contacts wait for.
      await executor.select({ id: mailOutbox.id }).from(mailOutbox).for('update');
      const begun = Promise.all([remove(first), remove(second)]);
      while (storage.kind === 'postgres' && (await countWaiting()) < 2);
      return { begun };
    });
    expect((await removed.begun).map(({ uuid }) => uuid)).toEqual([first, second]);
    expect(await claimAll()).toEqual([stranger.toUpperCase(), stranger.toUpperCase()]);
  });

  test('that moved before anything was sent leave the address that they had as it was', async () => {
    const mover = await add(stranger);
    await tellTimes(1);
    await change(mover, 'new@elsewhere.test');
    expect(await claimAll()).toEqual(['new@elsewhere.test']);
    await tellTimes(2);
    await change(mover, stranger);
    expect(await claimAll()).toEqual([stranger, stranger]);
    const told = await storage.db.select().from(toldAddresses).where(eq(toldAddresses.userId, userId));
    expect(new Set(told.map(({ addressHash }) => addressHash)).size).toBe(2);
    expect(told).toHaveLength(3);
  });

  test('are told all of it where the address is the account’s own', async () => {
    await storage.db.insert(notificationContacts).values({ userId, email: own.toLowerCase() });
    await tellTimes(mostMailsADay + 5);
    await tellTimes(1, 'wallet.very_low');
    const mails = await storage.db
      .select()
      .from(mailOutbox)
      .where(eq(mailOutbox.accountId, userId))
      .orderBy(mailOutbox.id);
    expect(mails).toHaveLength(mostMailsADay + 6);
    expect(mails.filter(({ lastOfDay }) => lastOfDay)).toEqual([]);
    expect(mails.at(-1)?.kind).toBe('wallet.very_low');
    expect(await storage.db.$count(auditEntries, isNote())).toBe(0);
  });

  test('whose mails are held back are noted once a day in the activity of their account', async () => {
    await add(stranger);
    await add('other@elsewhere.test');
    await tellTimes(mostMailsADay);
    expect(await storage.db.$count(auditEntries, isNote())).toBe(0);
    await tellTimes(3);
    await tellTimes(3);
    const notes = await storage.db.select().from(auditEntries).where(isNote());
    expect(notes).toMatchObject([{ subjectKind: 'account', details: { kind: 'wallet.low' } }]);
    await clock.advance(dayMs);
    await tellTimes(mostMailsADay + 1);
    expect(await storage.db.$count(auditEntries, isNote())).toBe(2);
  });

  test('are told so much within a day and no more, however many an account has, but for its own address', async () => {
    const already = sql`(SELECT gen_random_uuid()::text)`;
    await storage.db.execute(sql`INSERT INTO ${toldAddresses} (user_id, address_hash, event_id, told_at)
      SELECT ${userId}, number || ${already}, -number, ${new Date(clock.nowMs()).toISOString()}::timestamptz
      FROM generate_series(1, ${mostMailsToOthersADay - 3}) AS number`);
    for (let at = 0; at < 5; at += 1) await add(`person-${at}@elsewhere.test`);
    await tellTimes(1);
    await tellTimes(1);
    const ofAccount = await storage.db
      .select({ recipient: mailOutbox.recipient })
      .from(mailOutbox)
      .where(eq(mailOutbox.accountId, userId));
    const others = ['person-0@elsewhere.test', 'person-1@elsewhere.test', 'person-2@elsewhere.test'];
    expect(ofAccount.map(({ recipient }) => recipient).toSorted()).toEqual([...others, own, own].toSorted());
    const notes = await storage.db.select().from(auditEntries).where(isNote());
    expect(notes).toMatchObject([{ details: { mails_a_day: mostMailsToOthersADay } }]);
    await clock.advance(dayMs);
    await tellTimes(1);
    expect(await countOf('person-4@elsewhere.test')).toBe(1);
  });

  test('are counted no longer than a day', async () => {
    await add(stranger);
    await tellTimes(2);
    await clock.advance(dayMs - 1);
    await tellTimes(1);
    const rows = () => storage.db.$count(toldAddresses, eq(toldAddresses.userId, userId));
    await forgetTellings(parts);
    expect(await rows()).toBe(3);
    await clock.advance(1);
    await forgetTellings(parts);
    expect(await rows()).toBe(1);
  });
});
