/** Runs PGlite in a thread of its own and serves it on a unix socket. */
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { DurableFolder, startParams } from './durable-folder.ts';
import { closeRequest, type WorkerReport, type WorkerSettings, workerSettings } from './messages.ts';

/** One works at a time. A client whose connection was lost must be let in before the loss is noticed here. */
const maxConnections = 8;

async function serve({ databaseDir, socketPath }: WorkerSettings): Promise<void> {
  const database = await PGlite.create({
    fs: new DurableFolder(databaseDir),
    startParams,
    relaxedDurability: false,
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

await attempt(() => serve(workerSettings.parse(workerData)));
