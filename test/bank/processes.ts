/** The processes that serve: each in its place, killed and paused, with others that wait to take the place of the dead. */
import type { PreparedDatabase } from '../support/databases.ts';
import { type SluiceProgram, startProgram } from '../support/program.ts';

export interface ProcessesOptions {
  readonly count: number;
  /** Started and waiting: a start takes seconds, in which nobody could be killed. */
  readonly spares: number;
  readonly database: PreparedDatabase;
  readonly file: object;
  /** Of each process that runs at the same time, as many as serve and wait. */
  readonly variablesOf: (wire: number) => Readonly<Record<string, string>>;
}

interface Member {
  readonly program: SluiceProgram;
  readonly wire: number;
}

export class Processes {
  readonly #options: ProcessesOptions;
  readonly #serving: (Member | undefined)[];
  readonly #waiting: Member[] = [];
  readonly #freeWires: number[];
  readonly #starting = new Set<Promise<void>>();
  readonly #ended: SluiceProgram[] = [];
  #isOver = false;
  killCount = 0;
  pauseCount = 0;
  /** Starts that failed, as they do while the database is away, and were made again. */
  failedStarts = 0;
  /** Why the last of them did; empty when none did. */
  lastFailure = '';

  constructor(options: ProcessesOptions) {
    this.#options = options;
    this.#serving = Array.from({ length: options.count }, () => undefined);
    this.#freeWires = Array.from({ length: options.count + options.spares }, (_none, wire) => wire);
  }

  async start(): Promise<void> {
    // One after another: the first applies the file.
    for (const _place of this.#serving) await this.#startOne();
    for (let spare = 0; spare < this.#options.spares; spare += 1) this.#startInBackground();
  }

  get servingCount(): number {
    return this.#serving.filter((member) => member !== undefined).length;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Of the process there, by which it reaches the database; undefined where none serves. */
  wireOf(place: number): number | undefined {
    return this.#serving[place]?.wire;
  }

  /** Of the process there, or of the next one that serves. */
  urlFrom(place: number): string | undefined {
    const inTurn = [...this.#serving.slice(place), ...this.#serving.slice(0, place)];
    return inTurn.find((member) => member !== undefined)?.program.url;
  }

  /** False when nothing runs there. */
  kill(place: number): boolean {
    const member = this.#serving[place];
    if (member === undefined) return false;
    this.#serving[place] = this.#waiting.shift();
    this.killCount += 1;
    this.#ended.push(member.program);
    // What it owed is found by the next one that starts, not by the one that took its place.
    this.#startInBackground(member);
    return true;
  }

  async pause(place: number, ms: number): Promise<void> {
    const member = this.#serving[place];
    if (member === undefined) return;
    this.pauseCount += 1;
    member.program.signal('SIGSTOP');
    await Bun.sleep(ms);
    member.program.signal('SIGCONT');
  }

  /** What any of them said of a request that failed inside it, but for a database that was away. */
  get failures(): readonly string[] {
    const running = this.#members().map(({ program }) => program);
    const lines = [...this.#ended, ...running].flatMap((program) => program.printed().split('\n'));
    return lines.filter(
      (line) =>
        line.includes('failed inside the gateway') && !line.includes('the database cannot be reached'),
    );
  }

  /** Lets all that are being started come up, and then ends all in order. @returns their exit codes. */
  async stop(): Promise<readonly (number | string)[]> {
    while (this.#starting.size > 0) await Promise.all(this.#starting);
    return await Promise.all(this.#members().map(({ program }) => program.stop()));
  }

  async discard(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#starting);
    const programs = this.#members().map(({ program }) => program);
    await Promise.all([...this.#ended, ...programs].map((program) => program.discard()));
  }

  #members(): readonly Member[] {
    return [...this.#serving, ...this.#waiting].filter((member) => member !== undefined);
  }

  /** @param killed whose wire is free once it is dead. */
  #startInBackground(killed?: Member): void {
    const starting = this.#startAfter(killed);
    this.#starting.add(starting);
    void starting.finally(() => this.#starting.delete(starting));
  }

  async #startAfter(killed: Member | undefined): Promise<void> {
    if (killed !== undefined) {
      await killed.program.kill();
      this.#freeWires.push(killed.wire);
    }
    await this.#startOne();
  }

  async #startOne(): Promise<void> {
    const wire = this.#freeWires.shift();
    if (wire === undefined) throw new Error('more processes run than there are wires');
    while (!this.#isOver) {
      try {
        const { database, file, variablesOf } = this.#options;
        const member = {
          program: await startProgram({ database, file, variables: variablesOf(wire) }),
          wire,
        };
        const place = this.#serving.indexOf(undefined);
        if (place < 0) this.#waiting.push(member);
        else this.#serving[place] = member;
        return;
      } catch (error) {
        this.failedStarts += 1;
        this.lastFailure = String(error).slice(0, 400);
        await Bun.sleep(200);
      }
    }
  }
}
