/**
 * The files of a request as it came, at a glance: how many of its characters are no text, and how many tokens they can
 * be at most. Nothing of them is decoded. README.md has the table and its sources. Whether something is to be kept in a
 * cache for an hour is seen on the way, since looking through the text for it takes ten times as long.
 *
 * What something is follows from what the readers of its protocol go by, and from nothing beside it: a member that they
 * pass over must hide no file.
 */
import { asFilledText, asObject, isJsonObject, type JsonObject } from '../json/fields.ts';

export interface SeenFiles {
  /** Of base64. */
  readonly characters: number;
  /** At most, sound included. */
  readonly tokens: number;
  readonly audioTokens: number;
  /** Of documents and recordings that are elsewhere, and of thoughts that a vendor keeps. */
  readonly unseenTokens: number;
  /** Something stands for what was said before, and may be as long as the model reads. */
  readonly refersBack: boolean;
  readonly isStoredForAnHour: boolean;
}

interface Place {
  readonly list: string;
  /** Its entries are messages, whatever they say that they are; else they have a type. */
  readonly hasMessages: boolean;
  /** The parts of a message have a type; else a member of theirs says what they are. */
  readonly hasTypes: boolean;
}

/** Where the files stand, by the name of the client's protocol. */
const placeOf: Readonly<Record<string, Place>> = {
  'chat-completions': { list: 'messages', hasMessages: true, hasTypes: true },
  messages: { list: 'messages', hasMessages: true, hasTypes: true },
  responses: { list: 'input', hasMessages: false, hasTypes: true },
  native: { list: 'input', hasMessages: false, hasTypes: true },
  google: { list: 'contents', hasMessages: true, hasTypes: false },
};
const noPlace: Place = { list: '', hasMessages: false, hasTypes: true };

/** @param mostImageTokens of one image of any size. */
export function seeFiles(protocol: string, json: JsonObject, mostImageTokens: number): SeenFiles {
  const place = placeOf[protocol] ?? noPlace;
  const list = json[place.list];
  const seeing = new Seeing(mostImageTokens, place);
  seeing.seeMarks(json);
  seeing.seeMarksOf(json['system']);
  seeing.seeMarksOf(json['tools']);
  if (Array.isArray(list)) seeing.visit(list, 0);
  if (backwards.some((name) => json[name] != null)) seeing.refersBack = true;
  return seeing;
}

/** Members that name what only the upstream knows. */
const backwards = ['previous_response_id', 'conversation', 'prompt', 'cachedContent', 'cached_content'];

/** Requests are not nested deeper where files stand. */
const deepest = 8;

/** What may have files in it. */
const nests = ['content', 'parts', 'output', 'functionResponse', 'function_response'] as const;
/** What a file stands in, beside the part itself. */
const holders = [
  ...['source', 'image_url', 'input_audio', 'file', 'video_url', 'audio_url'],
  ...['inlineData', 'inline_data', 'fileData', 'file_data'],
] as const;
const dataNames = ['data', 'url', 'file_data', 'image_url', 'file_url', 'result'] as const;
const referenceNames = ['file_id', 'fileUri', 'file_uri'] as const;
const plainTypes: ReadonlySet<unknown> = new Set([
  ...['text', 'input_text', 'output_text', 'function_call', 'tool_use'],
  ...['thinking', 'redacted_thinking'],
]);

class Seeing implements SeenFiles {
  characters = 0;
  tokens = 0;
  audioTokens = 0;
  unseenTokens = 0;
  refersBack = false;
  isStoredForAnHour = false;
  readonly #mostImageTokens: number;
  readonly #place: Place;

  constructor(mostImageTokens: number, place: Place) {
    this.#mostImageTokens = mostImageTokens;
    this.#place = place;
  }

  visit(value: unknown, depth: number): void {
    if (depth > deepest) return;
    if (Array.isArray(value)) for (const each of value) this.visit(each, depth + 1);
    else if (isJsonObject(value)) this.#look(value, depth);
  }

  seeMarks({ cache_control: mark }: JsonObject): void {
    if (mark !== undefined && asObject(mark)?.['ttl'] === '1h') this.isStoredForAnHour = true;
  }

  seeMarksOf(list: unknown): void {
    if (!Array.isArray(list)) return;
    for (const each of list) if (isJsonObject(each)) this.seeMarks(each);
  }

  #look(part: JsonObject, depth: number): void {
    this.seeMarks(part);
    const type = this.#typeOf(part, depth);
    if (plainTypes.has(type)) return;
    if (type === 'item_reference') this.refersBack = true;
    if (type === 'reasoning') {
      // What was thought stays with the vendor, and is read again.
      if (asFilledText(part['encrypted_content']) === undefined) this.unseenTokens += keptThoughtTokens;
      return;
    }
    for (const name of nests) {
      const inner = part[name];
      if (typeof inner === 'object' && inner !== null) this.visit(inner, depth + 1);
    }
    // Of a message only what stands in it can be a file.
    if (type !== 'message') this.#weigh(part);
  }

  #typeOf({ type }: JsonObject, depth: number): unknown {
    const { hasMessages, hasTypes } = this.#place;
    if (depth > 1) return hasTypes ? type : undefined;
    return hasMessages ? 'message' : (type ?? 'message');
  }

  /** All that could be a file is one: which of two its upstream reads is not known here. */
  #weigh(part: JsonObject): void {
    this.#weighHeld(part, part, '');
    for (const name of holders) {
      const holder = asObject(part[name]);
      if (holder === undefined) continue;
      if (Array.isArray(holder['content'])) this.visit(holder['content'], 1);
      this.#weighHeld(part, holder, name);
    }
  }

  #weighHeld({ type }: JsonObject, holder: JsonObject, name: string): void {
    const kind = this.#place.hasTypes ? `${type} ${name}` : mimeTypeOf(holder);
    for (const each of dataNames) {
      const data = asFilledText(holder[each]);
      if (data === undefined) continue;
      if (/^(https?|gs|s3):/i.test(data.slice(0, 8))) this.#weighElsewhere(kind);
      else if (this.#place.hasTypes) this.#weighHere(toldOf(kind, holder, data), data.length);
      else this.#weighHere(kind, data.length);
    }
    if (referenceNames.some((each) => asFilledText(holder[each]) !== undefined)) this.#weighElsewhere(kind);
  }

  #weighHere(kind: string, characters: number): void {
    const told = kind.toLowerCase();
    // What is told as text is counted as text.
    if (/text\/|"text"|plain/.test(told)) return;
    this.characters += characters;
    const bytes = characters * 0.75;
    if (told.includes('audio')) this.#addSound(Math.ceil(bytes / leastBytesPerSecond(told)));
    else if (told.includes('video')) this.tokens += Math.ceil(bytes / leastVideoBytes) * videoTokensPerSecond;
    else if (/image|screenshot/.test(told)) this.tokens += this.#mostImageTokens;
    else if (told.includes('pdf'))
      this.tokens += Math.min(mostPages, Math.ceil(bytes / leastPageBytes)) * pageTokens;
    // Of a file that is packed more may come out than went in.
    else this.tokens += Math.ceil(bytes) * 2 + pageTokens;
  }

  #weighElsewhere(kind: string): void {
    if (/image|screenshot/i.test(kind)) this.tokens += this.#mostImageTokens;
    else this.unseenTokens += unseenPages * pageTokens;
  }

  #addSound(seconds: number): void {
    this.audioTokens += seconds * audioTokensPerSecond;
    this.tokens += seconds * audioTokensPerSecond;
  }
}

const mimeTypeOf = (holder: JsonObject): string => String(holder['mimeType'] ?? holder['mime_type'] ?? '');

/**
 * What a file is, by what stands in front of it, which is what is sent on with it; else by its part and what is told beside
 * it. A `format` is sound's.
 */
function toldOf(kind: string, holder: JsonObject, data: string): string {
  const [own] = /^data:[^;,]+/i.exec(data.slice(0, 256)) ?? [];
  if (own !== undefined) return own;
  const format = kind.includes('audio') ? holder['format'] : undefined;
  const told = holder['media_type'] ?? holder['mimeType'] ?? holder['mime_type'] ?? format ?? holder['type'];
  return `${kind} ${String(told ?? '')}`;
}

/** Gemini's, which are most; a second of sound that is packed as tightly as it can be, and of sound that is not packed. */
const audioTokensPerSecond = 32;
const leastPackedBytes = 750;
const leastPlainBytes = 8000;
const leastBytesPerSecond = (told: string): number =>
  /wav|pcm|l16|aiff/.test(told) ? leastPlainBytes : leastPackedBytes;

/** Gemini's frames with their sound, of video as small as it is ever made. */
const videoTokensPerSecond = 300;
const leastVideoBytes = 4000;

/** Read as text and as an image; no page of text is packed into less, and no vendor reads more of them. */
const pageTokens = 3000;
const leastPageBytes = 1000;
const mostPages = 1000;

/** As much as OpenAI advises to leave room for: https://developers.openai.com/api/docs/guides/reasoning */
const keptThoughtTokens = 25_000;

/** Of a document elsewhere: what vendors read of one where they say no more. */
const unseenPages = 100;
