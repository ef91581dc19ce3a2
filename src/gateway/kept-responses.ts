/** Answers to responses requests, kept for a while for clients that refer to them: README.md says what, for whom and how long. */
import type { Clock, Timer } from '../base/clock.ts';
import {
  asFilledText,
  asObjects,
  isJsonObject,
  type JsonObject,
  tryParseJson,
} from '../protocols/json/fields.ts';

const mebibyte = 1_048_576;
const mostBytes = 64 * mebibyte;
const mostBytesOfKey = 8 * mebibyte;
/** Of a response, and of the input that it answers. */
const mostBytesOfOne = 2 * mebibyte;

export interface NewResponse {
  /** JSON, as the client got it. */
  readonly response: string;
  /** JSON of the request's `input`; null when there was none. */
  readonly input: string | null;
  /** Of the response before it. */
  readonly previousId: string | null;
  /** Converted here, so that no upstream knows its ids. */
  readonly isMadeHere: boolean;
}

export interface KeptResponse extends NewResponse {
  /** Its input was too large to be kept, so that it cannot be continued. */
  readonly lacksInput: boolean;
  readonly keyId: number;
  readonly bytes: number;
  readonly keptAtMs: number;
  /** Its own id first, then its items'; null until somebody of its key looks for an id. */
  ids: readonly string[] | null;
}

/** What one key has. */
interface Shelf {
  bytes: number;
  readonly responses: Set<KeptResponse>;
  readonly byId: Map<string, KeptResponse>;
  /** Kept since an id was looked for. */
  readonly unread: Set<KeptResponse>;
}

export class KeptResponses {
  /** 0 keeps nothing. */
  readonly lifetimeMs: number;
  readonly #clock: Pick<Clock, 'after' | 'monotonicMs'>;
  /** In the order in which they came, which is the order in which they end. */
  readonly #all = new Set<KeptResponse>();
  readonly #shelves = new Map<number, Shelf>();
  #bytes = 0;
  #timer: Timer | undefined;

  constructor({ clock, lifetimeMs }: { clock: Pick<Clock, 'after' | 'monotonicMs'>; lifetimeMs: number }) {
    this.#clock = clock;
    this.lifetimeMs = lifetimeMs;
  }

  get isOn(): boolean {
    return this.lifetimeMs > 0;
  }

  keep(keyId: number, { response, input, previousId, isMadeHere }: NewResponse): void {
    const ofResponse = bytesOf(response);
    if (!this.isOn || ofResponse > mostBytesOfOne) return;
    const lacksInput = input !== null && bytesOf(input) > mostBytesOfOne;
    const kept = lacksInput ? null : input;
    const one: KeptResponse = {
      response,
      input: kept,
      lacksInput,
      previousId,
      isMadeHere,
      keyId,
      bytes: ofResponse + (kept === null ? 0 : bytesOf(kept)),
      keptAtMs: this.#clock.monotonicMs(),
      ids: null,
    };
    const shelf = this.#shelfOf(keyId);
    shelf.responses.add(one);
    shelf.unread.add(one);
    shelf.bytes += one.bytes;
    this.#all.add(one);
    this.#bytes += one.bytes;
    this.#dropBeyond(shelf.responses, () => shelf.bytes > mostBytesOfKey);
    this.#dropBeyond(this.#all, () => this.#bytes > mostBytes);
    this.#wakeForOldest();
  }

  /** @param id of a response, or of an item in its output. */
  find(keyId: number, id: string): KeptResponse | undefined {
    const shelf = this.#shelves.get(keyId);
    if (shelf === undefined) return undefined;
    for (const one of shelf.unread) {
      one.ids = idsIn(one.response);
      // An upstream that gives the same id twice means the later answer.
      for (const known of one.ids) shelf.byId.set(known, one);
    }
    shelf.unread.clear();
    return shelf.byId.get(id);
  }

  drop(one: KeptResponse): void {
    const shelf = this.#shelves.get(one.keyId);
    if (shelf === undefined || !this.#all.delete(one)) return;
    this.#bytes -= one.bytes;
    shelf.bytes -= one.bytes;
    shelf.responses.delete(one);
    shelf.unread.delete(one);
    for (const id of one.ids ?? []) if (shelf.byId.get(id) === one) shelf.byId.delete(id);
    if (shelf.responses.size === 0) this.#shelves.delete(one.keyId);
  }

  close(): void {
    this.#timer?.cancel();
    this.#all.clear();
    this.#shelves.clear();
  }

  #shelfOf(keyId: number): Shelf {
    const known = this.#shelves.get(keyId);
    if (known !== undefined) return known;
    const shelf = {
      bytes: 0,
      responses: new Set<KeptResponse>(),
      byId: new Map(),
      unread: new Set<KeptResponse>(),
    };
    this.#shelves.set(keyId, shelf);
    return shelf;
  }

  #dropBeyond(oldestFirst: ReadonlySet<KeptResponse>, isBeyond: () => boolean): void {
    for (const one of oldestFirst) {
      if (!isBeyond()) return;
      this.drop(one);
    }
  }

  #wakeForOldest(): void {
    if (this.#timer !== undefined) return;
    const [oldest] = this.#all;
    if (oldest === undefined) return;
    const dueInMs = oldest.keptAtMs + this.lifetimeMs - this.#clock.monotonicMs();
    this.#timer = this.#clock.after(Math.max(1, dueInMs), () => {
      this.#timer = undefined;
      const endedAtMs = this.#clock.monotonicMs() - this.lifetimeMs;
      for (const one of this.#all) {
        if (one.keptAtMs > endedAtMs) break;
        this.drop(one);
      }
      this.#wakeForOldest();
    });
  }
}

/** At most: a text of Latin letters takes half of it. */
const bytesOf = (text: string): number => 2 * text.length;

function idsIn(response: string): readonly string[] {
  const json = readKept(response);
  return [json, ...asObjects(json['output'])].flatMap(({ id }) => asFilledText(id) ?? []);
}

/** A kept response as an object. */
export function readKept(response: string): JsonObject {
  const json = tryParseJson(response);
  return isJsonObject(json) ? json : {};
}
