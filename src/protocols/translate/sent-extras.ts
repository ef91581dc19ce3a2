/**
 * What follows from the request that was sent, whichever protocol the client speaks, where its answer does not say: what
 * it surely used beside its tokens, and the tier that serves it. It is asked in one place for whole answers, streams, and
 * what a client pays that left.
 */
import type { Extras, ServiceTier } from '../../base/token-usage.ts';
import { doesSearch } from '../chat-completions/models.ts';
import { readOpenaiTier } from '../chat-completions/outcome.ts';
import { asObject, type JsonObject, tryParseJson } from '../json/fields.ts';
import { readTier } from '../messages/outcome.ts';

interface SentRequest {
  /** The protocol that it was sent in. */
  readonly upstream: string;
  /** By its id at the upstream. */
  readonly model: string;
  readonly body: string;
  /** What the body says, where it is known: that of a request in the client's own protocol. */
  readonly json: JsonObject | null;
}

/** Hosts of chat completions search the web for each answer, and hardly one counts it. Undefined for nearly all requests. */
export function leastExtras(sent: SentRequest): Extras | undefined {
  if (sent.upstream !== 'chat-completions') return undefined;
  return doesSearch(sent.model) || asksForSearch(sent) ? oneSearch : undefined;
}

const oneSearch: Extras = { web_search: 1 };

const asksForSearch = (sent: SentRequest): boolean => memberOf(sent, 'web_search_options') != null;

/** The tier that was asked for; undefined for the usual one. Where an answer ends before it tells its own, this one serves it. */
export function askedTier(sent: SentRequest): ServiceTier | undefined {
  switch (sent.upstream) {
    case 'chat-completions':
    case 'responses':
    case 'native':
      return readOpenaiTier(memberOf(sent, 'service_tier'));
    case 'google':
      return readOpenaiTier(memberOf(sent, 'serviceTier'));
    case 'messages':
      return readTier({ speed: memberOf(sent, 'speed'), inference_geo: memberOf(sent, 'inference_geo') });
  }
  return undefined;
}

/** A body that was written here spells its members plainly, so that it is parsed only where the word stands in it. */
function memberOf({ body, json }: SentRequest, name: string): unknown {
  if (json === null && !body.includes(`"${name}"`)) return undefined;
  return (json ?? asObject(tryParseJson(body)))?.[name];
}
