/** Several processes that serve one port: started, watched, replaced when they end by themselves, and stopped together. */
import type { Clock } from '../base/clock.ts';
import { AppError, describeThrown } from '../base/errors.ts';
import type { Log } from '../base/log.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export interface WorkersOptions {
  readonly count: number;
  /** The arguments of this same program that make it worker `number`, from 1. */
  readonly argumentsOf: (number: number) => readonly string[];
  readonly variablesOf: (number: number) => Variables;
  readonly log: Log;
  readonly clock: Clock;
}

/** What a worker tells its supervisor once it listens. */
const readyMessage = 'ready';

const firstRestartDelayMs = 1_000;
const maxRestartDelayMs = 30_000;

export class Workers {
  readonly #options: WorkersOptions;
  readonly #running = new Map<number, Bun.Subprocess>();
  /** Ends what waits to start a process again. */
  readonly #stopping = new AbortController();
  #worstExitCode = 0;

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  /**
   * One after the other, because the first brings the database up to date for all.
   * @throws AppError when one ends before it listens; it has said why. The others are stopped.
   */
  async start(): Promise<void> {
    for (let number = 1; number <= this.#options.count && !this.#stopping.signal.aborted; number += 1) {
      let cause: unknown;
      try {
        if ((await this.#run(number)) === null) continue;
      } catch (thrown) {
        cause = thrown;
      }
      if (this.#stopping.signal.aborted) return;
      await this.stop();
      const reason = cause === undefined ? '' : ` (${describeThrown(cause)})`;
      throw new AppError({
        code: 'internal_error',
        public: `Worker ${number} could not start${reason}.`,
        cause,
      });
    }
  }

  /**
   * Tells all to let what is under way end, and waits until they have; told again, they end at once.
   * @returns 0 when all ended in good order.
   */
  async stop(): Promise<number> {
    this.#stopping.abort();
    const running = [...this.#running.values()];
    for (const child of running) child.kill('SIGTERM');
    await Promise.all(running.map((child) => child.exited));
    return this.#worstExitCode;
  }

  /** Resolves to null once it listens, else to the exit code of one that ended before. */
  async #run(number: number): Promise<number | null> {
    const { promise: begun, resolve } = Promise.withResolvers<number | null>();
    const { argumentsOf, variablesOf } = this.#options;
    const child = Bun.spawn([process.execPath, ...process.execArgv, Bun.main, ...argumentsOf(number)], {
      env: { ...variablesOf(number) },
      stdio: ['ignore', 'inherit', 'inherit'],
      serialization: 'json',
      ipc: (message) => {
        if (message === readyMessage) resolve(null);
      },
    });
    this.#running.set(number, child);
    void child.exited.then((exitCode) => {
      this.#running.delete(number);
      resolve(exitCode);
    });
    const endedWith = await begun;
    if (endedWith === null) void child.exited.then((exitCode) => this.#ended(number, exitCode));
    return endedWith;
  }

  /** Of one that was still being started when it was stopped nobody asks how it ended: it had served nothing. */
  #ended(number: number, exitCode: number): void {
    if (this.#stopping.signal.aborted) this.#worstExitCode = Math.max(this.#worstExitCode, exitCode);
    else void this.#replace(number, exitCode);
  }

  /** A process that served and ended by itself must not take its share of the port away for long. */
  async #replace(number: number, exitCode: number): Promise<void> {
    const { log, clock } = this.#options;
    const { signal } = this.#stopping;
    log.error('a worker ended by itself and is started again', {
      detail: `worker ${number}, exit code ${exitCode}`,
    });
    for (
      let delayMs = firstRestartDelayMs;
      !signal.aborted;
      delayMs = Math.min(delayMs * 2, maxRestartDelayMs)
    ) {
      await clock.sleep(delayMs, signal);
      try {
        if (signal.aborted) return;
        const endedWith = await this.#run(number);
        if (endedWith === null || signal.aborted) return;
        log.error('a worker that was started again ended before it listened, and said why', {
          detail: `worker ${number}, exit code ${endedWith}`,
        });
      } catch (error) {
        // The system has no room for a process just now: that must not end the ones that serve.
        log.error('a worker could not be started', { detail: describeThrown(error) });
      }
    }
  }
}

/** A worker says that it listens, and lets go of the line, which would keep it alive. */
export function tellReady(): void {
  process.send?.(readyMessage, undefined, undefined, () => process.disconnect?.());
}
