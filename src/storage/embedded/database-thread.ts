/** One life of the thread that runs the embedded database. */
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../base/clock.ts';
import { closeRequest, type WorkerReport, type WorkerSettings, workerReport } from './messages.ts';

const closeTimeoutMs = 10_000;

export class DatabaseThread {
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #onBroken: (reason: string) => void;
  readonly #ready = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<void>();
  #state: 'starting' | 'ready' | 'over' = 'starting';

  /**
   * Resolves when the socket accepts connections, rejects when the database cannot be opened.
   * @param onBroken called once, after the thread is gone, when it ends without being asked to.
   */
  static async start(
    settings: WorkerSettings,
    clock: Clock,
    onBroken: (reason: string) => void,
  ): Promise<DatabaseThread> {
    const thread = new DatabaseThread(settings, clock, onBroken);
    await thread.#ready.promise;
    return thread;
  }

  private constructor(settings: WorkerSettings, clock: Clock, onBroken: (reason: string) => void) {
    this.#clock = clock;
    this.#onBroken = onBroken;
    this.#worker = new Worker(new URL('./database-worker.ts', import.meta.url), { workerData: settings });
    this.#worker.on('message', (message) => this.#hear(workerReport.parse(message)));
    this.#worker.on('error', (error: unknown) => {
      void this.#break(error instanceof Error ? error.message : String(error));
    });
    this.#worker.on('exit', () => void this.#break('its thread ended'));
  }

  /** Shuts the database down in order; without an answer in time its log repairs it at the next start. */
  async close(): Promise<void> {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#worker.postMessage(closeRequest);
    const timer = this.#clock.after(closeTimeoutMs, this.#closed.resolve);
    await this.#closed.promise;
    timer.cancel();
    await this.#worker.terminate();
  }

  #hear(report: WorkerReport): void {
    switch (report.kind) {
      case 'ready':
        this.#state = 'ready';
        this.#ready.resolve();
        break;
      case 'closed':
        this.#closed.resolve();
        break;
      case 'broken':
        void this.#break(report.reason);
    }
  }

  async #break(reason: string): Promise<void> {
    this.#closed.resolve();
    if (this.#state === 'over') return;
    const wasReady = this.#state === 'ready';
    this.#state = 'over';
    await this.#worker.terminate();
    if (wasReady) this.#onBroken(reason);
    else this.#ready.reject(new Error(reason));
  }
}
