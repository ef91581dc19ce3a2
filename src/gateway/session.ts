/**
 * What a client says of a request besides asking: its session, on whose behalf it asks, and tags. Which conversation it
 * belongs to is found for all endpoints here: what the client says comes first, in the order that is promised; then what
 * known agents send; then what the beginning of the conversation tells.
 */
import { asObject, type JsonObject } from '../protocols/json/fields.ts';
import { mostLabelCharacters, type RequestLabels } from '../usage/index.ts';

/** `given`: as the interface promises it. `known`: where an agent puts it. `inferred`: from what is said. */
export type Confidence = 'given' | 'known' | 'inferred';

export interface RequestSession {
  readonly id: string;
  readonly source: string;
  readonly confidence: Confidence;
}

/** State of a conversation that an upstream holds, as a request refers to it. */
export interface HeldState {
  readonly kind: 'previous_response_id' | 'encrypted_content';
  readonly value: string;
}

/**
 * Where agents put their session, as seen on 2026-11-22 in public gateways that read them: Claude Code, Qwen Code,
 * OpenCode, and Codex, which has changed the name.
 */
const agentHeaders = [
  'x-claude-code-session-id',
  'x-qwen-code-session-id',
  'x-opencode-session',
  'session_id',
  'session-id',
  'conversation_id',
  'thread-id',
] as const;

/** Claude Code's older way: behind the account, in the id of the user. */
const sessionOfUser = /_session_([0-9a-f-]{36})$/;

/** @returns what the client says by the interface's own names; null where it says nothing. */
export function readGivenSession(headers: Headers, json: JsonObject | undefined): RequestSession | null {
  const header = readText(headers.get('x-session-id'));
  if (header !== null) return { id: header, source: 'x-session-id', confidence: 'given' };
  const metadata = asObject(json?.['metadata']) ?? asObject(json?.['labels']);
  if (metadata === undefined) return null;
  const session = readText(metadata['session_id']);
  if (session !== null) return { id: session, source: 'metadata.session_id', confidence: 'given' };
  const sticky = readText(metadata['sticky_key']);
  return sticky === null ? null : { id: sticky, source: 'metadata.sticky_key', confidence: 'given' };
}

/** What agents say by names of their own. */
export function readKnownSession(headers: Headers, json: JsonObject | undefined): RequestSession | null {
  for (const source of agentHeaders) {
    const id = readText(headers.get(source));
    if (id !== null) return { id, source, confidence: 'known' };
  }
  if (json === undefined) return null;
  const cacheKey = readText(json['prompt_cache_key']);
  if (cacheKey !== null) return { id: cacheKey, source: 'prompt_cache_key', confidence: 'known' };
  const userId = asObject(json['metadata'])?.['user_id'];
  const ofUser = typeof userId === 'string' ? sessionOfUser.exec(userId.slice(0, 1024))?.[1] : undefined;
  return ofUser === undefined ? null : { id: ofUser, source: 'metadata.user_id', confidence: 'known' };
}

/** Of each of the two texts that a conversation begins with. */
const mostBeginning = 4096;
const mostParts = 16;

/**
 * The instructions and the first thing that its user said stay the same as long as a conversation goes on.
 * @returns null for what has no beginning, such as an input to embed.
 */
export function inferSession(json: JsonObject | undefined): RequestSession | null {
  if (json === undefined) return null;
  const turns = json['messages'] ?? json['input'] ?? json['contents'];
  if (!Array.isArray(turns)) return null;
  let instructions = textOf(
    json['system'] ?? json['instructions'] ?? json['systemInstruction'],
    mostBeginning,
  );
  let first: string | null = null;
  for (const turn of turns.slice(0, mostParts)) {
    const { role, content, parts } = asObject(turn) ?? {};
    const text = textOf(content ?? parts, mostBeginning);
    if (role === 'system' || role === 'developer') instructions += text.slice(0, mostBeginning);
    else if (role === 'user') first ??= text;
  }
  if (first === null || first === '') return null;
  const id = Bun.hash.xxHash64(`${instructions}\n${first}`).toString(16).padStart(16, '0');
  return { id, source: 'conversation', confidence: 'inferred' };
}

/** No more than so many letters of it, whatever its form. */
function textOf(value: unknown, most: number): string {
  if (typeof value === 'string') return value.slice(0, most);
  if (!Array.isArray(value)) {
    const { text, parts } = asObject(value) ?? {};
    if (typeof text === 'string') return text.slice(0, most);
    return Array.isArray(parts) ? textOf(parts, most) : '';
  }
  let joined = '';
  for (const part of value.slice(0, mostParts)) {
    if (joined.length >= most) break;
    const text = typeof part === 'string' ? part : asObject(part)?.['text'];
    if (typeof text === 'string') joined += text.slice(0, most - joined.length);
  }
  return joined;
}

/** Whether somebody has answered in it: only then is there a prefix that a provider may have kept. */
export function hasHistory(json: JsonObject | undefined): boolean {
  const turns = json?.['messages'] ?? json?.['input'] ?? json?.['contents'];
  if (!Array.isArray(turns)) return false;
  const last = turns.length > 64 ? turns.slice(-64) : turns;
  return last.some((turn) => {
    const { role, type } = asObject(turn) ?? {};
    return role === 'assistant' || role === 'model' || type === 'function_call' || type === 'reasoning';
  });
}

/** @returns null for what is no text, or says nothing. */
function readText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = cut(value, mostLabelCharacters).trim();
  return text === '' ? null : text;
}

/** A copy, because a part would keep the whole in memory until the row is written. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return Buffer.from(text.slice(0, most), 'utf16le').toString('utf16le');
}

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
      if (tag !== '' && tags.size < mostTags) tags.add(cut(tag, mostTagCharacters).trim());
    }
  }
  let seen = 0;
  for (const name in metadata) {
    if (tags.size >= mostTags || ++seen > mostMembers) break;
    const value = metadata[name];
    if (typeof value !== 'string' || value === '' || ownMembers.has(name)) continue;
    const written = `${cut(name, mostTagCharacters)}=${cut(value, mostTagCharacters)}`;
    // Filters are typed, without blanks around them.
    const tag = cut(written, mostTagCharacters).trim();
    if (tag !== '') tags.add(tag);
  }
  return [...tags];
}
