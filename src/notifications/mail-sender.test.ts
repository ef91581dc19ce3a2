/** From the work that causes a mail to its end: sent once, tried again, given up; with processes that die and replicas beside. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { asc, eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import type { Clock } from '../base/clock.ts';
import { type Envelope, openEnvelope } from '../base/envelope.ts';
import { systemIds } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { clockShowing, ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import type { AgreeingParts } from '../storage/agreed-time.ts';
import { auditEntries } from '../storage/schema/audit.ts';
import { users } from '../storage/schema/identity.ts';
import { mailOutbox } from '../storage/schema/notifications.ts';
import type { Storage } from '../storage/storage.ts';
import { transact } from '../storage/work.ts';
import { MailSender } from './mail-sender.ts';
import { MailError, type Mailer, type MailFailure, type Message } from './mailer.ts';
import { type ClaimedMail, Outbox, type QueuedMail, type TriedMail } from './outbox.ts';
import { slowToBegin } from './testing/slow-connection.ts';

const minuteMs = 60_000;
const mostLooks = 100_000;
const service = { name: 'Sluice', url: 'https://sluice.test' };

/** Fails as it is told, then takes everything. */
class ScriptedMailer implements Mailer {
  readonly begun: Message[] = [];
  readonly sent: Message[] = [];
  readonly failures: MailFailure[] = [];
  isClosed = false;
  /** Held back until it resolves. */
  gate: Promise<void> = Promise.resolve();
  /** Of one recipient. */
  readonly gates = new Map<string, Promise<void>>();
  mostAtOnce = 0;
  #atOnce = 0;

  async send(message: Message, signal: AbortSignal): Promise<void> {
    this.begun.push(message);
    this.#atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce);
    try {
      await this.#send(message, signal);
    } finally {
      this.#atOnce -= 1;
    }
  }

  async #send(message: Message, signal: AbortSignal): Promise<void> {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    await Promise.race([this.gates.get(message.to) ?? this.gate, aborted]);
    if (signal.aborted) throw new MailError('unknown', 'aborted');
    const failure = this.failures.shift();
    if (failure !== 'refused' && failure !== 'not_sent') this.sent.push(message);
    if (failure !== undefined) throw new MailError(failure, `it was ${failure}`);
  }

  async check(): Promise<void> {}

  close(): void {
    this.isClosed = true;
  }

  describe(): string {
    return 'nowhere';
  }
}

type Rows = readonly (typeof mailOutbox.$inferSelect)[];
const isSent = ([first]: Rows) => first?.sentAt instanceof Date;
const isGivenUp = ([first]: Rows) => first?.failedAt instanceof Date;

describeOnEachDatabase('mails', (openDatabase) => {
  let storage: Storage;
  let envelope: Envelope;
  let clock: ManualClock;
  let parts: AgreeingParts;
  let outbox: Outbox;
  let mailer: ScriptedMailer;
  const senders: MailSender[] = [];

  beforeAll(async () => {
    storage = await openDatabase();
    envelope = await openEnvelope('a secret of more than thirty-two characters');
  });
  afterAll(() => storage.close());
  beforeEach(() => {
    clock = new ManualClock();
    parts = { storage, clock, ids: systemIds, databaseMs: async () => clock.nowMs() };
    outbox = new Outbox({ ...parts, envelope, service });
    mailer = new ScriptedMailer();
  });
  afterEach(async () => {
    const closing = senders.splice(0).map((sender) => sender.close(0));
    await clock.advance(0);
    await Promise.all(closing);
    await storage.db.delete(mailOutbox);
  });

  function start(given: { outbox?: Outbox; clock?: Clock; log?: Log; atOnce?: number } = {}): MailSender {
    const { changes } = storage;
    const sender = new MailSender({ outbox, mailer, changes, clock, log: silentLog, ...given });
    senders.push(sender);
    return sender;
  }

  const mail = (to: string, expiresAt?: Date): QueuedMail => ({
    kind: 'reset_password',
    facts: { link: 'https://sluice.test/reset-password?token=hush', lifetimeMs: 60 * minuteMs },
    to,
    language: 'de',
    service,
    accountId: null,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });
  const queue = (...mails: QueuedMail[]) =>
    transact(parts, async (work) => {
      for (const each of mails) await outbox.queue(work, each);
    });
  const rows = () => storage.db.select().from(mailOutbox).orderBy(asc(mailOutbox.id));

  /** What happens by itself, as soon as it has: timers that are due meanwhile fire. */
  async function until(isSo: (found: Rows) => boolean) {
    for (let looks = 0; looks < mostLooks; looks += 1) {
      const found = await rows();
      if (isSo(found)) return found;
      await clock.advance(0);
    }
    throw new Error(`It did not happen: ${JSON.stringify(await rows())}`);
  }
  /** Time passes once the loop waits for it. */
  async function untilAfter(ms: number, isSo: (found: Rows) => boolean) {
    while (clock.pendingTimers === 0) await rows();
    await clock.advance(ms);
    return until(isSo);
  }

  test('are sent as soon as their work is committed, once, and their secrets are gone', async () => {
    start();
    await queue(mail('ada@example.test'));
    const [row] = await until(isSent);
    expect(row).toMatchObject({
      recipient: 'ada@example.test',
      tries: 1,
      sealedContent: null,
      failedAt: null,
    });
    expect(mailer.sent).toHaveLength(1);
    expect(mailer.sent[0]).toMatchObject({ to: 'ada@example.test', id: row?.messageId, language: 'de' });
    expect(mailer.sent[0]?.subject).toBe('Wählen Sie ein neues Passwort');
    expect(mailer.sent[0]?.text).toContain('https://sluice.test/reset-password?token=hush');
  });

  test('of work that fails are never there', async () => {
    start();
    const failing = transact(parts, async (work) => {
      await outbox.queue(work, mail('nobody@example.test'));
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    await queue(mail('ada@example.test'));
    await until(isSent);
    expect(mailer.begun.map(({ to }) => to)).toEqual(['ada@example.test']);
  });

  test('keep no secret in the clear while they wait', async () => {
    await queue(mail('ada@example.test'));
    expect(JSON.stringify(await rows())).not.toContain('hush');
  });

  test('wait for a process that sends, and go out oldest first', async () => {
    const people = Array.from({ length: 10 }, (_, at) => `person-${at}@example.test`);
    for (const to of people) {
      await queue(mail(to));
      await clock.advance(1);
    }
    start({ atOnce: 1 });
    await until((all) => all.every(({ sentAt }) => sentAt instanceof Date));
    expect(mailer.begun.map(({ to }) => to)).toEqual(people);
  });

  test('are as many at once as there are places, and one that is slow holds up no other', async () => {
    const slow = Promise.withResolvers<void>();
    mailer.gates.set('slow@example.test', slow.promise);
    const sender = start({ atOnce: 2 });
    await queue(mail('slow@example.test'));
    for (let at = 0; at < 6; at += 1) await queue(mail(`quick-${at}@example.test`));
    await until((all) => all.filter(({ sentAt }) => sentAt instanceof Date).length === 6);
    expect(mailer.mostAtOnce).toBe(2);
    slow.resolve();
    await until((all) => all.every(({ sentAt }) => sentAt instanceof Date));
    await sender.close();
    expect(mailer.isClosed).toBe(true);
  });

  test('what becomes of several is written together while the database is slow', async () => {
    const written: number[] = [];
    const first = Promise.withResolvers<void>();
    class Slow extends Outbox {
      override async settle(tried: readonly TriedMail[]): Promise<void> {
        written.push(tried.length);
        if (written.length === 1) await first.promise;
        await super.settle(tried);
      }
    }
    await queue(...Array.from({ length: 5 }, (_, at) => mail(`person-${at}@example.test`)));
    start({ outbox: new Slow({ ...parts, envelope, service }) });
    await until(() => mailer.sent.length === 5);
    first.resolve();
    await until((all) => all.every(({ sentAt }) => sentAt instanceof Date));
    expect(written.length).toBeLessThanOrEqual(3);
    expect(written.reduce((sum, count) => sum + count, 0)).toBe(5);
  });

  test('that could not be sent are tried after 1, 5, 15 and 60 minutes, and no sooner', async () => {
    mailer.failures.push('not_sent', 'not_sent', 'not_sent', 'not_sent');
    start();
    await queue(mail('ada@example.test'));
    await until(([first]) => first?.lastError === 'it was not_sent');
    for (const [at, minutes] of [1, 5, 15, 60].entries()) {
      await until(([first]) => first?.dueAt.getTime() === clock.nowMs() + minutes * minuteMs);
      await untilAfter(minutes * minuteMs - 1, () => true);
      expect(mailer.begun).toHaveLength(at + 1);
      await untilAfter(1, ([first]) => first?.tries === at + 2);
      await until(([first]) => first?.sentAt instanceof Date || first?.failedTries === at + 2);
    }
    const [row] = await until(isSent);
    expect(row).toMatchObject({ tries: 5, failedTries: 4, lastError: null, sealedContent: null });
    expect(new Set(mailer.begun.map(({ id }) => id)).size).toBe(1);
  });

  test('that a server refuses for good are given up at once', async () => {
    mailer.failures.push('refused');
    start();
    await queue(mail('ada@example.test'));
    const [row] = await until(isGivenUp);
    expect(row).toMatchObject({ tries: 1, sentAt: null, sealedContent: null, lastError: 'it was refused' });
  });

  test('that are given up stand in the activity of whose they are, and of nobody where they are nobody’s', async () => {
    const [user] = await storage.db
      .insert(users)
      .values({ email: 'ada@example.test', role: 'member' })
      .returning();
    const accountId = user?.id ?? 0;
    mailer.failures.push('refused', 'refused');
    await queue(mail('nobody@example.test'), { ...mail('ada@example.test'), accountId });
    start();
    await until((all) => all.length === 2 && all.every(({ failedAt }) => failedAt !== null));
    const noted = await storage.db.select().from(auditEntries);
    expect(noted).toMatchObject([
      {
        ...{ action: 'account.mail_given_up', userId: accountId, actorKind: 'program' },
        ...{ details: { kind: 'reset_password' }, personal: { label: 'ada@example.test' } },
      },
    ]);
  });

  test('that are refused after their account was removed stand in nobody’s activity', async () => {
    const [user] = await storage.db
      .insert(users)
      .values({ email: 'gone@example.test', role: 'member' })
      .returning();
    const accountId = user?.id ?? 0;
    for (const to of ['gone@example.test', 'before@example.test']) await queue({ ...mail(to), accountId });
    const claimed = await outbox.claim(2);
    // As the removal does: what is theirs goes, and what is told to the address before is no account's any more.
    await storage.db.delete(mailOutbox).where(eq(mailOutbox.recipient, 'gone@example.test'));
    await storage.db.update(mailOutbox).set({ accountId: null });
    await outbox.settle(claimed.map((mail) => ({ mail, end: { end: 'given_up', error: 'refused' } })));
    expect(await rows()).toMatchObject([{ recipient: 'before@example.test', lastError: 'refused' }]);
    const about = eq(auditEntries.userId, accountId);
    expect(await storage.db.select().from(auditEntries).where(about)).toEqual([]);
  });

  test('that cannot be opened while the database is away are tried again, as often as others', async () => {
    let isAway = true;
    class Away extends Outbox {
      override open(mail: ClaimedMail): ReturnType<Outbox['open']> {
        return isAway ? Promise.reject(new Error('Connection terminated unexpectedly')) : super.open(mail);
      }
    }
    start({ outbox: new Away({ ...parts, envelope, service }) });
    await queue(mail('ada@example.test'));
    const [tried] = await until(([first]) => first?.failedTries === 1);
    expect(tried).toMatchObject({ failedAt: null, lastError: 'Connection terminated unexpectedly' });
    await untilAfter(minuteMs, ([first]) => first?.failedTries === 2);
    await storage.db.update(mailOutbox).set({ tries: 8, failedTries: 8 });
    const [failed] = await untilAfter(5 * minuteMs, ([first]) => first?.failedTries === 9);
    isAway = false;
    // No further than it is due: time that goes by while it is sent would have it taken for left.
    const [row] = await untilAfter((failed?.dueAt.getTime() ?? 0) - clock.nowMs(), isSent);
    expect(row).toMatchObject({ tries: 10, failedTries: 9, lastError: null });
    isAway = true;
    await queue(mail('eve@example.test'));
    const isOfEve = (all: Rows) => all.slice(1);
    await until((all) => isOfEve(all)[0]?.failedTries === 1);
    await storage.db.update(mailOutbox).set({ tries: 9, failedTries: 9 });
    const last = await untilAfter(minuteMs, (all) => isGivenUp(isOfEve(all)));
    expect(last[1]?.lastError).toBe('it was tried 10 times; at last: Connection terminated unexpectedly');
    expect(mailer.begun).toHaveLength(1);
  });

  test('are not sent once they are worth nothing', async () => {
    mailer.failures.push('not_sent', 'not_sent');
    start();
    await queue(mail('ada@example.test', new Date(clock.nowMs() + 3 * minuteMs)));
    await until(([first]) => first?.failedTries === 1);
    const [row] = await untilAfter(minuteMs, isGivenUp);
    expect(row).toMatchObject({ tries: 2, sealedContent: null });
    expect(row?.lastError).toStartWith('it was worth nothing any more');
  });

  test('are sent at most twice when what became of them cannot be recorded', async () => {
    class Forgetful extends Outbox {
      override settle(): Promise<void> {
        return Promise.reject(new Error('the process died'));
      }
    }
    const forgetful = new Forgetful({ ...parts, envelope, service });
    start({ outbox: forgetful });
    await queue(mail('ada@example.test'));
    await until(() => mailer.sent.length === 1);
    // What was claimed is due again and again, and only looked at from the third time on.
    for (let tries = 2; tries <= 4; tries += 1) {
      // The loop waits a little between its attempts to record, and then for the claim to lapse.
      for (let minutes = 0; minutes < 16; minutes += 1) await untilAfter(minuteMs, () => true);
      await until(([first]) => (first?.tries ?? 0) >= tries);
    }
    const [row] = await rows();
    expect(mailer.sent).toHaveLength(2);
    expect(mailer.sent[0]?.id).toBe(mailer.sent[1]?.id ?? '');
    expect(row?.sentAt).toBeNull();
  });

  test('that broke off while under way are tried once more, and no third time', async () => {
    mailer.failures.push('unknown', 'unknown');
    start();
    await queue(mail('ada@example.test'));
    await until(([first]) => first?.lastError === 'it was unknown');
    const [row] = await untilAfter(minuteMs, isGivenUp);
    expect(row?.lastError).toBe('it may have been delivered twice already; at last: it was unknown');
    expect(mailer.begun).toHaveLength(2);
  });

  test('are sent once though several processes look for them', async () => {
    for (let at = 0; at < 4; at += 1) start();
    await queue(...Array.from({ length: 30 }, (_, at) => mail(`person-${at}@example.test`)));
    await until((all) => all.length === 30 && all.every(({ sentAt }) => sentAt instanceof Date));
    expect(mailer.begun).toHaveLength(30);
    expect(new Set(mailer.sent.map(({ to }) => to)).size).toBe(30);
  });

  test('are nobody else’s for five minutes from when they are found, however long a connection was waited for', async () => {
    await queue(mail('ada@example.test'));
    const db = slowToBegin(storage.db, () => clock.advance(10 * minuteMs));
    const waiting = new Outbox({ ...parts, storage: { ...storage, db }, envelope, service });
    const [claimed] = await waiting.claim(1);
    expect(claimed?.claimedUntil.getTime()).toBe(clock.nowMs() + 5 * minuteMs);
    expect(await outbox.claim(1)).toEqual([]);
  });

  test('are taken when they are due and by one process alone, though the clocks of processes are apart', async () => {
    const { databaseMs: _, ...usual } = parts;
    const outboxAt = (apartMs: number) => {
      const apart = { ...usual, clock: clockShowing(() => Date.now() + apartMs) };
      return { apart, outbox: new Outbox({ ...apart, envelope, service }) };
    };
    const [late, early] = [outboxAt(-10 * minuteMs), outboxAt(10 * minuteMs)];
    const link = mail('ada@example.test', new Date(Date.now() + 9 * minuteMs));
    await transact(early.apart, (work) => early.outbox.queue(work, link));
    const [claimed] = await late.outbox.claim(1);
    if (claimed === undefined) throw new Error('It was not due.');
    expect(await early.outbox.claim(1)).toEqual([]);
    // As long as it says by the clock of whoever waits for it.
    const dueInMs = ((await early.outbox.nextDueMs()) ?? 0) - early.apart.clock.nowMs();
    expect([Math.ceil(dueInMs / minuteMs), Math.ceil((claimed.worthForMs ?? 0) / minuteMs)]).toEqual([5, 9]);
    const end = { end: 'again', afterMs: 0, isKnown: true, error: 'it was not sent' } as const;
    await late.outbox.settle([{ mail: claimed, end }]);
    const [again] = await early.outbox.claim(1);
    expect(again).toMatchObject({ triesBefore: 1, unknownTries: 0 });
    expect(Math.ceil((again?.worthForMs ?? 0) / minuteMs)).toBe(9);
    expect(await late.outbox.claim(1)).toEqual([]);
  });

  test('are settled by whoever has them, and by whoever has sent them', async () => {
    await queue(mail('ada@example.test'));
    const claim = async () => {
      const [claimed] = await outbox.claim(1);
      if (claimed === undefined) throw new Error('It was not due.');
      return claimed;
    };
    const lapsed = await claim();
    await clock.advance(5 * minuteMs);
    const own = await claim();
    const [before] = await rows();
    const error = 'it came too late';
    await outbox.settle([
      { mail: lapsed, end: { end: 'again', afterMs: 0, isKnown: true, error } },
      { mail: lapsed, end: { end: 'given_up', error } },
      { mail: lapsed, end: { end: 'unwanted' } },
    ]);
    expect(await rows()).toEqual(before === undefined ? [] : [before]);
    await outbox.settle([{ mail: lapsed, end: { end: 'sent' } }]);
    await outbox.settle([{ mail: own, end: { end: 'given_up', error } }]);
    expect(await rows()).toMatchObject([
      { sentAt: new Date(clock.nowMs()), failedAt: null, lastError: null },
    ]);
    await clock.advance(5 * minuteMs);
    expect(await outbox.claim(1)).toEqual([]);
  });

  test('a server that says nothing costs a minute, and a stop does not wait for it', async () => {
    mailer.gate = new Promise(() => undefined);
    const sender = start();
    await queue(mail('ada@example.test'));
    await until(() => mailer.begun.length === 1);
    await untilAfter(minuteMs, ([first]) => first?.lastError === 'aborted');
    await untilAfter(minuteMs, () => mailer.begun.length === 2);
    const closing = sender.close();
    await clock.advance(5000);
    await closing;
    const [row] = await rows();
    expect(row).toMatchObject({ tries: 2, failedTries: 0, sentAt: null });
  });

  test('a decoy takes as much writing as a mail, and reaches nobody', async () => {
    start();
    await transact(parts, (work) => outbox.queueDecoy(work));
    const [row] = await until(isSent);
    expect(row).toMatchObject({ kind: 'decoy', sealedContent: null });
    expect(mailer.begun).toEqual([]);
  });

  test('that another version queued are left to it, and not thrown away', async () => {
    await queue(mail('ada@example.test'));
    const [before] = await storage.db.select().from(mailOutbox);
    const kind = before?.kind ?? '';
    await storage.db.update(mailOutbox).set({ kind: 'of_a_newer_version' });
    start();
    const [row] = await until(([first]) => first?.failedTries === 1);
    expect(row).toMatchObject({ failedAt: null, sealedContent: before?.sealedContent });
    await storage.db.update(mailOutbox).set({ kind });
    await untilAfter(2 * minuteMs, isSent);
  });

  test('that cannot be read are given up, with a line in the log', async () => {
    const errors: string[] = [];
    await queue(mail('ada@example.test'));
    await storage.db.update(mailOutbox).set({ sealedContent: 'v1.AAAA' });
    start({ log: { ...silentLog, error: (message) => void errors.push(message) } });
    await until(isGivenUp);
    expect(errors).toEqual(['a mail was given up']);
    expect(mailer.begun).toEqual([]);
  });

  test('are forgotten a week after they were sent, and not before', async () => {
    start();
    await queue(mail('ada@example.test'));
    const [row] = await until(isSent);
    const weekMs = 7 * 24 * 60 * minuteMs;
    await storage.db
      .update(mailOutbox)
      .set({ sentAt: new Date(clock.nowMs() - weekMs + 90 * minuteMs) })
      .where(eq(mailOutbox.id, row?.id ?? 0));
    await untilAfter(61 * minuteMs, () => true);
    await queue(mail('eve@example.test'));
    expect(await until((all) => all.at(-1)?.sentAt instanceof Date)).toHaveLength(2);
    await untilAfter(61 * minuteMs, (all) => all.length === 1);
  });

  test('are forgotten by no clock that is ahead, and in time once it is set right', async () => {
    const dayMs = 24 * 60 * minuteMs;
    let aheadMs = 365 * dayMs;
    const { monotonicMs, after, sleep } = clock;
    const wrong = { nowMs: () => clock.nowMs() + aheadMs, monotonicMs, after, sleep };
    await queue(mail('ada@example.test'));
    await outbox.settle((await outbox.claim(1)).map((each) => ({ mail: each, end: { end: 'sent' } })));
    start({ outbox: new Outbox({ ...parts, clock: wrong, envelope, service }), clock: wrong });
    expect(await untilAfter(0, () => true)).toHaveLength(1);
    aheadMs = 0;
    await storage.db.update(mailOutbox).set({ sentAt: new Date(clock.nowMs() - 8 * dayMs) });
    await untilAfter(61 * minuteMs, (all) => all.length === 0);
  });
});
