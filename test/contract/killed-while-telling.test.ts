/** A program that is killed after a mail or a webhook's message has arrived, and before that is recorded: told twice at most, and never not. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { once } from 'node:events';
import { asc, eq, isNull } from 'drizzle-orm';
import { SMTPServer } from 'smtp-server';
import { Webhook as Verifier } from 'standardwebhooks';
import { openEnvelope } from '../../src/base/envelope.ts';
import { systemIds } from '../../src/base/ids.ts';
import { ManualClock } from '../../src/base/testing/manual-clock.ts';
import { checkWebhook, createWebhook } from '../../src/notifications/index.ts';
import { raiseEvent } from '../../src/storage/events.ts';
import { openStorage, type Storage } from '../../src/storage/index.ts';
import { users } from '../../src/storage/schema/identity.ts';
import { mailOutbox } from '../../src/storage/schema/notifications.ts';
import { webhookDeliveries } from '../../src/storage/schema/webhooks.ts';
import { transact } from '../../src/storage/work.ts';
import { describeOnEachDatabase, type PreparedDatabase } from '../support/databases.ts';
import { type SluiceProgram, startProgram } from '../support/program.ts';

const secret = 'a secret of the tests, long enough';
/** Of the account whose events they are; whoever owns the platform is told of other things. */
const recipient = 'ada@example.test';
const eventCount = 6;
/** Of each kind, before the first that is held until the program is dead. */
const takenFirst = 2;

/** What arrived, by the id that all copies of one share; nothing is answered while it is held. */
class Arrivals {
  readonly ids: string[] = [];
  #heldFrom = Number.POSITIVE_INFINITY;
  #held = Promise.withResolvers<void>();
  #enough = Promise.withResolvers<void>();
  #wanted = Number.POSITIVE_INFINITY;

  /** From the count on that it was given. Resolves once one is held. */
  holdAfter(count: number): Promise<void> {
    this.#heldFrom = this.ids.length + count;
    this.#held = Promise.withResolvers<void>();
    return this.#held.promise;
  }
  /** Resolves once so many more have come, all of which are taken. */
  take(count: number): Promise<void> {
    this.#heldFrom = Number.POSITIVE_INFINITY;
    this.#wanted = this.ids.length + count;
    this.#enough = Promise.withResolvers<void>();
    return this.#enough.promise;
  }
  /** @returns whether it may be answered. */
  add(id: string): boolean {
    this.ids.push(id);
    if (this.ids.length >= this.#wanted) this.#enough.resolve();
    if (this.ids.length <= this.#heldFrom) return true;
    this.#held.resolve();
    return false;
  }
  /** How often each came. */
  get copies(): readonly number[] {
    return [...new Set(this.ids)].map((id) => this.ids.filter((each) => each === id).length);
  }
}

describeOnEachDatabase('a program that is killed while it tells of events', (_open, { prepare }) => {
  let database: PreparedDatabase;
  let program: SluiceProgram | undefined;
  let mails: Arrivals;
  let messages: Arrivals;
  let webhookSecret = '';
  let forged = 0;
  /** Of mails of the events, as they came. */
  const heads: { readonly language: string; readonly stop: string }[] = [];
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const head =
          Buffer.concat(chunks)
            .toString()
            .split('\r\n\r\n')[0]
            ?.replaceAll(/\r\n[ \t]+/g, ' ') ?? '';
        const headerOf = (name: string) =>
          new RegExp(`^${name}: *(.+)$`, 'im').exec(head)?.[1]?.trim() ?? 'none';
        const id = headerOf('message-id');
        const isToldOfEvents = envelope.rcptTo.some(({ address }) => address === recipient);
        if (isToldOfEvents) {
          const stop = [headerOf('list-unsubscribe-post'), headerOf('list-unsubscribe')].join(' ');
          heads.push({ language: headerOf('content-language'), stop });
        }
        if (!isToldOfEvents || mails.add(id)) done();
      });
    },
  });
  const receiver = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const body = await request.text();
      try {
        new Verifier(webhookSecret).verify(body, Object.fromEntries(request.headers));
      } catch {
        forged += 1;
      }
      if (!messages.add(request.headers.get('webhook-id') ?? 'none'))
        await Promise.withResolvers<void>().promise;
      return new Response(null, { status: 204 });
    },
  });
  beforeAll(async () => {
    // Its clients are killed, which it hears as errors.
    smtp.on('error', () => undefined);
    smtp.listen(0, '127.0.0.1');
    await once(smtp.server, 'listening');
  });
  beforeEach(async () => {
    database = await prepare();
    mails = new Arrivals();
    messages = new Arrivals();
    forged = 0;
    heads.length = 0;
  });
  afterEach(async () => {
    await program?.discard();
    program = undefined;
    await database.discard();
  });
  afterAll(async () => {
    await receiver.stop(true);
    await new Promise<void>((resolve) => smtp.close(() => resolve()));
  });

  async function start(): Promise<SluiceProgram> {
    const address = smtp.server.address();
    program = await startProgram({
      database,
      file: {},
      variables: {
        SLUICE_SMTP_URL: `smtp://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
        SLUICE_MAIL_FROM: 'Sluice <sluice@example.test>',
        SLUICE_PUBLIC_URL: 'http://127.0.0.1:9',
        SLUICE_WEBHOOKS_PRIVATE: 'on',
      },
    });
    return program;
  }
  async function inDatabase<Result>(run: (storage: Storage) => Promise<Result>): Promise<Result> {
    const storage = await openStorage(database.options);
    try {
      return await run(storage);
    } finally {
      await storage.close();
    }
  }

  /** An account with a webhook, and events of it that nobody has looked at. */
  async function raiseEvents(storage: Storage): Promise<void> {
    const [person] = await storage.db
      .insert(users)
      .values({ email: recipient, role: 'member', language: 'fr' })
      .returning();
    const userId = person?.id ?? 0;
    const envelope = await openEnvelope(secret);
    const network = {
      isPrivateAllowed: true,
      resolve: async () => [{ address: '127.0.0.1', family: 4 as const }],
    };
    const clock = new ManualClock(Date.now());
    const url = `http://127.0.0.1:${receiver.port}/hook`;
    const fields = await checkWebhook(
      { name: 'on call', url, events: null, format: 'standard', enabled: true },
      { clock, network },
    );
    await transact({ storage, clock, ids: systemIds }, async (work) => {
      const made = await createWebhook(
        { whose: 'person', userId },
        work,
        { envelope },
        { ...fields, createdBy: userId },
      );
      webhookSecret = made.secret;
      for (let count = 0; count < eventCount; count += 1) {
        const facts = { balance_usd: `${count}.50`, level_usd: '10.00' };
        await raiseEvent(work, { kind: 'wallet.low', facts, audience: { of: 'account', id: userId } });
      }
    });
  }

  const readMails = ({ db }: Storage) =>
    db.select().from(mailOutbox).where(eq(mailOutbox.kind, 'wallet.low')).orderBy(asc(mailOutbox.id));
  const readDeliveries = ({ db }: Storage) =>
    db.select().from(webhookDeliveries).orderBy(asc(webhookDeliveries.id));

  test('tells the next time what it could not record, at most once more, and loses nothing', async () => {
    await inDatabase(raiseEvents);
    const bothHeld = Promise.all([mails.holdAfter(takenFirst), messages.holdAfter(takenFirst)]);
    const first = await start();
    await bothHeld;
    await first.kill();
    expect(first.ending).toBe('SIGKILL');

    const open = await inDatabase(async (storage) => {
      const waiting = {
        mails: (await readMails(storage)).filter(({ sentAt }) => sentAt === null),
        deliveries: (await readDeliveries(storage)).filter(({ deliveredAt }) => deliveredAt === null),
      };
      // What was claimed is nobody else's yet: so long is waited for a process that may be alive.
      const heldNow = mails.ids.length - (eventCount - waiting.mails.length);
      expect(
        waiting.mails.filter(({ tries, dueAt }) => tries === 1 && dueAt.getTime() > Date.now()).length,
      ).toBeGreaterThanOrEqual(heldNow);
      const dueAt = new Date(0);
      await storage.db.update(mailOutbox).set({ dueAt }).where(isNull(mailOutbox.sentAt));
      await storage.db.update(webhookDeliveries).set({ dueAt }).where(isNull(webhookDeliveries.deliveredAt));
      return { mails: waiting.mails.length, deliveries: waiting.deliveries.length };
    });
    expect(open.mails).toBeGreaterThan(0);
    expect(open.deliveries).toBeGreaterThan(0);

    const allCame = Promise.all([mails.take(open.mails), messages.take(open.deliveries)]);
    const second = await start();
    await allCame;
    expect(await second.stop()).toBe(0);

    await inDatabase(async (storage) => {
      const [told, delivered] = [await readMails(storage), await readDeliveries(storage)];
      expect(told.map(({ sentAt, failedAt }) => [sentAt === null, failedAt])).toEqual(
        Array.from({ length: eventCount }, () => [false, null]),
      );
      expect(delivered.map(({ deliveredAt, failedAt }) => [deliveredAt === null, failedAt])).toEqual(
        Array.from({ length: eventCount }, () => [false, null]),
      );
    });
    for (const { copies, ids } of [mails, messages]) {
      expect(ids).not.toContain('none');
      expect(copies).toHaveLength(eventCount);
      expect(Math.max(...copies)).toBe(2);
    }
    expect(forged).toBe(0);
    expect(new Set(heads.map(({ language }) => language))).toEqual(new Set(['fr']));
    for (const { stop } of heads) {
      expect(stop).toMatch(/^List-Unsubscribe=One-Click <http:\/\/127\.0\.0\.1:9\/unsubscribe\?token=\S+>$/);
    }
  }, 180_000);
});
