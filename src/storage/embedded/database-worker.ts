/** Runs PGlite in a thread of its own, on files whose fsync reaches the disk, and serves it on a unix socket. */
import { fsyncSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { closeRequest, type WorkerReport, type WorkerSettings, workerSettings } from './messages.ts';

/** One works at a time. A client whose connection was lost must be let in before the loss is noticed here. */
const maxConnections = 8;

async function serve({ databaseDir, socketPath, program }: WorkerSettings): Promise<void> {
  const database = await PGlite.create({
    fs: new DurableFolder(databaseDir),
    startParams,
    relaxedDurability: false,
    pgliteWasmModule: program,
  });
  reportFailures(database);
  const server = new PGLiteSocketServer({ db: database, path: socketPath, maxConnections });
  await server.start();
  parentPort?.on('message', (message) => {
    if (message === closeRequest) void attempt(() => close(database, server));
  });
  report({ kind: 'ready' });
}

/** An error of SQL is an answer. What is thrown here is the end: the server's queue does not go on after it. */
function reportFailures(database: PGlite): void {
  const execute = database.execProtocolRawStream.bind(database);
  database.execProtocolRawStream = async (message, options) => {
    try {
      await execute(message, options);
    } catch (error) {
      reportBroken(error);
      throw error;
    }
  };
}

async function close(database: PGlite, server: PGLiteSocketServer): Promise<void> {
  await server.stop();
  await database.close();
  report({ kind: 'closed' });
}

async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    reportBroken(error);
  }
}

function reportBroken(error: unknown): void {
  // WebAssembly's way to exit throws an object that has a message and is not an Error.
  const hasMessage = typeof error === 'object' && error !== null && 'message' in error;
  report({ kind: 'broken', reason: String(hasMessage ? error.message : error) });
}

function report(message: WorkerReport): void {
  parentPort?.postMessage(message);
}

/**
 * PGlite starts PostgreSQL with `-F`, fsync off, and its file system answers a sync without doing it. Rows would
 * survive the end of the process and not the end of the power. `fdatasync`, the default method, cannot be supplied.
 */
const durable = ['-c', 'wal_sync_method=fsync'];
/** The system caches the files anyway; the default of 128 MB would be memory of this process. */
const small = ['-c', 'shared_buffers=16MB'];

export const startParams = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...durable,
  ...small,
];

interface OpenFile {
  /** The file descriptor of the host. */
  readonly nfd: number;
}

type EmscriptenOptions = Parameters<NodeFS['init']>[1];

export class DurableFolder extends NodeFS {
  override async init(database: PGlite, options: EmscriptenOptions) {
    const { emscriptenOpts } = await super.init(database, options);
    const supplySync: NonNullable<EmscriptenOptions['preRun']>[number] = (module) => {
      Object.assign(module.FS.filesystems.NODEFS.stream_ops, { fsync: syncFile });
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), supplySync] } };
  }
}

const success = 0;
/** EIO in the numbering of WASI. PostgreSQL stops rather than go on when a sync fails. */
const inputOutputError = 29;

function syncFile({ nfd }: OpenFile): number {
  try {
    fsyncSync(nfd);
    return success;
  } catch {
    return inputOutputError;
  }
}

await attempt(() => serve(workerSettings.parse(workerData)));
