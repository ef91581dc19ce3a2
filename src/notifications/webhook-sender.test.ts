/** From an event to a receiver that checks the signature: once, again after failures, through crashes, and what is paused. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, setSystemTime, test } from 'bun:test';
import { asc, eq } from 'drizzle-orm';
import { Webhook as Verifier } from 'standardwebhooks';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Envelope, openEnvelope } from '../base/envelope.ts';
import { AppError } from '../base/errors.ts';
import { systemIds } from '../base/ids.ts';
import { clockShowing, ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import type { AgreeingParts } from '../storage/agreed-time.ts';
import { type EventAudience, raiseEvent } from '../storage/events.ts';
import { auditEntries } from '../storage/schema/audit.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { organisations, users } from '../storage/schema/identity.ts';
import { webhookDeliveries, webhooks, webhookTries } from '../storage/schema/webhooks.ts';
import type { Storage } from '../storage/storage.ts';
import { transact, type Work, type WorkParts } from '../storage/work.ts';
import { spreadEvents } from './event-spreader.ts';
import { slowToBegin } from './testing/slow-connection.ts';
import { failOpenDeliveries, settleDelivery } from './webhook-deliveries.ts';
import { listDeliveries, redeliver, tryWebhook } from './webhook-history.ts';
import type { WebhookNetwork } from './webhook-request.ts';
import { WebhookSender } from './webhook-sender.ts';
import { nextDeliveryDueMs, WebhookTurns } from './webhook-turns.ts';
import {
  changeWebhook,
  checkWebhook,
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  mostWebhooks,
  resumeWebhook,
  rotateWebhookSecret,
  type WebhookScope,
} from './webhooks.ts';

const service = { name: 'Sluice', url: 'https://sluice.test' };
const network = {
  isPrivateAllowed: true,
  resolve: async () => [{ address: '127.0.0.1', family: 4 as const }],
};
const low = { balance_usd: '9.50', level_usd: '10.00' };
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const mostLooks = 100_000;

interface Received {
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Begins, and says nothing more. */
const endlessBody = () => new ReadableStream({ start: (controller) => controller.enqueue('taken') });

describeOnEachDatabase('webhooks', (openDatabase) => {
  let storage: Storage;
  let envelope: Envelope;
  let clock: ManualClock;
  let parts: AgreeingParts;
  const received: Received[] = [];
  /** What it answers at `/slow` waits for this. */
  let slow = Promise.withResolvers<void>();
  /** What the receiver answers with, in turn; 204 then. */
  const answers: number[] = [];
  const senders: WebhookSender[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const body = await request.text();
      const headers = Object.fromEntries(request.headers);
      received.push({ path: new URL(request.url).pathname, body, headers });
      if (request.url.endsWith('/slow')) await slow.promise;
      if (request.url.endsWith('/endless')) return new Response(endlessBody());
      const status = answers.shift() ?? 204;
      return new Response(null, { status, headers: status === 302 ? { location: '/elsewhere' } : {} });
    },
  });
  const address = `http://receiver.test:${server.port}`;
  let made = 0;

  beforeAll(async () => {
    storage = await openDatabase();
    envelope = await openEnvelope('a secret of more than thirty-two characters');
  });
  afterAll(async () => {
    setSystemTime();
    await server.stop(true);
    await storage.close();
  });
  beforeEach(() => {
    clock = new ManualClock();
    parts = { storage, clock, ids: systemIds, databaseMs: async () => clock.nowMs() };
    received.length = 0;
    slow = Promise.withResolvers();
    answers.length = 0;
  });
  afterEach(async () => {
    const closing = senders.splice(0).map((sender) => sender.close(0));
    await clock.advance(0);
    await Promise.all(closing);
    await storage.db.delete(webhooks);
    await storage.db.delete(notificationEvents);
  });

  const write = <Result>(run: (work: Work) => Promise<Result>) => transact(parts, run);
  async function newUser(fields: Partial<typeof users.$inferInsert> = {}): Promise<number> {
    made += 1;
    const [row] = await storage.db
      .insert(users)
      .values({ email: `person-${made}@example.test`, role: 'member', ...fields })
      .returning();
    return row?.id ?? 0;
  }
  const usual = {
    name: 'on call',
    url: `${address}/hook`,
    events: null,
    format: 'standard',
    enabled: true,
  } as const;
  async function make(scope: WebhookScope, change: object = {}, given: WebhookNetwork = network) {
    const fields = await checkWebhook({ ...usual, ...change }, { clock, network: given });
    return await write((work) => createWebhook(scope, work, { envelope }, { ...fields, createdBy: null }));
  }
  const raise = (audience: EventAudience) =>
    write((work) => raiseEvent(work, { kind: 'wallet.low', facts: low, audience }));
  async function spreadAll(): Promise<void> {
    while ((await spreadEvents(parts)) > 0);
  }
  function start(given: WebhookNetwork = network): WebhookSender {
    const sender = new WebhookSender({ ...parts, envelope, network: given, service, log: silentLog });
    senders.push(sender);
    return sender;
  }
  const rows = () => storage.db.select().from(webhookDeliveries).orderBy(asc(webhookDeliveries.id));
  const tries = () => storage.db.select().from(webhookTries).orderBy(asc(webhookTries.id));
  async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
    for (let looks = 0; looks < mostLooks; looks += 1) {
      if (await isSo()) return;
      await clock.advance(0);
      await rows();
    }
    throw new Error(`It did not happen: ${JSON.stringify([await rows(), await tries(), received])}`);
  }
  const untilTries = (count: number) => until(async () => (await tries()).length >= count);
  /** Time passes once the loop waits for it. */
  async function pass(ms: number): Promise<void> {
    while (clock.pendingTimers === 0) await rows();
    await clock.advance(ms);
  }
  /** As a receiver does it, at the time of this test. */
  function verify(secret: string, { body, headers }: Received): unknown {
    setSystemTime(new Date(clock.nowMs()));
    return new Verifier(secret).verify(body, headers);
  }

  test('are sent what happens to their owner, signed, once', async () => {
    const userId = await newUser();
    const scope = { whose: 'person', userId } as const;
    const { secret } = await make(scope);
    await make({ whose: 'person', userId: await newUser() });
    start();
    await raise({ of: 'account', id: userId });
    await Promise.all([spreadAll(), spreadAll()]);
    await untilTries(1);
    expect(received).toHaveLength(1);
    const [first] = received;
    if (first === undefined) throw new Error('Nothing came.');
    expect(verify(secret, first)).toEqual({
      type: 'wallet.low',
      timestamp: '2030-01-01T00:00:00.000Z',
      data: { account_id: userId, ...low },
    });
    expect(() => verify(`whsec_${btoa('another secret of the same length')}`, first)).toThrow();
    expect(() => verify(secret, { ...first, body: first.body.replace('9.50', '0.50') })).toThrow();
    expect(first.headers).toMatchObject({
      'content-type': 'application/json',
      host: `receiver.test:${server.port}`,
    });
    const [row] = await rows();
    expect(row).toMatchObject({ tries: 1, failedAt: null });
    expect(row?.deliveredAt).toBeInstanceOf(Date);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(JSON.stringify(await storage.db.select().from(webhooks))).not.toContain(secret.slice(6));
  });

  test('of an organisation are told of its people, and those that chose other events are not', async () => {
    const [organisation] = await storage.db
      .insert(organisations)
      .values({ name: 'Engines', slug: `engines-${storage.kind}` })
      .returning();
    const organisationId = organisation?.id ?? 0;
    const userId = await newUser({ organisationId });
    const scope = { whose: 'organisation', organisationId } as const;
    await make(scope, { url: `${address}/all` });
    await make(scope, { url: `${address}/low`, events: ['wallet.low'] });
    await make(scope, { url: `${address}/other`, events: ['payment.received'] });
    await make(scope, { url: `${address}/off`, enabled: false });
    start();
    await raise({ of: 'account', id: userId });
    await raise({ of: 'organisation', id: organisationId });
    await spreadAll();
    await untilTries(4);
    expect(received.map(({ path }) => path).sort()).toEqual(['/all', '/all', '/low', '/low']);
    expect(await listWebhooks({ whose: 'person', userId }, storage.db)).toEqual([]);
  });

  test('are tried again after failures under the same id, and each try is in the history', async () => {
    const userId = await newUser();
    const scope = { whose: 'person', userId } as const;
    const { webhook, secret } = await make(scope);
    answers.push(500, 302);
    start();
    await raise({ of: 'account', id: userId });
    await spreadAll();
    await untilTries(1);
    await until(async () => (await rows())[0]?.dueAt.getTime() === clock.nowMs() + 5000);
    await pass(4999);
    expect(received).toHaveLength(1);
    await pass(1);
    await untilTries(2);
    await until(async () => (await rows())[0]?.dueAt.getTime() === clock.nowMs() + 5 * minuteMs);
    for (let minutes = 0; minutes < 5; minutes += 1) await pass(minuteMs);
    await untilTries(3);
    expect(received).toHaveLength(3);
    expect(received.map(({ path }) => path)).toEqual(['/hook', '/hook', '/hook']);
    const ids = new Set(received.map(({ headers }) => headers['webhook-id']));
    expect(ids.size).toBe(1);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    const last = received.at(-1);
    if (last !== undefined) verify(secret, last);
    expect((await tries()).map(({ status, error }) => [status, error])).toEqual([
      [500, 'answered with status 500'],
      [302, 'answered with status 302'],
      [204, null],
    ]);
    const { deliveries } = await listDeliveries(scope, storage.db, { id: webhook.id });
    expect(deliveries).toMatchObject([{ kind: 'wallet.low', state: 'delivered', tries: 3, dueAt: null }]);
    expect(deliveries[0]?.last).toMatchObject({ status: 204, error: null });
    expect(await findWebhook(scope, storage.db, webhook.id)).toMatchObject({ failures: 0 });
  });

  test('get what a process left that died after the request and before its record, under the same id', async () => {
    const userId = await newUser();
    await make({ whose: 'person', userId });
    await raise({ of: 'account', id: userId });
    await spreadAll();
    // The one that dies: it claims, and is not heard of again.
    expect(await new WebhookTurns(parts).claim(10)).toHaveLength(1);
    expect(await new WebhookTurns(parts).claim(10)).toEqual([]);
    start();
    for (let minutes = 0; minutes < 2; minutes += 1) await pass(minuteMs);
    await untilTries(1);
    expect(await rows()).toMatchObject([{ tries: 2, failedAt: null }]);
    expect(received).toHaveLength(1);
  });

  test('that a stop of their process breaks off have had no try, and are due at once', async () => {
    const userId = await newUser();
    await make({ whose: 'person', userId }, { url: `${address}/slow` });
    const sender = start();
    await raise({ of: 'account', id: userId });
    await spreadAll();
    await until(() => received.length === 1);
    const closing = sender.close(5000);
    await pass(5000);
    await closing;
    expect(await rows()).toMatchObject([{ tries: 0, failedAt: null, dueAt: new Date(clock.nowMs()) }]);
    expect(await tries()).toEqual([]);
    expect(await storage.db.select().from(webhooks)).toMatchObject([{ failures: 0, failingSince: null }]);
    slow.resolve();
    start();
    await untilTries(1);
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(
      Array.from({ length: 2 }, () => received[0]?.headers['webhook-id']),
    );
  });

  test('carry the time of the database, whatever that of the process', async () => {
    const apartMs = 10 * minuteMs;
    parts = { ...parts, databaseMs: async () => clock.nowMs() + apartMs };
    const userId = await newUser();
    await make({ whose: 'person', userId });
    start();
    await raise({ of: 'account', id: userId });
    await spreadAll();
    await untilTries(1);
    const atSeconds = Math.floor((clock.nowMs() + apartMs) / 1000);
    expect(received).toMatchObject([{ headers: { 'webhook-timestamp': String(atSeconds) } }]);
  });

  test('are nobody else’s for two minutes from when they are found, however long a connection was waited for', async () => {
    const scope = { whose: 'person', userId: await newUser() } as const;
    const { webhook } = await make(scope);
    await write((work) => tryWebhook(scope, work, webhook.id));
    const db = slowToBegin(storage.db, () => clock.advance(10 * minuteMs));
    const [claimed] = await new WebhookTurns({ ...parts, storage: { ...storage, db } }).claim(1);
    expect(claimed?.claimedUntil.getTime()).toBe(clock.nowMs() + 2 * minuteMs);
    expect(await new WebhookTurns(parts).claim(1)).toEqual([]);
  });

  test('are tried when they are due and by one process alone, though the clocks of processes are apart', async () => {
    const scope = { whose: 'person', userId: await newUser() } as const;
    const { webhook } = await make(scope);
    const { databaseMs: _, ...usual } = parts;
    const at = (apartMs: number) => ({ ...usual, clock: clockShowing(() => Date.now() + apartMs) });
    const [late, early] = [at(-10 * minuteMs), at(10 * minuteMs)];
    const claim = (whose: WorkParts) => new WebhookTurns(whose).claim(10);
    await transact(early, (work) => tryWebhook(scope, work, webhook.id));
    // A test is tried once; what is told of here is tried again.
    await storage.db.update(webhookDeliveries).set({ tries: 0 });
    const [claimed] = await claim(late);
    if (claimed === undefined) throw new Error('It was not due.');
    expect(await claim(early)).toEqual([]);
    const dueInMs = ((await nextDeliveryDueMs(early, null)) ?? 0) - early.clock.nowMs();
    expect(Math.ceil(dueInMs / minuteMs)).toBe(2);
    await settleDelivery(early, claimed, { status: 503, durationMs: 1, error: 'answered with status 503' });
    const isLater = (await rows()).map(({ dueAt }) => dueAt.getTime() > Date.now() + minuteMs);
    expect(isLater).toEqual([false]);
    await write((work) => failOpenDeliveries(work, webhook.id));
    await transact(early, (work) => redeliver(scope, work, { id: webhook.id, deliveryId: claimed.id }));
    expect(await claim(late)).toHaveLength(1);
    expect(await claim(early)).toEqual([]);
  });

  test('that are slow hold up nobody else’s, and have a few at once under way', async () => {
    const [slowId, quickId] = [await newUser(), await newUser()];
    for (const name of ['a', 'b'])
      await make({ whose: 'person', userId: slowId }, { name, url: `${address}/slow` });
    await make({ whose: 'person', userId: quickId });
    start();
    for (let times = 0; times < 4; times += 1) await raise({ of: 'account', id: slowId });
    await spreadAll();
    const arrived = (path: string) => received.filter((one) => one.path === path).length;
    await until(() => arrived('/slow') === 4);
    for (let times = 0; times < 4; times += 1) await raise({ of: 'account', id: quickId });
    await spreadAll();
    await untilTries(4);
    expect([arrived('/slow'), arrived('/hook')]).toEqual([4, 4]);
    slow.resolve();
    await untilTries(12);
    expect([arrived('/slow'), arrived('/hook')]).toEqual([8, 4]);
  });

  test('that come due while the sender looks for others are not waited for', async () => {
    const userId = await newUser();
    await make({ whose: 'person', userId }, { url: `${address}/slow` });
    for (let times = 0; times < 2; times += 1) await raise({ of: 'account', id: userId });
    await spreadAll();
    const dueAt = new Date(clock.nowMs() + 10_000);
    const [, later] = await rows();
    await storage.db
      .update(webhookDeliveries)
      .set({ dueAt })
      .where(eq(webhookDeliveries.id, later?.id ?? 0));
    // The first look takes the one that is due; the second finds nothing, and ends when the other is.
    const [looked, isLate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let looks = 0;
    const transaction: typeof storage.db.transaction = async (run) => {
      const result = await storage.db.transaction(run);
      looks += 1;
      if (looks !== 2) return result;
      looked.resolve();
      await isLate.promise;
      return result;
    };
    const db: typeof storage.db = Object.assign(Object.create(storage.db), { transaction });
    // Nothing else may wake it.
    const changes = { publish: () => Promise.resolve(), subscribe: () => () => undefined };
    const slowly = { ...parts, storage: { db, changes } };
    senders.push(new WebhookSender({ ...slowly, envelope, network, service, log: silentLog }));
    await looked.promise;
    await clock.advance(10_000);
    isLate.resolve();
    await until(() => received.length === 2);
    slow.resolve();
    await untilTries(2);
  });

  test('whose name nobody answers for have a try that failed in time, and hold up nobody', async () => {
    const silent = {
      ...network,
      resolve: (name: string) =>
        name === 'silent.test' ? new Promise<never>(() => undefined) : network.resolve(),
    };
    const [silentId, quickId] = [await newUser(), await newUser()];
    await make({ whose: 'person', userId: silentId }, { url: 'http://silent.test/hook' });
    await make({ whose: 'person', userId: quickId });
    start(silent);
    for (const id of [silentId, quickId]) await raise({ of: 'account', id });
    await spreadAll();
    await untilTries(1);
    expect(received).toHaveLength(1);
    await clock.advance(15_000);
    await untilTries(2);
    expect((await tries()).map(({ error }) => error)).toEqual([null, 'no answer within 15 seconds']);
  });

  test('are taken by who answers so, also where the body of the answer never ends', async () => {
    const userId = await newUser();
    await make({ whose: 'person', userId }, { url: `${address}/endless` });
    start();
    await raise({ of: 'account', id: userId });
    await spreadAll();
    await until(() => received.length === 1);
    // Its first piece comes in one of the next turns; then nothing is waited for but the time, which must not go on for
    // longer than a claim holds while the try is written down.
    for (let turn = 0; turn < 200; turn += 1) await rows();
    await clock.advance(15_000);
    await untilTries(1);
    expect(await tries()).toMatchObject([{ status: 200, error: null }]);
  });

  test('are sent once though several processes look for them', async () => {
    const userId = await newUser();
    await make({ whose: 'person', userId });
    for (let times = 0; times < 20; times += 1) await raise({ of: 'account', id: userId });
    for (let at = 0; at < 3; at += 1) start();
    await spreadAll();
    await untilTries(20);
    expect(received).toHaveLength(20);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(20);
  });

  test('are paused after a day of failures, which their owner is told, and go on when they are resumed', async () => {
    const userId = await newUser();
    const scope = { whose: 'person', userId } as const;
    const { webhook } = await make(scope);
    answers.push(...Array.from({ length: 8 }, () => 503));
    start();
    await raise({ of: 'account', id: userId });
    await spreadAll();
    const waits = [5000, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 5 * hourMs, 10 * hourMs, 10 * hourMs];
    for (const [at, waitMs] of waits.entries()) {
      await untilTries(at + 1);
      await until(async () => (await rows())[0]?.dueAt.getTime() === clock.nowMs() + waitMs);
      // The sender looks once a minute at least.
      await pass(Math.max(0, waitMs - minuteMs));
      await pass(Math.min(waitMs, minuteMs));
    }
    await untilTries(8);
    expect((await findWebhook(scope, storage.db, webhook.id)).pausedAt).toBeInstanceOf(Date);
    const paused = (await storage.db.select().from(notificationEvents)).filter(
      ({ kind }) => kind === 'webhook.paused',
    );
    expect(paused).toMatchObject([
      { audience: 'account', audienceId: userId, facts: { webhook_id: webhook.id, failures: 8 } },
    ]);
    const noted = await storage.db.select().from(auditEntries).where(eq(auditEntries.userId, userId));
    expect(noted.map(({ action }) => action)).toEqual([
      'webhook.created',
      'webhook.given_up',
      'webhook.paused',
    ]);
    // What comes meanwhile is not sent, and stands in the history.
    await raise({ of: 'account', id: userId });
    await spreadAll();
    const { deliveries } = await listDeliveries(scope, storage.db, { id: webhook.id });
    expect(deliveries.map(({ state }) => state)).toEqual(['failed', 'failed', 'failed']);
    await write((work) => resumeWebhook(scope, work, webhook.id));
    await write((work) => redeliver(scope, work, { id: webhook.id, deliveryId: deliveries[0]?.id ?? 0 }));
    await untilTries(9);
    expect(received).toHaveLength(9);
    expect(await findWebhook(scope, storage.db, webhook.id)).toMatchObject({ pausedAt: null, failures: 0 });
  }, 60_000);

  test('that say that they are gone are paused at once', async () => {
    const userId = await newUser();
    const scope = { whose: 'person', userId } as const;
    const { webhook } = await make(scope);
    answers.push(410);
    start();
    await raise({ of: 'account', id: userId });
    await spreadAll();
    await untilTries(1);
    expect((await findWebhook(scope, storage.db, webhook.id)).pausedAt).toBeInstanceOf(Date);
    expect((await rows())[0]?.failedAt).toBeInstanceOf(Date);
  });

  test('are signed by both secrets for a day after a rotation, and by the new one alone then', async () => {
    const userId = await newUser();
    const scope = { whose: 'person', userId } as const;
    const { webhook, secret: before } = await make(scope);
    const after = await write((work) => rotateWebhookSecret(scope, work, { envelope }, webhook.id));
    start();
    await write((work) => tryWebhook(scope, work, webhook.id));
    await untilTries(1);
    const [both] = received;
    if (both === undefined) throw new Error('Nothing came.');
    for (const secret of [before, after])
      expect(verify(secret, both)).toMatchObject({ type: 'webhook.test' });
    await pass(24 * hourMs);
    await write((work) => tryWebhook(scope, work, webhook.id));
    await untilTries(2);
    const alone = received[1];
    if (alone === undefined) throw new Error('Nothing came.');
    verify(after, alone);
    expect(() => verify(before, alone)).toThrow();
  });

  test('rotated twice within a day, are signed by all three secrets, since a receiver may know any of them', async () => {
    const userId = await newUser();
    const scope = { whose: 'person', userId } as const;
    const { webhook, secret: before } = await make(scope);
    const rotate = () => write((work) => rotateWebhookSecret(scope, work, { envelope }, webhook.id));
    const between = await rotate();
    const after = await rotate();
    start();
    await write((work) => tryWebhook(scope, work, webhook.id));
    await untilTries(1);
    const [sent] = received;
    if (sent === undefined) throw new Error('Nothing came.');
    for (const secret of [before, between, after]) verify(secret, sent);
    await pass(24 * hourMs);
    await write((work) => tryWebhook(scope, work, webhook.id));
    await untilTries(2);
    const [, alone] = received;
    if (alone === undefined) throw new Error('Nothing came.');
    verify(after, alone);
    for (const secret of [before, between]) expect(() => verify(secret, alone)).toThrow();
  });

  test('of Slack’s form are sent a text without its signs', async () => {
    const userId = await newUser();
    const scope = { whose: 'person', userId } as const;
    const { webhook } = await make(scope, { format: 'slack', name: '<!channel> & co' });
    start();
    await raise({ of: 'account', id: userId });
    await write((work) => tryWebhook(scope, work, webhook.id));
    await spreadAll();
    await untilTries(2);
    const texts = received.map(({ body }) => JSON.parse(body)).sort();
    expect(texts.every((each) => Object.keys(each).join() === 'text')).toBe(true);
    const all = texts.map(({ text }) => text).join('\n');
    expect(all).toContain('Your balance is getting low');
    expect(all).toContain('$9.50');
    expect(all).toContain('https://sluice.test/dashboard');
    expect(all).toContain('&lt;!channel&gt; &amp; co');
  });

  test('are not sent to a private address, also when the name led to a public one before', async () => {
    const userId = await newUser();
    const scope = { whose: 'person', userId } as const;
    let leadsTo = '93.184.215.14';
    const outside = {
      isPrivateAllowed: false,
      resolve: async () => [{ address: leadsTo, family: 4 as const }],
    };
    const url = `https://receiver.test:${server.port}/hook`;
    const { webhook } = await make(scope, { url }, outside);
    leadsTo = '127.0.0.1';
    start(outside);
    await write((work) => tryWebhook(scope, work, webhook.id));
    await untilTries(1);
    expect(received).toEqual([]);
    expect((await tries())[0]).toMatchObject({
      status: null,
      error: 'The address of a webhook must lead to a public address.',
    });
  });

  test('are refused for addresses that may not be, and for more than there may be', async () => {
    const scope = { whose: 'person', userId: await newUser() } as const;
    const strict = {
      isPrivateAllowed: false,
      resolve: async () => [{ address: '93.184.215.14', family: 4 as const }],
    };
    const typeFor = async (url: string, given = strict) => {
      try {
        await make(scope, { url }, given);
        return 'made';
      } catch (error) {
        if (error instanceof AppError) return error.fields[0]?.type ?? error.code;
        throw error;
      }
    };
    expect(await typeFor('https://example.com/hook#part')).toBe('made');
    for (const [url, type] of [
      ['ftp://example.com', 'wrong'],
      ['no address', 'wrong'],
      [`https://example.com/${'x'.repeat(2000)}`, 'wrong'],
      ['http://example.com', 'no_tls'],
      ['https://user:pass@example.com', 'credentials'],
      ['https://127.0.0.1/', 'private'],
      ['https://0x7f.1/', 'private'],
      ['https://2130706433/', 'private'],
      ['https://[::1]/', 'private'],
      ['https://[::ffff:10.0.0.1]/', 'private'],
      ['https://[fd00::1]/', 'private'],
      ['https://[64:ff9b::a00:1]/', 'private'],
      ['https://169.254.169.254/latest/meta-data/', 'private'],
      ['https://100.64.0.1/', 'private'],
      ['https://192.168.1.1/', 'private'],
      ['https://172.31.0.1/', 'private'],
    ] as const) {
      expect([url, await typeFor(url)]).toEqual([url, type]);
    }
    const nowhere = { ...strict, resolve: () => Promise.reject(new Error('ENOTFOUND')) };
    expect(await typeFor('https://no-such-host.test/', nowhere)).toBe('unknown_host');
    for (let count = 1; count < mostWebhooks; count += 1)
      expect(await typeFor('https://example.com/')).toBe('made');
    expect(await typeFor('https://example.com/')).toBe('conflict');
  });

  test('of others are as if they were not there', async () => {
    const scope = { whose: 'person', userId: await newUser() } as const;
    const other = { whose: 'person', userId: await newUser() } as const;
    const { webhook } = await make(scope);
    await write((work) => tryWebhook(scope, work, webhook.id));
    const [delivery] = await rows();
    const { id } = webhook;
    const fields = await checkWebhook(usual, { clock, network });
    const attempts = [
      () => findWebhook(other, storage.db, id),
      () => write((work) => changeWebhook(other, work, { ...fields, id })),
      () => write((work) => deleteWebhook(other, work, id)),
      () => write((work) => rotateWebhookSecret(other, work, { envelope }, id)),
      () => write((work) => tryWebhook(other, work, id)),
      () => write((work) => resumeWebhook(other, work, id)),
      () => write((work) => redeliver(other, work, { id, deliveryId: delivery?.id ?? 0 })),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
    expect((await listDeliveries(other, storage.db, { id })).deliveries).toEqual([]);
    await expect(
      write((work) => redeliver(scope, work, { id, deliveryId: delivery?.id ?? 0 })),
    ).rejects.toMatchObject({
      code: 'conflict',
    });
    await write((work) => deleteWebhook(scope, work, id));
    expect(await rows()).toEqual([]);
  });
});
