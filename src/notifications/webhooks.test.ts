/** Webhooks as their owners change them, and whose turn it is: addresses that nobody knows, what ends, and who waits. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { asc, eq, sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Envelope, openEnvelope } from '../base/envelope.ts';
import { systemIds } from '../base/ids.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import type { AgreeingParts } from '../storage/agreed-time.ts';
import { type EventAudience, raiseEvent } from '../storage/events.ts';
import { auditEntries } from '../storage/schema/audit.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { organisations, users } from '../storage/schema/identity.ts';
import { webhookDeliveries, webhooks } from '../storage/schema/webhooks.ts';
import type { Storage } from '../storage/storage.ts';
import { countRowsRead, countScans } from '../storage/testing/count-scans.ts';
import { transact, type Work } from '../storage/work.ts';
import { spreadEvents } from './event-spreader.ts';
import { settleDelivery } from './webhook-deliveries.ts';
import { listDeliveries, redeliver, tryWebhook } from './webhook-history.ts';
import { WebhookSender } from './webhook-sender.ts';
import { WebhookTurns } from './webhook-turns.ts';
import { changeWebhook, checkWebhook, createWebhook, findWebhook } from './webhooks.ts';

const network = {
  isPrivateAllowed: true,
  resolve: async () => [{ address: '127.0.0.1', family: 4 as const }],
};
const usual = {
  ...{ name: 'on call', url: 'http://receiver.test/hook', events: null, enabled: true },
  format: 'standard',
} as const;
/** More than are looked at before the webhooks are gone round. */
const many = 2100;

test('whose name nobody answers for in time lead to a host that cannot be found', async () => {
  const clock = new ManualClock();
  const silent = { isPrivateAllowed: false, resolve: () => new Promise<never>(() => undefined) };
  const checking = checkWebhook({ ...usual, url: 'https://slow.test/' }, { clock, network: silent });
  const refused = checking.catch((error: unknown) => error);
  await clock.advance(5000);
  expect(await refused).toMatchObject({ code: 'validation_failed', fields: [{ type: 'unknown_host' }] });
  expect(clock.pendingTimers).toBe(0);
});

describeOnEachDatabase('webhooks and their owners', (openDatabase) => {
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
    await storage.db.delete(webhooks);
    await storage.db.delete(notificationEvents);
  });

  const write = <Result>(run: (work: Work) => Promise<Result>) => transact(parts, run);
  async function newOwner() {
    made += 1;
    const [row] = await storage.db
      .insert(users)
      .values({ email: `owner-${made}@example.test`, role: 'member' })
      .returning();
    const userId = row?.id ?? 0;
    const scope = { whose: 'person', userId } as const;
    const fields = await checkWebhook(usual, { clock, network });
    const { webhook } = await write((work) =>
      createWebhook(scope, work, { envelope }, { ...fields, createdBy: null }),
    );
    const { id } = webhook;
    const change = (changed: Partial<typeof fields>) =>
      write((work) => changeWebhook(scope, work, { id, ...fields, ...changed }));
    return { userId, scope, id, change };
  }
  async function tell(audience: EventAudience): Promise<void> {
    const facts = { balance_usd: '9.50', level_usd: '10.00' };
    await write((work) => raiseEvent(work, { kind: 'wallet.low', facts, audience }));
    while ((await spreadEvents(parts)) > 0);
  }
  async function isSomebodyWaiting(): Promise<boolean> {
    const { rows } = await storage.db.execute(
      sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  }
  const deliveriesOf = (webhookId: number) =>
    storage.db
      .select()
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.webhookId, webhookId))
      .orderBy(asc(webhookDeliveries.id));

  test('that are switched off are sent nothing that waits, which can be sent again from the history', async () => {
    const { userId, scope, id, change } = await newOwner();
    const other = await newOwner();
    await tell({ of: 'account', id: userId });
    await tell({ of: 'account', id: other.userId });
    await change({ enabled: false });
    const claimed = await new WebhookTurns(parts).claim(10);
    expect(claimed.map(({ webhook }) => webhook.id)).toEqual([other.id]);
    const { deliveries } = await listDeliveries(scope, storage.db, { id });
    expect(deliveries).toMatchObject([{ state: 'failed', dueAt: null }]);
    await change({ enabled: true });
    await write((work) => redeliver(scope, work, { id, deliveryId: deliveries[0]?.id ?? 0 }));
    expect(await new WebhookTurns(parts).claim(10)).toHaveLength(1);
  });

  test.each([503, 410])(
    'that are switched off are tried once by hand, and not paused for a %i',
    async (status) => {
      const { userId, scope, id, change } = await newOwner();
      await tell({ of: 'account', id: userId });
      await change({ enabled: false });
      await write((work) => tryWebhook(scope, work, id));
      const { deliveries } = await listDeliveries(scope, storage.db, { id });
      await write((work) => redeliver(scope, work, { id, deliveryId: deliveries.at(-1)?.id ?? 0 }));
      const claimed = await new WebhookTurns(parts).claim(10);
      expect(claimed.map(({ event }) => event.kind).sort()).toEqual(['wallet.low', 'webhook.test']);
      for (const delivery of claimed) {
        await settleDelivery(parts, delivery, {
          status,
          durationMs: 1,
          error: `answered with status ${status}`,
        });
      }
      const after = await listDeliveries(scope, storage.db, { id });
      expect(after.deliveries).toMatchObject([
        { state: 'failed', tries: 1, dueAt: null },
        { state: 'failed', tries: 1, dueAt: null },
      ]);
      const webhook = await findWebhook(scope, storage.db, id);
      expect(webhook).toMatchObject({ enabled: false, pausedAt: null, failures: 0 });
    },
  );

  test('that are switched on begin anew, and those that are only renamed keep their failures', async () => {
    const { scope, id, change } = await newOwner();
    const then = new Date(clock.nowMs());
    const failing = (fields: object) =>
      storage.db
        .update(webhooks)
        .set({ failures: 4, failingSince: then, ...fields })
        .where(eq(webhooks.id, id));
    const read = async () => {
      const [row] = await storage.db.select().from(webhooks).where(eq(webhooks.id, id));
      return [row?.pausedAt, row?.failures, row?.failingSince];
    };
    for (const before of [{ enabled: false }, { pausedAt: then }, { enabled: false, pausedAt: then }]) {
      await failing({ enabled: true, pausedAt: null, ...before });
      await change({ enabled: true });
      expect(await read()).toEqual([null, 0, null]);
    }
    await failing({ enabled: true });
    expect(await change({ name: 'renamed' })).toMatchObject({ name: 'renamed', failures: 4 });
    expect((await read())[2]).toEqual(then);
    await failing({ pausedAt: then });
    await change({ enabled: false });
    expect((await findWebhook(scope, storage.db, id)).pausedAt).toEqual(then);
  });

  test('that are paused at the moment when something is to be told of are not sent it', async () => {
    const { userId, scope, id } = await newOwner();
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const pausing = write(async ({ executor }) => {
      await executor.update(webhooks).set({ pausedAt: new Date() }).where(eq(webhooks.id, id));
      begun.resolve();
      await gate.promise;
    });
    await begun.promise;
    let isTold = false;
    const telling = tell({ of: 'account', id: userId }).then(() => {
      isTold = true;
    });
    // With one connection the second waits for it; with several, for the webhook.
    while (!isTold && storage.kind === 'postgres' && !(await isSomebodyWaiting()));
    gate.resolve();
    await Promise.all([pausing, telling]);
    const { deliveries } = await listDeliveries(scope, storage.db, { id });
    expect(deliveries).toMatchObject([{ state: 'failed', tries: 0 }]);
  });

  test('that a try reaches after they were paused have it among what arrived', async () => {
    const { userId, scope, id } = await newOwner();
    for (let times = 0; times < 2; times += 1) await tell({ of: 'account', id: userId });
    const [first, second] = await new WebhookTurns(parts).claim(2);
    if (first === undefined || second === undefined) throw new Error('two waited');
    await settleDelivery(parts, first, { status: 410, durationMs: 1, error: 'answered with status 410' });
    expect((await findWebhook(scope, storage.db, id)).pausedAt).toBeInstanceOf(Date);
    await settleDelivery(parts, second, { status: 204, durationMs: 1, error: null });
    const states = async () =>
      (await listDeliveries(scope, storage.db, { id })).deliveries.map(({ state }) => state);
    expect(await states()).toEqual(['delivered', 'failed']);
    expect((await findWebhook(scope, storage.db, id)).pausedAt).toBeInstanceOf(Date);
    // Asked for anew, it is not over because an earlier try of it ends late.
    await write((work) => redeliver(scope, work, { id, deliveryId: first.id }));
    const before = await findWebhook(scope, storage.db, id);
    await settleDelivery(parts, { ...first, tries: 8 }, { status: null, durationMs: 1, error: 'late' });
    expect(await states()).toEqual(['delivered', 'waiting']);
    expect(await findWebhook(scope, storage.db, id)).toMatchObject({ failures: before.failures });
    const noted = await storage.db.select().from(auditEntries).where(eq(auditEntries.userId, userId));
    expect(noted.map(({ action }) => action)).not.toContain('webhook.given_up');
  });

  /** Turns whose claims say how much they took of the table. */
  function countingTurns(count: typeof countScans) {
    const looks: number[] = [];
    const transaction: typeof storage.db.transaction = (run) =>
      storage.db.transaction(async (executor) => {
        const before = await count(executor, 'webhook_deliveries');
        const result = await run(executor);
        looks.push((await count(executor, 'webhook_deliveries')) - before);
        return result;
      });
    const db: typeof storage.db = Object.assign(Object.create(storage.db), { transaction });
    const turns = new WebhookTurns({ ...parts, storage: { db, changes: storage.changes } });
    return { turns, looks };
  }

  test('of who has joined an organisation are told no more', async () => {
    const { userId, id } = await newOwner();
    await tell({ of: 'account', id: userId });
    const [organisation] = await storage.db
      .insert(organisations)
      .values({ name: 'Engines', slug: `engines-${made}` })
      .returning();
    await storage.db.update(users).set({ organisationId: organisation?.id }).where(eq(users.id, userId));
    await tell({ of: 'account', id: userId });
    expect(await deliveriesOf(id)).toHaveLength(1);
    await storage.db.update(users).set({ organisationId: null }).where(eq(users.id, userId));
    await tell({ of: 'account', id: userId });
    expect(await deliveriesOf(id)).toHaveLength(2);
  });

  test('that are a test are tried once, also when it is sent again', async () => {
    const { scope, id } = await newOwner();
    await write((work) => tryWebhook(scope, work, id));
    for (let times = 0; times < 2; times += 1) {
      const [claimed, ...others] = await new WebhookTurns(parts).claim(10);
      if (claimed === undefined) throw new Error('It was not due.');
      expect(others).toEqual([]);
      await settleDelivery(parts, claimed, { status: 503, durationMs: 1, error: 'answered with status 503' });
      const { deliveries } = await listDeliveries(scope, storage.db, { id });
      expect(deliveries).toMatchObject([{ kind: 'webhook.test', state: 'failed', tries: 1, dueAt: null }]);
      await write((work) => redeliver(scope, work, { id, deliveryId: claimed.id }));
    }
  });

  test('come to their turn though another has more that is due than a turn looks at', async () => {
    const busy = await newOwner();
    const calm = await newOwner();
    await write((work) => tryWebhook(busy.scope, work, busy.id));
    const dueAt = sql`${new Date(clock.nowMs() - 1000).toISOString()}::timestamptz`;
    await storage.db.execute(sql`
      WITH event AS (
        INSERT INTO notification_events (kind, dedup_key, audience, audience_id, facts, created_at, spread_at)
        SELECT 'webhook.test', 'busy ' || place, 'account', ${busy.userId}::bigint, '{}', ${dueAt}, ${dueAt}
        FROM generate_series(1, ${many}::int) AS place RETURNING id)
      INSERT INTO webhook_deliveries (webhook_id, event_id, due_at, created_at)
      SELECT ${busy.id}::bigint, id, ${dueAt}, ${dueAt} FROM event`);
    await write((work) => tryWebhook(calm.scope, work, calm.id));
    const claimed = await new WebhookTurns(parts).claim(16);
    const of = (webhookId: number) => claimed.filter(({ webhook }) => webhook.id === webhookId).length;
    expect([of(busy.id), of(calm.id)]).toEqual([4, 1]);
    expect(await new WebhookTurns(parts).claim(3)).toHaveLength(3);
  });

  test('are found among many that wait for a later try without a look at each of those', async () => {
    const { userId, scope, id } = await newOwner();
    await storage.db.execute(sql`
      INSERT INTO webhooks (user_id, name, url, format, sealed_secret)
      SELECT ${userId}::bigint, 'later', 'https://later.test/', 'standard', 'sealed' FROM generate_series(1, 300)`);
    await write((work) => tryWebhook(scope, work, id));
    const later = new Date(clock.nowMs() + 1000).toISOString();
    await storage.db.execute(sql`
      INSERT INTO webhook_deliveries (webhook_id, event_id, due_at, created_at)
      SELECT webhook.id, delivery.event_id, ${later}::timestamptz, delivery.created_at
      FROM webhooks AS webhook, webhook_deliveries AS delivery WHERE webhook.id <> ${id}::bigint`);
    await storage.db.execute(sql`ANALYZE webhook_deliveries`);
    const { turns, looks } = countingTurns(countScans);
    expect(await turns.claim(10)).toMatchObject([{ webhook: { id } }]);
    expect(await turns.claim(10)).toEqual([]);
    expect(looks).toHaveLength(2);
    for (const each of looks) expect(each).toBeLessThan(20);
  });

  test('are found by their webhook though what the planner knows is older than what is due', async () => {
    const { userId, id } = await newOwner();
    await storage.db.execute(sql`DELETE FROM webhook_deliveries`);
    await storage.db.execute(sql`
      WITH owner AS (
        INSERT INTO users (email, role)
        SELECT ${`${id}-`}::text || place || '@example.test', 'member' FROM generate_series(1, 500) AS place RETURNING id)
      INSERT INTO webhooks (user_id, name, url, format, sealed_secret)
      SELECT id, 'due', 'https://due.test/', 'standard', 'sealed' FROM owner`);
    const addDeliveries = (count: number, atMs: number) =>
      storage.db.execute(sql`
        WITH event AS (
          INSERT INTO notification_events (kind, dedup_key, audience, audience_id, facts, created_at, spread_at)
          SELECT 'webhook.test', 'due ' || gen_random_uuid(), 'account', ${userId}::bigint, '{}', now(), now()
          FROM generate_series(1, ${count}::int) RETURNING id)
        INSERT INTO webhook_deliveries (webhook_id, event_id, due_at, created_at, delivered_at)
        SELECT webhook.id, event.id, ${new Date(atMs).toISOString()}::timestamptz, now(),
          CASE WHEN ${count}::int > 1 AND event.id % 10 > 0 THEN now() END
        FROM event, webhooks AS webhook WHERE webhook.name = 'due'`);
    await addDeliveries(40, clock.nowMs() + 1_000_000);
    await storage.db.execute(sql`ANALYZE webhook_deliveries`);
    await addDeliveries(1, clock.nowMs());
    const { turns, looks } = countingTurns(countRowsRead);
    expect(await turns.claim(64)).toHaveLength(64);
    expect(looks[0]).toBeLessThan(2_000);
  });

  test('whose secret cannot be opened have a try that failed, and are tried again later', async () => {
    const { userId, scope, id } = await newOwner();
    await storage.db.update(webhooks).set({ sealedSecret: 'sealed under another secret' });
    await tell({ of: 'account', id: userId });
    const service = { name: 'Sluice', url: 'https://sluice.test' };
    const sender = new WebhookSender({ ...parts, envelope, network, service, log: silentLog });
    for (let looks = 0; looks < 2000 && clock.pendingTimers === 0; looks += 1) {
      await clock.advance(0);
      await deliveriesOf(id);
    }
    await sender.close(0);
    const { deliveries } = await listDeliveries(scope, storage.db, { id });
    expect(deliveries).toMatchObject([
      { state: 'waiting', tries: 1, last: { status: null, error: 'could not be signed here' } },
    ]);
    expect(deliveries[0]?.dueAt).toEqual(new Date(clock.nowMs() + 5000));
  });
});
