/** Where the control socket of a data folder is. */
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The operating system's bound is 104 bytes on some systems, 108 on others. */
const maxPathBytes = 100;

/** In the data folder, or under a short name in the temporary folder when that path is too long for a socket. */
export function socketPath(dataDir: string): string {
  const path = join(resolve(dataDir), 'control.sock');
  if (Buffer.byteLength(path) <= maxPathBytes) return path;
  return join(tmpdir(), `sluice-${Bun.hash(path).toString(36)}.sock`);
}
