/**
 * What a client says of a request besides asking: its session, on whose behalf it asks, and tags. Read where clients of
 * any protocol put it, and bounded here, because it is kept with the request's usage.
 */
import { asObject, type JsonObject } from '../protocols/json/fields.ts';
import type { RequestLabels } from '../usage/index.ts';
import { cut, readText } from './session.ts';

const mostTagCharacters = 128;
const mostTags = 16;
/** Of a client's metadata; what stands behind them is not looked at. */
const mostMembers = 64;

/** Members of metadata that are more than tags. */
const ownMembers: ReadonlySet<string> = new Set(['user_id', 'session_id', 'sticky_key']);

/**
 * Tags are those of the header `x-sluice-tags`, with commas between them, and the texts in the body's `metadata` (or
 * `labels`, as Google calls it), each as `name=value`.
 * @param json the parsed body; undefined where there was none in JSON.
 * @param sessionId as the client gave it.
 * @returns undefined where there is nothing, as of most requests.
 */
export function readLabels(
  headers: Headers,
  json: JsonObject | undefined,
  sessionId: string | null,
): RequestLabels | undefined {
  const tagHeader = headers.get('x-sluice-tags');
  const metadata = json === undefined ? undefined : (asObject(json['metadata']) ?? asObject(json['labels']));
  const endUser =
    readText(json?.['user']) ?? readText(metadata?.['user_id']) ?? readText(json?.['safety_identifier']);
  const tags = tagHeader === null && metadata === undefined ? noTags : readTags(tagHeader, metadata);
  if (sessionId === null && endUser === null && tags.length === 0) return undefined;
  return { sessionId, endUser, tags };
}

const noTags: readonly string[] = [];

function readTags(header: string | null, metadata: JsonObject | undefined): readonly string[] {
  const tags = new Set<string>();
  if (header !== null) {
    for (const part of header.split(',', 4 * mostTags)) {
      const tag = part.trim();
      if (tag !== '' && tags.size < mostTags) tags.add(cut(tag, mostTagCharacters));
    }
  }
  let seen = 0;
  for (const name in metadata) {
    if (tags.size >= mostTags || ++seen > mostMembers) break;
    const value = metadata[name];
    if (typeof value !== 'string' || value === '' || ownMembers.has(name)) continue;
    const written = `${cut(name, mostTagCharacters)}=${cut(value, mostTagCharacters)}`;
    tags.add(cut(written, mostTagCharacters));
  }
  return [...tags];
}
