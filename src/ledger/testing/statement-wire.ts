/** Statements on their way to a database: a test says when each is carried out, and what becomes of its answer. */

export class AnswerLost extends Error {
  constructor() {
    super('the answer was lost');
  }
}

/** No process. */
export const outside = -1;

/** One statement, or anything else that waits for its turn. */
export interface Waiting {
  readonly process: number;
  readonly name: string;
  /** Waits for its turn only: there is no answer that could be lost. */
  readonly isTurn: boolean;
  /** `sent`: not carried out yet. `done`: carried out, and its sender has not heard of it. */
  readonly state: 'sent' | 'done';
  /** False once its sender has given up or died: it may still be carried out. */
  readonly isHeard: boolean;
}

interface Entry extends Waiting {
  state: 'sent' | 'done';
  isHeard: boolean;
  readonly run: () => unknown;
  tell: () => void;
  readonly fail: (error: unknown) => void;
  readonly succeed: (result: unknown) => void;
}

export class StatementWire {
  readonly #entries = new Set<Entry>();
  readonly #dead = new Set<number>();

  /** In the order in which they were sent. */
  get waiting(): readonly Waiting[] {
    return [...this.#entries];
  }

  /** @param run what the database does; what it throws is its answer. */
  send<Result>(process: number, name: string, run: () => Result | Promise<Result>): Promise<Result> {
    return this.#wait({ process, name, isTurn: false, run });
  }

  turn(process: number, name: string): Promise<void> {
    return this.#wait({ process, name, isTurn: true, run: () => undefined });
  }

  #wait<Result>(
    asked: Pick<Entry, 'process' | 'name' | 'isTurn'> & { readonly run: () => Result | Promise<Result> },
  ): Promise<Result> {
    // Whoever is dead waits for ever.
    if (this.#dead.has(asked.process)) return new Promise(() => undefined);
    return new Promise<Result>((resolve, reject) => {
      const succeed = (result: unknown) => resolve(result as Result);
      this.#entries.add({
        ...asked,
        ...{ state: 'sent', isHeard: true, succeed, fail: reject, tell: () => undefined },
      });
    });
  }

  async carryOut(waiting: Waiting): Promise<void> {
    const entry = this.#find(waiting);
    entry.state = 'done';
    try {
      const answer = entry.run();
      const result = answer instanceof Promise ? await answer : answer;
      entry.tell = () => entry.succeed(result);
    } catch (error) {
      entry.tell = () => entry.fail(error);
    }
    if (!entry.isHeard) this.#entries.delete(entry);
    else if (entry.isTurn) this.answer(entry);
  }

  answer(waiting: Waiting): void {
    const entry = this.#find(waiting);
    this.#entries.delete(entry);
    entry.tell();
  }

  /** Its sender hears that the connection broke. What is not carried out yet may be, later or never. */
  lose(waiting: Waiting): void {
    const entry = this.#find(waiting);
    entry.isHeard = false;
    if (entry.state === 'done') this.#entries.delete(entry);
    entry.fail(new AnswerLost());
  }

  /** What nobody waits for is carried out no more. */
  drop(): void {
    for (const entry of this.#entries) if (!entry.isHeard) this.#entries.delete(entry);
  }

  /** The process does nothing more; what it has sent may still be carried out. */
  kill(process: number): void {
    this.#dead.add(process);
    for (const entry of this.#entries) {
      if (entry.process !== process) continue;
      entry.isHeard = false;
      if (entry.state === 'done' || entry.isTurn) this.#entries.delete(entry);
    }
  }

  /** Lets it come to its end in the usual order. */
  async drain(work: Promise<unknown>): Promise<void> {
    let isOver = false;
    let failure: unknown;
    void work
      .catch((error) => {
        failure = error;
      })
      .finally(() => {
        isOver = true;
      });
    await letGoOn();
    for (let steps = 0; !isOver || this.waiting.length > 0; steps += 1) {
      const [first] = this.waiting;
      if (first === undefined || steps > 10_000) throw new Error('it waits for ever');
      if (first.state === 'sent') await this.carryOut(first);
      else this.answer(first);
      await letGoOn();
    }
    if (failure !== undefined) throw failure;
  }

  #find(waiting: Waiting): Entry {
    for (const entry of this.#entries) if (entry === waiting) return entry;
    throw new Error(`${waiting.name} is not waiting`);
  }
}

/** Lets promises that are ready go on, as far as they come without anybody from outside. */
export async function letGoOn(): Promise<void> {
  for (let hop = 0; hop < 16; hop += 1) await undefined;
}
