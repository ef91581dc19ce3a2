/** How many answers that go on for long a person and a process may have at once. */
import { AppError } from '../../../base/errors.ts';

export class UnderWay {
  readonly #ofEach = new Map<number, number>();
  readonly #mostOfAPerson: number;
  readonly #mostOfAll: number;
  #all = 0;

  constructor(mostOfAPerson: number, mostOfAll: number) {
    this.#mostOfAPerson = mostOfAPerson;
    this.#mostOfAll = mostOfAll;
  }

  /**
   * @returns what ends it; safe to call again.
   * @throws AppError `rate_limited` or `server_busy` where too many are under way.
   */
  begin(userId: number): () => void {
    const own = this.#ofEach.get(userId) ?? 0;
    if (own >= this.#mostOfAPerson) {
      throw new AppError({
        code: 'rate_limited',
        public: `${own} of yours are under way: wait until one is done.`,
        retryAfterSeconds: 10,
      });
    }
    if (this.#all >= this.#mostOfAll) {
      throw new AppError({
        code: 'server_busy',
        public: 'Too many are under way: try again in a moment.',
        retryAfterSeconds: 10,
      });
    }
    this.#ofEach.set(userId, own + 1);
    this.#all += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#all -= 1;
      const left = (this.#ofEach.get(userId) ?? 1) - 1;
      if (left === 0) this.#ofEach.delete(userId);
      else this.#ofEach.set(userId, left);
    };
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
