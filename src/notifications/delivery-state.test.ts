/** How far mails, events and webhooks have come, as it is told to whoever runs the service; and which mails go first. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq, isNull } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { openEnvelope } from '../base/envelope.ts';
import { systemIds } from '../base/ids.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import type { AgreeingParts } from '../storage/agreed-time.ts';
import { raiseEvent } from '../storage/events.ts';
import { notificationContacts } from '../storage/schema/contacts.ts';
import { users } from '../storage/schema/identity.ts';
import { mailOutbox } from '../storage/schema/notifications.ts';
import { webhookDeliveries, webhooks } from '../storage/schema/webhooks.ts';
import type { Storage } from '../storage/storage.ts';
import { transact } from '../storage/work.ts';
import { readDeliveryState } from './delivery-state.ts';
import { spreadEvents } from './event-spreader.ts';
import { type ClaimedMail, Outbox } from './outbox.ts';

const service = { name: 'Sluice', url: 'https://sluice.test' };
const refusal = '550 5.1.1 No such user';

describeOnEachDatabase('what waits to be told', (openDatabase) => {
  let storage: Storage;
  let parts: AgreeingParts;
  let outbox: Outbox;
  let userId = 0;
  const clock = new ManualClock();
  beforeAll(async () => {
    storage = await openDatabase();
    parts = { storage, clock, ids: systemIds, databaseMs: async () => clock.nowMs() };
    const envelope = await openEnvelope('a secret of more than thirty-two characters');
    outbox = new Outbox({ ...parts, envelope, service });
    const [user] = await storage.db
      .insert(users)
      .values({ email: 'ada@example.test', role: 'member' })
      .returning();
    userId = user?.id ?? 0;
    await storage.db
      .insert(notificationContacts)
      .values([2, 3].map((at) => ({ userId, email: `contact-${at}@example.test` })));
  });
  afterAll(() => storage.close());

  const read = () => readDeliveryState(storage.db, clock.nowMs());
  const settle = (mail: ClaimedMail | undefined, end: Parameters<Outbox['settle']>[0][number]['end']) =>
    mail === undefined ? Promise.reject(new Error('nothing waited')) : outbox.settle([{ mail, end }]);

  test('is counted with its age, its pace and its failures', async () => {
    const none = { waiting: 0, oldestSeconds: null };
    const still = { ...none, retrying: 0, doneLastMinute: 0, doneLastHour: 0, failedLastDay: 0 };
    expect(await read()).toEqual({
      events: none,
      mails: still,
      webhooks: { ...still, paused: 0 },
      mailErrors: [],
    });

    await transact(parts, (work) =>
      raiseEvent(work, {
        kind: 'wallet.low',
        facts: { balance_usd: '9.50', level_usd: '10.00' },
        audience: { of: 'account', id: userId },
      }),
    );
    await clock.advance(90_000);
    expect((await read()).events).toEqual({ waiting: 1, oldestSeconds: 90 });
    await spreadEvents(parts);
    await clock.advance(10_000);
    expect(await read()).toMatchObject({ events: none, mails: { waiting: 3, oldestSeconds: 10 } });

    const [first, second, third] = await outbox.claim(3);
    await settle(first, { end: 'sent' });
    await settle(second, { end: 'given_up', error: refusal });
    await settle(third, { end: 'again', afterMs: 60_000, isKnown: true, error: '421 later' });
    expect(await read()).toMatchObject({
      mails: { waiting: 1, retrying: 1, doneLastMinute: 1, doneLastHour: 1, failedLastDay: 1 },
      mailErrors: [
        { error: '421 later', mails: 1 },
        { error: refusal, mails: 1 },
      ],
    });
    await clock.advance(61_000);
    expect((await read()).mails).toMatchObject({ doneLastMinute: 0, doneLastHour: 1 });
    await clock.advance(86_400_000);
    expect((await read()).mails).toMatchObject({ waiting: 1, doneLastHour: 0, failedLastDay: 0 });
  });

  test('counts deliveries to webhooks, and webhooks that are paused', async () => {
    const rows = await storage.db
      .insert(webhooks)
      .values(
        [null, new Date(clock.nowMs())].map((pausedAt) => ({
          ...{
            userId,
            name: 'hook',
            url: 'https://hook.test',
            format: 'standard',
            sealedSecret: '',
            pausedAt,
          },
        })),
      )
      .returning();
    await transact(parts, async (work) => {
      const eventId = await raiseEvent(work, {
        kind: 'account.created',
        facts: {},
        audience: { of: 'account', id: userId },
      });
      const now = new Date(clock.nowMs());
      await work.executor.insert(webhookDeliveries).values(
        rows.map(({ id }, at) => ({
          ...{ webhookId: id, eventId: eventId ?? 0, dueAt: now, createdAt: now },
          deliveredAt: at === 0 ? now : null,
        })),
      );
    });
    expect((await read()).webhooks).toMatchObject({ waiting: 1, doneLastMinute: 1, paused: 1 });
  });

  test('lets a link that somebody waits for go before all mails of events', async () => {
    await spreadEvents(parts);
    await storage.db
      .update(mailOutbox)
      .set({ dueAt: new Date(clock.nowMs()) })
      .where(isNull(mailOutbox.sentAt));
    await clock.advance(1000);
    await transact(parts, (work) =>
      outbox.queue(work, {
        kind: 'reset_password',
        facts: { link: 'https://sluice.test/reset-password?token=hush', lifetimeMs: 3_600_000 },
        ...{ to: 'eve@example.test', language: 'en', service, accountId: null },
      }),
    );
    const waiting = await storage.db
      .select()
      .from(mailOutbox)
      .where(eq(mailOutbox.recipient, 'ada@example.test'));
    expect(waiting.length).toBeGreaterThan(0);
    expect((await outbox.claim(1)).map(({ recipient }) => recipient)).toEqual(['eve@example.test']);
    expect((await outbox.claim(1)).map(({ kind }) => kind)).not.toEqual(['reset_password']);
  });
});
