/** An event as it is told: read from its row, with what its mail says and which preference of a contact it belongs to. */
import { type EventFacts, type EventKind, eventFacts } from '../storage/events.ts';
import type { notificationEvents } from '../storage/schema/events.ts';
import { eventKinds, isEventKind, type RaisedPreference } from './event-kinds.ts';
import { type MailNews, readNews } from './mail-kinds.ts';

export interface ToldEvent {
  readonly kind: EventKind;
  readonly facts: Readonly<Record<string, unknown>>;
  /** Null where no contact is told. */
  readonly preference: RaisedPreference | null;
  readonly isForWebhooks: boolean;
  /** Names of facts that stay with the person. */
  readonly personal: readonly string[];
  /** Null where no mail tells it. @param url where the service is reached. */
  news(url: string): MailNews | null;
}

type Row = Pick<typeof notificationEvents.$inferSelect, 'kind' | 'facts'>;

/** Undefined for one that a newer version of this program raised. */
export function readEvent({ kind, facts }: Row): ToldEvent | undefined {
  return isEventKind(kind) ? tell(kind, facts) : undefined;
}

function tell<Kind extends EventKind>(kind: Kind, written: unknown): ToldEvent | undefined {
  const result = eventFacts[kind].safeParse(written);
  if (!result.success) return undefined;
  // The schema is that of the kind, which the compiler does not see through the table.
  const facts = result.data as EventFacts<Kind>;
  const { mail, isForWebhooks, personal = [] } = eventKinds[kind];
  return {
    kind,
    facts: { ...facts },
    preference: mail?.preference(facts) ?? null,
    isForWebhooks,
    personal: personal.map(String),
    news(url) {
      const told = mail?.news(facts, url);
      return told === undefined ? null : readNews(told.kind, told.facts);
    },
  };
}
