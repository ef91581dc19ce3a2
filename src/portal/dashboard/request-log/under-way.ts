/** How many answers that go on for long a person and a process may have at once. */
import { AppError } from '../../../base/errors.ts';

interface Place {
  /** Ends it for somebody who has fewer; null for what cannot be begun again. */
  readonly giveUp: (() => void) | null;
}

export class UnderWay {
  /** Of each person, the oldest first. */
  readonly #ofEach = new Map<number, Set<Place>>();
  readonly #mostOfAPerson: number;
  readonly #mostOfAll: number;
  #all = 0;

  constructor(mostOfAPerson: number, mostOfAll: number) {
    this.#mostOfAPerson = mostOfAPerson;
    this.#mostOfAll = mostOfAll;
  }

  /**
   * Where all places are taken, whoever has the most gives one up to somebody who has fewer: so that some people with all
   * of theirs open keep nobody else out.
   * @param giveUp ends it before its time; without one it is let end.
   * @returns what ends it; safe to call again.
   * @throws AppError `rate_limited` or `server_busy` where too many are under way.
   */
  begin(userId: number, giveUp: (() => void) | null = null): () => void {
    const own = this.#ofEach.get(userId)?.size ?? 0;
    if (own >= this.#mostOfAPerson) {
      throw new AppError({
        code: 'rate_limited',
        public: `${own} of yours are under way: wait until one is done.`,
        retryAfterSeconds: 10,
      });
    }
    if (this.#all >= this.#mostOfAll && !this.#makeRoom(own)) {
      throw new AppError({
        code: 'server_busy',
        public: 'Too many are under way: try again in a moment.',
        retryAfterSeconds: 10,
      });
    }
    const place: Place = { giveUp };
    const places = this.#ofEach.get(userId) ?? new Set();
    this.#ofEach.set(userId, places.add(place));
    this.#all += 1;
    return () => this.#end(userId, place);
  }

  /** Only for who has two fewer: or the two would take it from each other for ever. */
  #makeRoom(own: number): boolean {
    let most: [userId: number, place: Place, count: number] | undefined;
    for (const [userId, places] of this.#ofEach) {
      if (places.size <= Math.max(own + 1, most?.[2] ?? 0)) continue;
      const place = [...places].find(({ giveUp }) => giveUp !== null);
      if (place !== undefined) most = [userId, place, places.size];
    }
    if (most === undefined) return false;
    const [userId, place] = most;
    this.#end(userId, place);
    place.giveUp?.();
    return true;
  }

  #end(userId: number, place: Place): void {
    const places = this.#ofEach.get(userId);
    if (places?.delete(place) !== true) return;
    this.#all -= 1;
    if (places.size === 0) this.#ofEach.delete(userId);
  }
}

/** Pulled by its reader, so that no more is made than is taken; `end` is called once, whoever ends it. */
export function streamOf(texts: AsyncGenerator<string>, end: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await texts.next();
        if (done !== true) return controller.enqueue(encoder.encode(value));
        controller.close();
        end();
      } catch (error) {
        end();
        throw error;
      }
    },
    async cancel() {
      end();
      await texts.return(undefined);
    },
  });
}
