/** The loop that sends what waits in the outbox; any number of processes may run it on one database. */
import { type Clock, withinTime } from '../base/clock.ts';
import { describeThrown } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { ChangeFeed } from '../storage/change-feed.ts';
import { DueLoop, endWithin, insist } from './due-loop.ts';
import { outboxTopic } from './mail-turns.ts';
import { MailError, type Mailer, usualConnections } from './mailer.ts';
import type { ClaimedMail, Outbox, TriedMail, TryEnd } from './outbox.ts';
import { renderMail } from './render-mail.tsx';

const minuteMs = 60_000;
/** Behind the first try, the second, and so on; the last one stands for all that follow. */
const pausesMs = [1, 5, 15, 60, 180].map((minutes) => minutes * minuteMs);
const mostTries = 10;
/** Tries that may have delivered it. */
const mostUnknownTries = 2;
const tryMs = minuteMs;
const keptMs = 7 * 24 * 60 * minuteMs;
const cleaningMs = 60 * minuteMs;
/** As long as a stop waits for mails under way. */
const closingMs = 5000;
/**
 * Between attempts to record what became of mails: together with a try they end before a claim does, so that a database
 * that fails over has nobody told twice.
 */
const recordPausesMs = [250, 1000, 5000, 15_000, 30_000, 60_000, 60_000];

export interface MailSenderParts {
  readonly outbox: Pick<Outbox, 'claim' | 'open' | 'settle' | 'nextDueMs' | 'deleteOlderThan'>;
  readonly mailer: Mailer;
  /** How many mails are under way at once. */
  readonly atOnce?: number;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  readonly log: Log;
}

export class MailSender {
  readonly #parts: MailSenderParts;
  readonly #atOnce: number;
  readonly #stopping = new AbortController();
  readonly #loop: DueLoop;
  readonly #underWay = new Set<Promise<void>>();
  #gathering: { readonly tried: TriedMail[]; readonly written: Promise<void> } | undefined;
  #lastWritten = Promise.resolve();
  /** By the clock that never goes back, so that one which is set right does not keep it from cleaning. */
  #cleanedAtMs = Number.NEGATIVE_INFINITY;

  /** It begins at once. */
  constructor(parts: MailSenderParts) {
    this.#parts = parts;
    this.#atOnce = parts.atOnce ?? usualConnections;
    this.#loop = new DueLoop({
      ...parts,
      topic: outboxTopic,
      failure: 'the outbox of mails could not be read',
      round: (isClosing) => this.#round(isClosing),
    });
  }

  /** Lets what is under way end, but no longer than a mail server may take, which would hold up the stop. */
  async close(limitMs = closingMs): Promise<void> {
    const { clock, mailer } = this.#parts;
    const abort = () => this.#stopping.abort();
    await endWithin(this.#end(), { clock, limitMs, abort });
    mailer.close();
  }

  #end(): Promise<void> | undefined {
    const round = this.#loop.stop();
    if (round === undefined && this.#underWay.size === 0) return undefined;
    return (round ?? Promise.resolve()).then(() => Promise.all(this.#underWay)).then(() => undefined);
  }

  /**
   * Takes as many as have a place, and does not wait for them: each that ends asks for the next round, so that one that
   * is slow holds up no other. Nothing is taken that is not tried at once, since a try counts when it is taken.
   */
  async #round(isClosing: () => boolean): Promise<number | null> {
    const places = this.#atOnce - this.#underWay.size;
    if (isClosing() || places === 0) return null;
    const claimed = await this.#parts.outbox.claim(places);
    for (const mail of claimed) this.#begin(mail);
    return claimed.length === places ? null : await this.#cleanAndFindDue();
  }

  #begin(mail: ClaimedMail): void {
    const trying = this.#try(mail).finally(() => {
      this.#underWay.delete(trying);
      this.#loop.wake();
    });
    this.#underWay.add(trying);
  }

  async #cleanAndFindDue(): Promise<number | null> {
    const { outbox, clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#cleanedAtMs >= cleaningMs) {
      await outbox.deleteOlderThan(keptMs);
      this.#cleanedAtMs = nowMs;
    }
    return await outbox.nextDueMs();
  }

  async #try(mail: ClaimedMail): Promise<void> {
    const end = await this.#send(mail);
    if (end.end === 'given_up') {
      this.#parts.log.error('a mail was given up', {
        detail: `${mail.kind}: ${end.error}`,
        attempts: mail.triesBefore + 1,
      });
    }
    await this.#record({ mail, end });
  }

  /** What ends while others are being written is written with the next ones, in one transaction. */
  #record(one: TriedMail): Promise<void> {
    if (this.#gathering === undefined) {
      const tried: TriedMail[] = [];
      const written = this.#lastWritten.then(() => {
        this.#gathering = undefined;
        return this.#write(tried);
      });
      this.#lastWritten = written;
      this.#gathering = { tried, written };
    }
    this.#gathering.tried.push(one);
    return this.#gathering.written;
  }

  async #write(tried: readonly TriedMail[]): Promise<void> {
    const { outbox, clock, log } = this.#parts;
    const patience = { clock, pausesMs: recordPausesMs, signal: this.#stopping.signal };
    try {
      await insist(() => outbox.settle(tried), patience);
    } catch (error) {
      const ends = tried.map(({ mail, end }) => `${mail.kind}, ${end.end}`).join('; ');
      const detail = `${ends}: ${describeThrown(error)}`;
      log.error('what became of mails could not be recorded', { detail });
    }
  }

  async #send(mail: ClaimedMail): Promise<TryEnd> {
    const { outbox, mailer, clock } = this.#parts;
    const { messageId, recipient, language, createdAt } = mail;
    const reason = whyNoMore(mail, 0);
    if (reason !== undefined) return { end: 'given_up', error: reason };
    try {
      const told = await outbox.open(mail);
      if (told === null) return { end: 'sent' };
      if (told === 'unwanted') return { end: 'unwanted' };
      const { news, service, stoppable } = told;
      const rendered = await renderMail(news, { language, service, stoppable });
      const about = { id: messageId, to: recipient, language, writtenAt: createdAt };
      const message = { ...rendered, ...about, stopLink: stoppable?.link ?? null };
      await withinTime(clock, tryMs, (late) =>
        mailer.send(message, AbortSignal.any([late, this.#stopping.signal])),
      );
      return { end: 'sent' };
    } catch (error) {
      return this.#endAfter(error, mail);
    }
  }

  #endAfter(error: unknown, mail: ClaimedMail): TryEnd {
    // A server may say what no text of the database can hold, which would keep it from being recorded.
    const said = describeThrown(error).replaceAll('\0', '');
    // What no mailer says is about our own part, such as a database that is away: nothing was sent, and a later try may do.
    const failure = error instanceof MailError ? error.failure : 'not_sent';
    if (failure === 'refused') return { end: 'given_up', error: said };
    const isKnown = failure === 'not_sent';
    const afterMs = pausesMs[Math.min(mail.triesBefore, pausesMs.length - 1)] ?? minuteMs;
    const next = {
      ...mail,
      triesBefore: mail.triesBefore + 1,
      unknownTries: mail.unknownTries + (isKnown ? 0 : 1),
    };
    const reason = whyNoMore(next, afterMs);
    if (reason !== undefined) return { end: 'given_up', error: `${reason}; at last: ${said}` };
    return { end: 'again', afterMs, isKnown, error: said };
  }
}

function whyNoMore(
  { triesBefore, unknownTries, worthForMs }: ClaimedMail,
  afterMs: number,
): string | undefined {
  if (unknownTries >= mostUnknownTries) return 'it may have been delivered twice already';
  if (triesBefore >= mostTries) return `it was tried ${triesBefore} times`;
  if (worthForMs !== null && worthForMs <= afterMs) return 'it was worth nothing any more';
  return undefined;
}
