/** What the thread of the embedded database and the main thread say to each other. */
import { z } from 'zod';

export const workerSettings = z.object({
  databaseDir: z.string(),
  socketPath: z.string(),
  /** PostgreSQL as PGlite has it. */
  program: z.instanceof(WebAssembly.Module),
});
export type WorkerSettings = z.infer<typeof workerSettings>;

export const workerReport = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  /** It could not start, or cannot go on; the thread is of no more use. */
  z.object({ kind: z.literal('broken'), reason: z.string() }),
  z.object({ kind: z.literal('closed') }),
]);
export type WorkerReport = z.infer<typeof workerReport>;

export const closeRequest = 'close';
