/** The processes that serve: each in its place, killed, paused, and started again in the same data folder. */
import type { PreparedDatabase } from '../support/databases.ts';
import { type SluiceProgram, startProgram } from '../support/program.ts';

export interface ProcessesOptions {
  readonly count: number;
  readonly database: PreparedDatabase;
  readonly file: object;
  /** Of the process in that place. */
  readonly variablesOf: (place: number) => Readonly<Record<string, string>>;
}

export class Processes {
  readonly #options: ProcessesOptions;
  readonly #running: (SluiceProgram | undefined)[];
  readonly #starting = new Set<Promise<void>>();
  readonly #ended: SluiceProgram[] = [];
  #isOver = false;
  killCount = 0;
  pauseCount = 0;
  /** Starts that failed, as they do while the database is away, and were made again. */
  failedStarts = 0;

  constructor(options: ProcessesOptions) {
    this.#options = options;
    this.#running = Array.from({ length: options.count }, () => undefined);
  }

  async start(): Promise<void> {
    // One after another: the first applies the file.
    for (const place of this.#running.keys()) await this.#startAt(place);
  }

  get servingCount(): number {
    return this.#running.filter((program) => program !== undefined).length;
  }

  serves(place: number): boolean {
    return this.#running[place] !== undefined;
  }

  /** Of the process there, or of the next one that serves. */
  urlFrom(place: number): string | undefined {
    const inTurn = [...this.#running.slice(place), ...this.#running.slice(0, place)];
    return inTurn.find((program) => program !== undefined)?.url;
  }

  /** False when nothing runs there. */
  kill(place: number): boolean {
    const program = this.#running[place];
    if (program === undefined) return false;
    this.#running[place] = undefined;
    this.killCount += 1;
    this.#ended.push(program);
    const again = program.kill().then(() => this.#startAt(place));
    this.#starting.add(again);
    void again.finally(() => this.#starting.delete(again));
    return true;
  }

  async pause(place: number, ms: number): Promise<void> {
    const program = this.#running[place];
    if (program === undefined) return;
    this.pauseCount += 1;
    program.signal('SIGSTOP');
    await Bun.sleep(ms);
    program.signal('SIGCONT');
  }

  /** Lets all that are being started come up, and then ends all in order. @returns their exit codes. */
  async stop(): Promise<readonly (number | string)[]> {
    while (this.#starting.size > 0) await Promise.all(this.#starting);
    const programs = this.#running.filter((program) => program !== undefined);
    return await Promise.all(programs.map((program) => program.stop()));
  }

  async discard(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#starting);
    await Promise.all([...this.#ended, ...this.#running].map((program) => program?.discard()));
  }

  async #startAt(place: number): Promise<void> {
    while (!this.#isOver) {
      try {
        const { database, file, variablesOf } = this.#options;
        this.#running[place] = await startProgram({ database, file, variables: variablesOf(place) });
        return;
      } catch {
        this.failedStarts += 1;
        await Bun.sleep(200);
      }
    }
  }
}
