/** Where this process listens for others on the machine: a place that only this user can reach. */
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SocketPlace {
  readonly path: string;
  /** Removes a socket that nobody serves any more, so that the path can be listened on. */
  clear(): Promise<void>;
  remove(): Promise<void>;
}

/** The system's limit is 104 bytes on macOS and 108 on Linux, its closing zero included. */
const longestPathBytes = 100;

/**
 * In the data folder, or in a temporary one of this process when the data folder's path is too long.
 * @param name the socket's file name.
 */
export async function prepareSocketPlace(dataDir: string, name: string): Promise<SocketPlace> {
  const folder = join(dataDir, 'run');
  const path = join(folder, name);
  const clear = () => rm(path, { force: true });
  if (Buffer.byteLength(path) > longestPathBytes) return await prepareTemporaryPlace(name);
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  // Left by a process that was killed: the holder of the data folder's lock is the only one to listen here.
  await clear();
  return { path, clear, remove: clear };
}

async function prepareTemporaryPlace(name: string): Promise<SocketPlace> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-'));
  const path = join(folder, name);
  return {
    path,
    clear: () => rm(path, { force: true }),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
