/** Answers that are kept under a client's idempotency keys: what keeping them means, and keeping them in this process. */
import type { Clock } from '../base/clock.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';

export interface KeptAnswer {
  readonly status: number;
  readonly body: string;
  readonly contentType: string;
  /** Those that belong to the answer and not to the request that gets it. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One use of an idempotency key. */
export interface KeyUse {
  /** The API key's. */
  readonly keyId: number;
  /** Stands for the API key and its client's idempotency key. */
  readonly name: string;
  /** Stands for the address and the body. */
  readonly fingerprint: string;
}

export type Claim =
  /** Nobody has answered it: whoever has the claim does, and then calls one of both, once. */
  | { readonly kind: 'mine'; keep(answer: KeptAnswer): MaybePromise<void>; release(): MaybePromise<void> }
  | { readonly kind: 'under_way' }
  | { readonly kind: 'other_request' }
  | { readonly kind: 'kept'; readonly answer: KeptAnswer };

export interface KeptAnswers {
  claim(use: KeyUse): MaybePromise<Claim>;
  close(): void;
}

const mebibyte = 1_048_576;
const dayMs = 86_400_000;
export const keptForMs = dayMs;
export const mostBytesOfAnswer = mebibyte;
const mostBytes = 64 * mebibyte;
export const mostBytesOfKey = 8 * mebibyte;
/** What an entry takes beside its body. */
export const entryBytes = 1024;

interface Entry extends KeyUse {
  /** Null while the request is under way. */
  answer: KeptAnswer | null;
  bytes: number;
  keptAtMs: number;
}

interface Shelf {
  bytes: number;
  readonly entries: Set<Entry>;
}

/** The oldest answers go first, those of a key that has too many before those of others. */
export class MemoryAnswers implements KeptAnswers {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #byName = new Map<string, Entry>();
  /** With an answer, in the order in which they came, which is the order in which they end. */
  readonly #kept = new Set<Entry>();
  readonly #shelves = new Map<number, Shelf>();
  #bytes = 0;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  claim(use: KeyUse): Claim {
    this.#dropEnded();
    const known = this.#byName.get(use.name);
    if (known !== undefined) {
      if (known.fingerprint !== use.fingerprint) return { kind: 'other_request' };
      return known.answer === null ? { kind: 'under_way' } : { kind: 'kept', answer: known.answer };
    }
    const entry: Entry = { ...use, answer: null, bytes: 0, keptAtMs: 0 };
    this.#byName.set(use.name, entry);
    return {
      kind: 'mine',
      keep: (answer) => this.#keep(entry, answer),
      release: () => void this.#byName.delete(entry.name),
    };
  }

  /** Whether it was claimed, or its answer is kept. */
  knows({ name }: KeyUse): boolean {
    this.#dropEnded();
    return this.#byName.has(name);
  }

  /** For an answer whose claim was made elsewhere. */
  keep(use: KeyUse, answer: KeptAnswer): void {
    const claim = this.claim(use);
    if (claim.kind === 'mine') void claim.keep(answer);
  }

  close(): void {
    this.#byName.clear();
    this.#kept.clear();
    this.#shelves.clear();
  }

  #keep(entry: Entry, answer: KeptAnswer): void {
    entry.answer = answer;
    entry.bytes = entryBytes + 2 * answer.body.length;
    entry.keptAtMs = this.#clock.monotonicMs();
    const shelf = this.#shelves.get(entry.keyId) ?? { bytes: 0, entries: new Set() };
    this.#shelves.set(entry.keyId, shelf);
    shelf.entries.add(entry);
    shelf.bytes += entry.bytes;
    this.#kept.add(entry);
    this.#bytes += entry.bytes;
    this.#dropOldest(shelf.entries, () => shelf.bytes > mostBytesOfKey);
    this.#dropOldest(this.#kept, () => this.#bytes > mostBytes);
  }

  #dropEnded(): void {
    const endedAtMs = this.#clock.monotonicMs() - keptForMs;
    for (const entry of this.#kept) {
      if (entry.keptAtMs > endedAtMs) return;
      this.#drop(entry);
    }
  }

  #dropOldest(oldestFirst: ReadonlySet<Entry>, isBeyond: () => boolean): void {
    for (const entry of oldestFirst) {
      if (!isBeyond()) return;
      this.#drop(entry);
    }
  }

  #drop(entry: Entry): void {
    this.#byName.delete(entry.name);
    this.#kept.delete(entry);
    this.#bytes -= entry.bytes;
    const shelf = this.#shelves.get(entry.keyId);
    if (shelf === undefined) return;
    shelf.entries.delete(entry);
    shelf.bytes -= entry.bytes;
    if (shelf.entries.size === 0) this.#shelves.delete(entry.keyId);
  }
}
