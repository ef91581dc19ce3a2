/** The embedded database as the rest sees it: a socket to connect to, served again by a new thread when one breaks. */
import { readdirSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../base/clock.ts';
import { StorageError } from '../storage-error.ts';
import { closeRequest, type WorkerReport, type WorkerSettings, workerReport } from './messages.ts';
import { prepareSocketPlace, type SocketPlace } from './socket-path.ts';

interface EmbeddedOptions {
  /** Absolute, and locked by this process. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly onWarning: (message: string) => void;
}

/** A part of the socket's name, as PostgreSQL has it. */
export const socketPort = 5432;

const firstPauseMs = 250;
const longestPauseMs = 30_000;

const databaseDirOf = (dataDir: string): string => join(dataDir, 'database');

/**
 * Whether there is one, sound or not. What only looks at a database asks first, since opening makes one; what cannot be
 * looked at is for opening to tell.
 */
export function hasEmbeddedDatabase(dataDir: string): boolean {
  try {
    return readdirSync(databaseDirOf(dataDir)).length > 0;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT');
  }
}

interface ServerParts extends Omit<EmbeddedOptions, 'dataDir'> {
  readonly databaseDir: string;
  readonly place: SocketPlace;
}

export class EmbeddedServer {
  readonly #databaseDir: string;
  readonly #place: SocketPlace;
  readonly #clock: Clock;
  readonly #warn: (message: string) => void;
  readonly #closing = new AbortController();
  #thread: Promise<DatabaseThread>;

  /** @throws StorageError when the database cannot be opened. */
  static async start({ dataDir, clock, onWarning }: EmbeddedOptions): Promise<EmbeddedServer> {
    const databaseDir = databaseDirOf(dataDir);
    await mkdir(databaseDir, { recursive: true, mode: 0o700 });
    const place = await prepareSocketPlace(dataDir, `.s.PGSQL.${socketPort}`);
    const server = new EmbeddedServer({ databaseDir, place, clock, onWarning });
    try {
      await server.#thread;
    } catch (error) {
      await place.remove();
      const why = error instanceof Error ? error.message : String(error);
      throw new StorageError(
        'embedded_failed',
        `The database in ${databaseDir} cannot be opened: ${why}.`,
        error,
      );
    }
    return server;
  }

  private constructor({ databaseDir, place, clock, onWarning }: ServerParts) {
    this.#clock = clock;
    this.#databaseDir = databaseDir;
    this.#place = place;
    this.#warn = onWarning;
    this.#thread = this.#startThread();
  }

  get socketPath(): string {
    return this.#place.path;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const thread = await this.#thread.catch(() => undefined);
    await thread?.close();
    await this.#place.remove();
  }

  async #startThread(): Promise<DatabaseThread> {
    const program = await compileDatabase();
    const settings = { databaseDir: this.#databaseDir, socketPath: this.#place.path, program };
    return DatabaseThread.start(settings, this.#clock, (reason) => {
      this.#warn(`The embedded database stopped (${reason}) and is started again.`);
      this.#thread = this.#restart();
      this.#thread.catch(() => undefined);
    });
  }

  async #restart(): Promise<DatabaseThread> {
    const { signal } = this.#closing;
    for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        await this.#place.clear();
        return await this.#startThread();
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        this.#warn(`The embedded database does not start: ${why}.`);
        await this.#clock.sleep(pauseMs, signal);
      }
    }
    throw new Error('The embedded database was closed before it had started again.');
  }
}

let compiled: Promise<WebAssembly.Module> | undefined;

/**
 * Compiles PostgreSQL once a process. Threads share the compiled module, and with it the faster code that the engine
 * makes of what runs often: a thread that follows another neither compiles anew nor begins slowly.
 */
function compileDatabase(): Promise<WebAssembly.Module> {
  compiled ??= readFile(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'))).then((program) =>
    WebAssembly.compile(program),
  );
  // What kept the file from being read may have passed by the next start.
  compiled.catch(() => {
    compiled = undefined;
  });
  return compiled;
}

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
