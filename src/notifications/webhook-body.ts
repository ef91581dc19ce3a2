/** What a webhook is sent: the event as JSON, or a text for chat programs that take Slack's `{text}`. */
import type { notificationEvents } from '../storage/schema/events.ts';
import type { Service } from './render-mail.tsx';
import { tellShortly } from './render-mail.tsx';
import { readEvent } from './told-event.ts';

type Event = Pick<
  typeof notificationEvents.$inferSelect,
  'kind' | 'facts' | 'audience' | 'audienceId' | 'createdAt'
>;

export interface WebhookReader {
  readonly format: string;
  /** Null for a person's own webhook, which is sent all that is known. */
  readonly organisationId: number | null;
}

/** The same for every try. */
export function writeWebhookBody(reader: WebhookReader, whole: Event, service: Service): string {
  const event = reader.organisationId === null ? whole : withoutPersonal(whole);
  const body = reader.format === 'slack' ? { text: textOf(reader, event, service) } : standardBody(event);
  return JSON.stringify(body);
}

function withoutPersonal(event: Event): Event {
  const personal = readEvent(event)?.personal ?? [];
  const facts = Object.entries(event.facts).filter(([name]) => !personal.includes(name));
  return { ...event, facts: Object.fromEntries(facts) };
}

function standardBody({ kind, facts, audience, audienceId, createdAt }: Event): object {
  const of = audience === 'platform' ? {} : { [`${audience}_id`]: audienceId };
  return { type: kind, timestamp: createdAt.toISOString(), data: { ...of, ...facts } };
}

/** In English: a channel has readers of many languages. Slack's signs for links and mentions are none. */
function textOf({ organisationId }: WebhookReader, event: Event, service: Service): string {
  const news = readEvent(event)?.news(service.url) ?? null;
  // An organisation is told of all its people, each of whom is "you" in those words.
  const person =
    organisationId !== null && event.audience === 'account' ? `\naccount ${event.audienceId}` : '';
  if (news !== null) return escapeSlack(`${tellShortly(news, service)}${person}`);
  const facts = Object.entries(event.facts).map(([name, value]) => `${name}: ${String(value)}`);
  const whose = event.audienceId === null ? '' : ` (${event.audience} ${event.audienceId})`;
  return escapeSlack([`${service.name}: ${event.kind}${whose}`, ...facts].join('\n'));
}

const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
