/**
 * What an answer surely used beside its tokens although it does not say so: hosts of chat completions search the web for
 * each answer, and hardly one of them counts it. It follows from what was sent and from the model, whichever protocol
 * the client speaks, and is asked in one place for whole answers, streams, and what a client pays that left.
 */
import type { Extras } from '../../base/token-usage.ts';
import { asObject, type JsonObject, tryParseJson } from '../json/fields.ts';
import { doesSearch } from './models.ts';

interface SentRequest {
  /** The protocol that it was sent in. */
  readonly upstream: string;
  /** By its id at the upstream. */
  readonly model: string;
  readonly body: string;
  /** What the body says, where it is known: that of a request in the client's own protocol. */
  readonly json: JsonObject | null;
}

/** Undefined for nearly all requests. */
export function leastExtras(sent: SentRequest): Extras | undefined {
  if (sent.upstream !== 'chat-completions') return undefined;
  return doesSearch(sent.model) || asksForSearch(sent) ? oneSearch : undefined;
}

const oneSearch: Extras = { web_search: 1 };
const searchMember = 'web_search_options';

/** A body that was written here spells its members plainly, so that it is parsed only where the word stands in it. */
function asksForSearch({ body, json }: SentRequest): boolean {
  if (json === null && !body.includes(`"${searchMember}"`)) return false;
  return (json ?? asObject(tryParseJson(body)))?.[searchMember] != null;
}
