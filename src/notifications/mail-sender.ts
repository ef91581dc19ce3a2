/** The loop that sends what waits in the outbox; any number of processes may run it on one database. */
import { type Clock, withinTime } from '../base/clock.ts';
import { describeThrown } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { ChangeFeed } from '../storage/change-feed.ts';
import { closeWithin, DueLoop } from './due-loop.ts';
import { MailError, type Mailer } from './mailer.ts';
import { type ClaimedMail, type Outbox, outboxTopic, type TryEnd } from './outbox.ts';
import { renderMail } from './render-mail.tsx';

const minuteMs = 60_000;
/** Behind the first try, the second, and so on; the last one stands for all that follow. */
const pausesMs = [1, 5, 15, 60, 180].map((minutes) => minutes * minuteMs);
const mostTries = 10;
/** Tries that may have delivered it. */
const mostUnknownTries = 2;
const atOnce = 4;
const tryMs = minuteMs;
const keptMs = 7 * 24 * 60 * minuteMs;
const cleaningMs = 60 * minuteMs;
/** As long as a stop waits for mails under way. */
const closingMs = 5000;
const recordAttempts = 4;
const recordRetryMs = 250;

export interface MailSenderParts {
  readonly outbox: Pick<Outbox, 'claim' | 'open' | 'settle' | 'nextDueMs' | 'deleteOlderThan'>;
  readonly mailer: Mailer;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  readonly log: Log;
}

export class MailSender {
  readonly #parts: MailSenderParts;
  readonly #stopping = new AbortController();
  readonly #loop: DueLoop;
  #cleanedAtMs = Number.NEGATIVE_INFINITY;

  /** It begins at once. */
  constructor(parts: MailSenderParts) {
    this.#parts = parts;
    this.#loop = new DueLoop({
      ...parts,
      topic: outboxTopic,
      failure: 'the outbox of mails could not be read',
      round: (isClosing) => this.#round(isClosing),
    });
  }

  /** Lets what is under way end, but no longer than a mail server may take, which would hold up the stop. */
  close(limitMs = closingMs): Promise<void> {
    return closeWithin(this.#loop, {
      clock: this.#parts.clock,
      limitMs,
      abort: () => this.#stopping.abort(),
    });
  }

  async #round(isClosing: () => boolean): Promise<number | null> {
    await this.#sendAllDue(isClosing);
    return await this.#cleanAndFindDue();
  }

  async #sendAllDue(isClosing: () => boolean): Promise<void> {
    while (!isClosing()) {
      const claimed = await this.#parts.outbox.claim(atOnce);
      await Promise.all(claimed.map((mail) => this.#try(mail)));
      if (claimed.length < atOnce) break;
    }
  }

  async #cleanAndFindDue(): Promise<number | null> {
    const { outbox, clock } = this.#parts;
    const nowMs = clock.nowMs();
    if (nowMs - this.#cleanedAtMs >= cleaningMs) {
      await outbox.deleteOlderThan(new Date(nowMs - keptMs));
      this.#cleanedAtMs = nowMs;
    }
    return await outbox.nextDueMs();
  }

  /** It never throws: what cannot be recorded counts as a try whose end nobody knows. */
  async #try(mail: ClaimedMail): Promise<void> {
    const { outbox, clock, log } = this.#parts;
    const end = await this.#send(mail);
    if (end.end === 'given_up') {
      log.error('a mail was given up', {
        detail: `${mail.kind}: ${end.error}`,
        attempts: mail.triesBefore + 1,
      });
    }
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await outbox.settle(mail, end);
      } catch (error) {
        if (attempt === recordAttempts) {
          const detail = `${mail.kind}, ${end.end}: ${describeThrown(error)}`;
          return log.error('what became of a mail could not be recorded', { detail });
        }
        await clock.sleep(recordRetryMs, this.#stopping.signal);
      }
    }
  }

  async #send(mail: ClaimedMail): Promise<TryEnd> {
    const { outbox, mailer, clock } = this.#parts;
    const { messageId, recipient, language, createdAt } = mail;
    const reason = whyNoMore(mail, clock.nowMs());
    if (reason !== undefined) return { end: 'given_up', error: reason };
    try {
      const told = await outbox.open(mail);
      if (told === null) return { end: 'sent' };
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
    const said = describeThrown(error);
    // What a mailer does not say is about our own part: no later try will be different.
    if (!(error instanceof MailError) || error.failure === 'refused') return { end: 'given_up', error: said };
    const isKnown = error.failure === 'not_sent';
    const pauseMs = pausesMs[Math.min(mail.triesBefore, pausesMs.length - 1)] ?? minuteMs;
    const at = new Date(this.#parts.clock.nowMs() + pauseMs);
    const next = {
      ...mail,
      triesBefore: mail.triesBefore + 1,
      unknownTries: mail.unknownTries + (isKnown ? 0 : 1),
    };
    const reason = whyNoMore(next, at.getTime());
    if (reason !== undefined) return { end: 'given_up', error: `${reason}; at last: ${said}` };
    return { end: 'again', at, isKnown, error: said };
  }
}

function whyNoMore({ triesBefore, unknownTries, expiresAt }: ClaimedMail, atMs: number): string | undefined {
  if (unknownTries >= mostUnknownTries) return 'it may have been delivered twice already';
  if (triesBefore >= mostTries) return `it was tried ${triesBefore} times`;
  if (expiresAt !== null && expiresAt.getTime() <= atMs) return 'it was worth nothing any more';
  return undefined;
}
