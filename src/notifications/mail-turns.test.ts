/** Which mails go first: one account that has thousands to tell holds up nobody. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { eq, sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { openEnvelope } from '../base/envelope.ts';
import { systemIds } from '../base/ids.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import type { AgreeingParts } from '../storage/agreed-time.ts';
import { raiseEvent } from '../storage/events.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { users } from '../storage/schema/identity.ts';
import { mailOutbox } from '../storage/schema/notifications.ts';
import type { Storage } from '../storage/storage.ts';
import { countScans } from '../storage/testing/count-scans.ts';
import { transact } from '../storage/work.ts';
import { spreadEvents } from './event-spreader.ts';
import { EventTurns } from './event-turns.ts';
import { MailTurns } from './mail-turns.ts';
import { type ClaimedMail, Outbox } from './outbox.ts';

const service = { name: 'Sluice', url: 'https://sluice.test' };

describeOnEachDatabase('whose turn it is to be sent mails of events', (openDatabase) => {
  let storage: Storage;
  let parts: AgreeingParts;
  let outbox: Outbox;
  const clock = new ManualClock();
  let made = 0;
  beforeAll(async () => {
    storage = await openDatabase();
    parts = { storage, clock, ids: systemIds, databaseMs: async () => clock.nowMs() };
  });
  beforeEach(async () => {
    await storage.db.delete(notificationEvents);
    outbox = new Outbox({
      ...{ ...parts, service },
      envelope: await openEnvelope('a secret of more than thirty-two characters'),
    });
  });
  afterAll(() => storage.close());

  /** An account with so many contacts, and an event that they are to be told of. */
  async function newRaised(contacts: number): Promise<number> {
    made += 1;
    const [user] = await storage.db
      .insert(users)
      .values({ email: `told-${made}@example.test`, role: 'member' })
      .returning();
    const id = user?.id ?? 0;
    await storage.db.execute(sql`
      INSERT INTO notification_contacts (user_id, email)
      SELECT ${id}, 'c' || place || ${`@told-${made}.test`}::text FROM generate_series(2, ${contacts}::int) AS place`);
    await transact(parts, (work) =>
      raiseEvent(work, {
        ...{ kind: 'wallet.low', facts: { balance_usd: '9.50', level_usd: '10.00' } },
        audience: { of: 'account', id },
      }),
    );
    return id;
  }
  /** The same, whose mails wait. */
  async function newTold(contacts: number): Promise<number> {
    const id = await newRaised(contacts);
    while ((await spreadEvents(parts)) > 0);
    await clock.advance(1000);
    return id;
  }
  const accountsOf = (mails: readonly ClaimedMail[]) => mails.map(({ accountId }) => accountId);
  const claimOne = async () => accountsOf(await outbox.claim(1))[0];

  test('goes round the accounts that wait, and begins anew behind the last', async () => {
    const busy = await newTold(40);
    const [one, other] = [await newTold(2), await newTold(1)];
    const turns = [];
    for (let at = 0; at < 7; at += 1) turns.push(await claimOne());
    expect(turns).toEqual([busy, one, other, busy, one, busy, busy]);
    const late = await newTold(1);
    expect(await claimOne()).toBe(late);
    expect(accountsOf(await outbox.claim(10))).toEqual(Array(10).fill(busy));
  });

  test('is soon, though an account before it has more contacts and events than a turn takes', async () => {
    const busy = await newRaised(35);
    await transact(parts, async (work) => {
      for (let times = 0; times < 2; times += 1) {
        await raiseEvent(work, {
          ...{ kind: 'wallet.low', facts: { balance_usd: '9.50', level_usd: '10.00' } },
          audience: { of: 'account', id: busy },
        });
      }
    });
    const late = await newRaised(2);
    const mailsOf = (account: number) => storage.db.$count(mailOutbox, eq(mailOutbox.accountId, account));
    const turns = new EventTurns();
    const inTurns = [];
    for (let times = 0; times < 3; times += 1) {
      await spreadEvents(parts, 10, turns);
      inTurns.push([await mailsOf(busy), await mailsOf(late)]);
    }
    expect(inTurns).toEqual([
      [10, 0],
      [20, 2],
      [30, 2],
    ]);
    while ((await spreadEvents(parts, 10)) > 0);
    expect(await mailsOf(busy)).toBe(35 * 3);
  });

  test('is found among many that wait for a later try without a look at each of those', async () => {
    const late = await newTold(1);
    await storage.db.execute(sql`
      INSERT INTO users (email, role) SELECT 'later-' || place || '@example.test', 'member' FROM generate_series(1, 300) AS place`);
    const later = new Date(clock.nowMs() + 1000).toISOString();
    await storage.db.execute(sql`
      INSERT INTO mail_outbox (message_id, recipient, language, kind, event_id, contact_id, account_id, due_at, created_at)
      SELECT gen_random_uuid(), contact.email, mail.language, mail.kind, mail.event_id, contact.id, contact.user_id,
        ${later}::timestamptz, mail.created_at
      FROM mail_outbox AS mail, notification_contacts AS contact
      WHERE mail.account_id = ${late}::bigint AND contact.email LIKE 'later-%'`);
    await storage.db.execute(sql`ANALYZE mail_outbox`);
    const [found, looks] = await transact(parts, async (work) => {
      const before = await countScans(work.executor, 'mail_outbox');
      const chosen = await new MailTurns().choose(work.executor, { now: new Date(clock.nowMs()), count: 5 });
      return [chosen, (await countScans(work.executor, 'mail_outbox')) - before] as const;
    });
    expect(found).toHaveLength(1);
    expect(looks).toBeLessThan(20);
  });

  test('is found in an index, and what follows in the transaction is planned as it was before', async () => {
    await newTold(2);
    const usual = { enable_sort: 'on', enable_incremental_sort: 'off' };
    const settings = await transact(parts, async (work) => {
      await work.executor.execute(sql`SET LOCAL enable_incremental_sort = off`);
      expect(
        await new MailTurns().choose(work.executor, { now: new Date(clock.nowMs()), count: 5 }),
      ).toHaveLength(2);
      return await work.executor.execute(sql`SELECT current_setting('enable_sort') AS enable_sort,
        current_setting('enable_incremental_sort') AS enable_incremental_sort`);
    });
    expect(settings.rows).toEqual([usual]);
  });

  test('is every account’s in turn, though more is due than is looked at before', async () => {
    const busy = await newTold(1);
    await storage.db.execute(sql`
      INSERT INTO notification_contacts (user_id, email)
      SELECT ${busy}::bigint, 'more-' || place || '@example.test' FROM generate_series(1, 2100) AS place`);
    await storage.db.execute(sql`
      INSERT INTO mail_outbox (message_id, recipient, language, kind, event_id, contact_id, account_id, due_at, created_at)
      SELECT gen_random_uuid(), contact.email, mail.language, mail.kind, mail.event_id, contact.id, mail.account_id,
        mail.due_at, mail.created_at
      FROM mail_outbox AS mail, notification_contacts AS contact
      WHERE mail.account_id = ${busy}::bigint AND contact.email LIKE 'more-%'`);
    const one = await newTold(2);
    const turns = [];
    for (let at = 0; at < 5; at += 1) turns.push(await claimOne());
    expect(turns).toEqual([busy, one, busy, one, busy]);
  });

  test('is every account’s once, also where there are more places than mails, and nobody’s before its time', async () => {
    const [one, other] = [await newTold(3), await newTold(2)];
    expect(accountsOf(await outbox.claim(4)).toSorted()).toEqual([one, one, one, other].toSorted());
    expect(accountsOf(await outbox.claim(4))).toEqual([other]);
    expect(await outbox.claim(4)).toEqual([]);
    await clock.advance(5 * 60_000);
    expect(await outbox.claim(9)).toHaveLength(5);
  });
});
