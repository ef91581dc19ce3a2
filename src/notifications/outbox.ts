/** The outbox: mails are queued in the work that causes them, and taken from it, try by try, until they are over. */
import { and, asc, eq, inArray, isNull, lt, sql } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import type { Envelope } from '../base/envelope.ts';
import { describeThrown } from '../base/errors.ts';
import { isLanguage, type Language } from '../base/language.ts';
import {
  type AgreeingParts,
  agreedNow,
  readAheadMs,
  withAgreedTime,
  withDatabaseTime,
} from '../storage/agreed-time.ts';
import { mailOutbox } from '../storage/schema/notifications.ts';
import { transact, type Work } from '../storage/work.ts';
import { openEventMail } from './event-mail.ts';
import { noteGivenUp } from './given-up-mail.ts';
import { type MailNews, readNews } from './mail-kinds.ts';
import { MailTurns, outboxTopic } from './mail-turns.ts';
import { MailError } from './mailer.ts';
import { findStopped, followContacts, handOn } from './moved-mails.ts';
import type { Service, Stoppable } from './render-mail.tsx';

const decoyKind = 'decoy';
/** Longer than a try may take. */
const claimMs = 5 * 60_000;
const longestError = 300;
const removedAtOnce = 1000;

export type QueuedMail = MailNews & {
  readonly to: string;
  readonly language: Language;
  readonly service: Service;
  /** When the mail is worth nothing any more, such as the end of the link in it. */
  readonly expiresAt?: Date;
  /** Whose activity says so where it is given up; null where that would tell somebody of an account that is not theirs. */
  readonly accountId: number | null;
};

export interface MailQueue {
  /** Sent soon after the work is committed, and never when it is not. @throws ZodError when a fact cannot be one. */
  queue(work: Work, mail: QueuedMail): Promise<void>;
  /** Writes as much as a mail would, which nobody gets: so that the time of an answer does not tell whether one was sent. */
  queueDecoy(work: Work): Promise<void>;
}

/** A mail that is to be tried now, by this process alone. */
export interface ClaimedMail {
  readonly id: number;
  readonly messageId: string;
  /** Where the contact can be reached now; it may have been another address when the mail was queued. */
  readonly recipient: string;
  readonly language: Language;
  readonly kind: string;
  readonly sealedContent: string | null;
  /** Which event it tells which contact; null for a mail of its own. */
  readonly eventId: number | null;
  readonly contactId: number | null;
  /** Whose activity says that it was given up. */
  readonly accountId: number | null;
  /** Whether its contact is told nothing more for a while. */
  readonly lastOfDay: boolean;
  /** This one not counted. */
  readonly triesBefore: number;
  /** Earlier ones after which it may be there. */
  readonly unknownTries: number;
  /** For how long it is worth something, from its claim on; null where it always is. */
  readonly worthForMs: number | null;
  readonly createdAt: Date;
  /** By which the claim is known: who comes later has another. */
  readonly claimedUntil: Date;
}

export type TryEnd =
  | { readonly end: 'sent' }
  /**
   * Whose contact has stopped its kind since: it is forgotten, since nothing became of it that anybody could be shown, and
   * another contact with the address that wants to know is told in its place.
   */
  | { readonly end: 'unwanted' }
  /** @see ClaimedMail.unknownTries for one that is not known. */
  | { readonly end: 'again'; readonly afterMs: number; readonly isKnown: boolean; readonly error: string }
  | { readonly end: 'given_up'; readonly error: string };

export interface TriedMail {
  readonly mail: ClaimedMail;
  readonly end: TryEnd;
}

const content = z.object({
  facts: z.unknown(),
  service: z.object({ name: z.string(), url: z.string() }),
});

/** What a mail tells, in whose name, and how its reader can have more of them stopped; null where they cannot. */
export interface OpenedMail {
  readonly news: MailNews;
  readonly service: Service;
  readonly stoppable: Stoppable | null;
}

export class Outbox implements MailQueue {
  readonly #parts: AgreeingParts;
  readonly #envelope: Envelope;
  readonly #service: Service;
  readonly #turns = new MailTurns();

  /** @param parts `service` is in whose name events are told. */
  constructor(parts: AgreeingParts & { readonly envelope: Envelope; readonly service: Service }) {
    this.#parts = parts;
    this.#envelope = parts.envelope;
    this.#service = parts.service;
  }

  async queue(work: Work, { to, service, facts, ...row }: QueuedMail): Promise<void> {
    const { kind, language, expiresAt, accountId } = row;
    // Here, where the mistake can still be found, and not at the try.
    readNews(kind, facts);
    await this.#insert(work, { recipient: to, language, kind, expiresAt, accountId }, { facts, service });
  }

  async queueDecoy(work: Work): Promise<void> {
    const facts = { link: `https://decoy.invalid/${'x'.repeat(80)}`, lifetimeMs: 0 };
    const service = { name: decoyKind, url: 'https://decoy.invalid' };
    const row = { recipient: 'nobody@decoy.invalid', language: 'en', kind: decoyKind };
    await this.#insert(work, { ...row, expiresAt: undefined, accountId: null }, { facts, service });
  }

  /**
   * At most `count` that are due, those of events behind all others: who waits for a link waits for no thousand of them.
   * Of events one account's come after the other's, each account's oldest first, so that one that has thousands to tell
   * holds up nobody else. They are nobody else's for five minutes, by the database's time.
   */
  async claim(count: number): Promise<ClaimedMail[]> {
    const agreed = await withDatabaseTime(this.#parts);
    // Of the moment in which they are looked for: a connection can be waited for, and a claim must not begin lapsed.
    const { rows, nowMs, claimedUntil } = await transact(agreed, async (work) => {
      const nowMs = work.clock.nowMs();
      const claimedUntil = new Date(nowMs + claimMs);
      const ids = await this.#turns.choose(work.executor, { now: new Date(nowMs), count });
      if (ids.length === 0) return { rows: [], nowMs, claimedUntil };
      await followContacts(work, ids);
      const rows = await work.executor
        .update(mailOutbox)
        .set({ tries: sql`${mailOutbox.tries} + 1`, dueAt: claimedUntil })
        .where(inArray(mailOutbox.id, ids))
        .returning();
      return { rows, nowMs, claimedUntil };
    });
    const inOrder = rows.sort((one, other) => one.id - other.id);
    return inOrder.map(({ tries, failedTries, language, expiresAt, ...row }) => ({
      ...row,
      claimedUntil,
      worthForMs: expiresAt === null ? null : expiresAt.getTime() - nowMs,
      language: isLanguage(language) ? language : 'en',
      triesBefore: tries - 1,
      unknownTries: tries - 1 - failedTries,
    }));
  }

  /**
   * What a mail tells; null for a decoy.
   * @throws MailError refused when it cannot be opened, whoever tries; not_sent for what another version of this program
   *   queued, which it may yet take itself.
   */
  async open({
    kind,
    sealedContent,
    eventId,
    contactId,
    lastOfDay,
  }: ClaimedMail): Promise<OpenedMail | 'unwanted' | null> {
    if (kind === decoyKind) return null;
    if (eventId !== null && contactId !== null) {
      const asked = { eventId, contactId, isLastOfDay: lastOfDay, service: this.#service };
      return (await openEventMail(this.#parts.storage.db, this.#envelope, asked)) ?? 'unwanted';
    }
    let told: z.output<typeof content>;
    try {
      told = content.parse(JSON.parse(await this.#envelope.open(sealedContent ?? '')));
    } catch (cause) {
      throw new MailError('refused', describeThrown(cause), cause);
    }
    try {
      return { news: readNews(kind, told.facts), service: told.service, stoppable: null };
    } catch (cause) {
      // The version that queued it can read it, so that it is not thrown away.
      throw new MailError('not_sent', `this version cannot read a mail of the kind ${kind}`, cause);
    }
  }

  /**
   * What became of several, in one transaction. Secrets of what is over are gone with it. One whose claim has lapsed and is
   * another's is left to that, unless it was sent: nobody has to send it again.
   */
  async settle(tried: readonly TriedMail[]): Promise<void> {
    const agreed = await withDatabaseTime(this.#parts);
    const now = new Date(agreed.clock.nowMs());
    await transact(agreed, async (work) => {
      const sent = tried.filter(({ end }) => end.end === 'sent').map(({ mail }) => mail.id);
      if (sent.length > 0) {
        const [columns, those] = [columnsOf({ end: 'sent' }, now), and(inArray(mailOutbox.id, sent), isOpen)];
        await work.executor.update(mailOutbox).set(columns).where(those);
      }
      for (const { mail, end } of tried) {
        if (end.end === 'sent') continue;
        if (end.end === 'unwanted') {
          const left = await findStopped(work.executor, mail);
          const { rowCount } = await work.executor.delete(mailOutbox).where(isClaimed(mail));
          if ((rowCount ?? 0) > 0) await handOn(work, left);
          continue;
        }
        const [row] = await work.executor
          .update(mailOutbox)
          .set(columnsOf(end, now))
          .where(isClaimed(mail))
          .returning({ accountId: mailOutbox.accountId });
        // Whose account was removed while it was tried has no trail any more that could hold the address.
        if (end.end === 'given_up' && row !== undefined) await noteGivenUp(work, { ...mail, ...row });
      }
    });
  }

  /** When the next one is due, in milliseconds since the epoch by this process's clock; null when none waits. */
  async nextDueMs(): Promise<number | null> {
    const [row] = await this.#parts.storage.db
      .select({ dueAt: mailOutbox.dueAt })
      .from(mailOutbox)
      .where(isOpen)
      .orderBy(asc(mailOutbox.dueAt))
      .limit(1);
    return row === undefined ? null : row.dueAt.getTime() + (await readAheadMs(this.#parts));
  }

  /** Of those that are over, some at once, so that nothing waits long behind it. */
  async deleteOlderThan(ageMs: number): Promise<void> {
    const agreed = await withAgreedTime(this.#parts);
    const before = new Date(agreed.clock.nowMs() - ageMs);
    for (let count = removedAtOnce; count === removedAtOnce; ) {
      count = await transact(agreed, async ({ executor }) => {
        const old = executor
          .select({ id: mailOutbox.id })
          .from(mailOutbox)
          .where(lt(overAt, before))
          .orderBy(overAt)
          .limit(removedAtOnce);
        const { rowCount } = await executor.delete(mailOutbox).where(inArray(mailOutbox.id, old));
        return rowCount ?? 0;
      });
    }
  }

  async #insert(
    { executor, clock, ids, announce }: Work,
    row: Pick<ClaimedMail, 'recipient' | 'kind' | 'accountId'> & {
      readonly language: string;
      readonly expiresAt: Date | undefined;
    },
    told: z.input<typeof content>,
  ): Promise<void> {
    const [createdAt, dueAt] = [new Date(clock.nowMs()), agreedNow(clock)];
    const sealedContent = await this.#envelope.seal(JSON.stringify(told));
    await executor
      .insert(mailOutbox)
      .values({ ...row, messageId: ids.requestId(), sealedContent, dueAt, createdAt });
    announce(outboxTopic, 'queued');
  }
}

const isOpen = and(isNull(mailOutbox.sentAt), isNull(mailOutbox.failedAt));
/** Neither settled meanwhile nor claimed anew. */
const isClaimed = ({ id, claimedUntil }: ClaimedMail) =>
  and(eq(mailOutbox.id, id), eq(mailOutbox.dueAt, claimedUntil), isOpen);
const overAt = sql`coalesce(${mailOutbox.sentAt}, ${mailOutbox.failedAt})`;

function columnsOf(
  end: Exclude<TryEnd, { end: 'unwanted' }>,
  now: Date,
): PgUpdateSetSource<typeof mailOutbox> {
  switch (end.end) {
    case 'sent':
      return { sentAt: now, sealedContent: null, lastError: null };
    case 'given_up':
      return { failedAt: now, sealedContent: null, lastError: end.error.slice(0, longestError) };
    case 'again':
      return {
        dueAt: new Date(now.getTime() + end.afterMs),
        lastError: end.error.slice(0, longestError),
        ...(end.isKnown ? { failedTries: sql`${mailOutbox.failedTries} + 1` } : {}),
      };
  }
}
