/** What was sent to the contacts of an account lately, and what became of it: for whoever has the account. */
import { and, desc, eq, lt } from 'drizzle-orm';
import type { PersonScope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { notificationContacts } from '../storage/schema/contacts.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { mailOutbox } from '../storage/schema/notifications.ts';
import { readEvent } from './told-event.ts';

const mailsAPage = 50;

export interface SentMail {
  readonly id: number;
  readonly recipient: string;
  /** Empty where the contact has none. */
  readonly name: string;
  /** The preference that it went by; null for an event of a newer version of this program. */
  readonly kind: string | null;
  readonly event: string;
  readonly state: 'waiting' | 'sent' | 'given_up';
  readonly tries: number;
  /** What the mail server answered when it was not sent, such as `550 5.1.1`; null where there was no answer, or no failure. */
  readonly answer: string | null;
  /** Whether a try has failed, whatever the reason. */
  readonly hasFailed: boolean;
  readonly createdAt: Date;
  /** When it was sent or given up; null while it waits. */
  readonly endedAt: Date | null;
  /** When it is tried again; null once it is over, and before the first try. */
  readonly againAt: Date | null;
}

/** The newest first. `next` is the page behind this one's `before`; null at the end. */
export async function listSentMails(
  { userId }: PersonScope,
  executor: Executor,
  { before }: { readonly before?: number | undefined } = {},
): Promise<{ readonly mails: readonly SentMail[]; readonly next: number | null }> {
  const rows = await executor
    .select({
      mail: mailOutbox,
      name: notificationContacts.name,
      event: { kind: notificationEvents.kind, facts: notificationEvents.facts },
    })
    .from(mailOutbox)
    .innerJoin(notificationContacts, eq(notificationContacts.id, mailOutbox.contactId))
    .innerJoin(notificationEvents, eq(notificationEvents.id, mailOutbox.eventId))
    .where(
      and(eq(mailOutbox.accountId, userId), before === undefined ? undefined : lt(mailOutbox.id, before)),
    )
    .orderBy(desc(mailOutbox.id))
    .limit(mailsAPage + 1);
  const mails = rows.slice(0, mailsAPage).map(({ mail, name, event }): SentMail => {
    const { id, recipient, kind, tries, lastError, createdAt, dueAt, sentAt, failedAt } = mail;
    const endedAt = sentAt ?? failedAt;
    return {
      ...{ id, recipient, name, tries, createdAt, endedAt },
      kind: readEvent(event)?.preference ?? null,
      event: kind,
      state: sentAt !== null ? 'sent' : failedAt !== null ? 'given_up' : 'waiting',
      answer: answerIn(lastError),
      hasFailed: lastError !== null,
      againAt: endedAt === null && lastError !== null ? dueAt : null,
    };
  });
  return { mails, next: rows.length > mailsAPage ? (mails.at(-1)?.id ?? null) : null };
}

/** The reply's numbers alone: its words, and those of a connection that failed, can name machines that are the operator's. */
function answerIn(error: string | null): string | null {
  const [, code, detail] = /(?:^|[\s:])([45]\d\d)[ -](?:([45]\.\d{1,3}\.\d{1,3})\b)?/.exec(error ?? '') ?? [];
  return code === undefined ? null : detail === undefined ? code : `${code} ${detail}`;
}
