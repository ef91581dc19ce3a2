/**
 * The thread that counts tokens, as the rest of the process sees it. Loading the tokeniser takes half a second and a long
 * text takes seconds, which nobody else is to wait for.
 */
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { ModelRates } from './model-rates.ts';

/** A piece of a request: text, or a file in base64. */
export interface Part {
  readonly kind: 'text' | 'text file' | 'pdf' | 'audio' | 'image';
  readonly data: string;
  /** Of an image: how closely the model is to look at it. */
  readonly detail?: string | undefined;
}

/** What is asked of the parts: all their tokens as a model counts them, or which text is the first with more than some. */
export type Question =
  | { readonly kind: 'tokens'; readonly rates: ModelRates | null }
  | { readonly kind: 'first longer'; readonly limitTokens: number };

/** Goes in front of the data of its parts: texts of their own are handed over without being copied. */
export interface Portion extends Pick<Part, 'kind' | 'detail'> {
  readonly job: number;
  readonly question: Question;
  /** How many strings follow. */
  readonly strings: number;
  readonly isLast: boolean;
}

export interface CountAnswer {
  readonly job: number;
  /** Of `first longer` its index, -1 when there is none. */
  readonly number: number;
}

export interface CountingBounds {
  readonly jobs: number;
  /** Of all jobs together; a longer one is taken alone. */
  readonly characters: number;
}

const usualBounds: CountingBounds = { jobs: 256, characters: 16_000_000 };

/** After as much has been handed over everything else has a turn. */
const portion = { strings: 256, characters: 1_000_000 } as const;

const openWorker = () => new Worker(new URL('./count-worker.ts', import.meta.url));

export class CountingThread {
  readonly #bounds: CountingBounds;
  readonly #open: () => Worker;
  readonly #waiting = new Map<number, (number: number | null) => void>();
  #worker: Worker | null = null;
  #characters = 0;
  #lastJob = 0;

  constructor(bounds: CountingBounds = usualBounds, open: () => Worker = openWorker) {
    this.#bounds = bounds;
    this.#open = open;
  }

  /** @returns null when the thread has too much to do already, dies of what it was asked, or cannot start. */
  async ask(question: Question, parts: readonly Part[]): Promise<number | null> {
    const characters = parts.reduce((sum, { data }) => sum + data.length, 0);
    if (!this.#hasRoomFor(characters)) return null;
    this.#lastJob += 1;
    const job = this.#lastJob;
    const { promise, resolve } = Promise.withResolvers<number | null>();
    this.#waiting.set(job, resolve);
    this.#characters += characters;
    try {
      const worker = this.#tryStart();
      if (worker === null) return null;
      await this.#send({ worker, job, question, parts });
      return await promise;
    } finally {
      this.#characters -= characters;
      this.#settle(job, null);
    }
  }

  #hasRoomFor(characters: number): boolean {
    if (this.#waiting.size === 0) return true;
    const { jobs, characters: most } = this.#bounds;
    return this.#waiting.size < jobs && this.#characters + characters <= most;
  }

  /** Null where the machine has no room for a thread. */
  #tryStart(): Worker | null {
    try {
      return this.#start();
    } catch {
      return null;
    }
  }

  /** A thread that has nothing to do does not keep the process from ending. */
  #start(): Worker {
    const worker = this.#worker ?? this.#open();
    if (this.#worker === null) {
      this.#worker = worker;
      worker.on('message', ({ job, number }: CountAnswer) => this.#settle(job, number));
      worker.on('error', () => this.#lose(worker));
      worker.on('exit', () => this.#lose(worker));
    }
    worker.ref();
    return worker;
  }

  async #send(order: {
    readonly worker: Worker;
    readonly job: number;
    readonly question: Question;
    readonly parts: readonly Part[];
  }): Promise<void> {
    const { worker, job, question, parts } = order;
    let from = 0;
    do {
      if (from > 0) await setImmediate();
      if (this.#worker !== worker) return;
      const to = endOfPortion(parts, from);
      const { kind = 'text', detail } = parts[from] ?? {};
      const isLast = to >= parts.length;
      const head: Portion = { job, question, kind, detail, strings: to - from, isLast };
      // Nothing else is handed over between a portion and its strings.
      worker.postMessage(head);
      for (const { data } of parts.slice(from, to)) worker.postMessage(data);
      from = to;
    } while (from < parts.length);
  }

  #settle(job: number, number: number | null): void {
    const resolve = this.#waiting.get(job);
    if (resolve === undefined) return;
    this.#waiting.delete(job);
    resolve(number);
    if (this.#waiting.size === 0) this.#worker?.unref();
  }

  /** What it had to do may be what it died of, so that is not asked again; the next question starts another thread. */
  #lose(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    for (const job of [...this.#waiting.keys()]) this.#settle(job, null);
  }
}

/** Parts of one kind go together, as many as a portion holds. */
function endOfPortion(parts: readonly Part[], from: number): number {
  const { kind, detail } = parts[from] ?? {};
  let characters = 0;
  let to = from;
  while (to < parts.length && to - from < portion.strings) {
    const part = parts[to];
    if (part?.kind !== kind || part?.detail !== detail) break;
    characters += part?.data.length ?? 0;
    if (to > from && characters > portion.characters) break;
    to += 1;
  }
  return to;
}

/** The one of this process, which starts when somebody counts for the first time. */
export const countingThread = new CountingThread();
