/** Where the control socket of a data folder is, and how another process of the same user finds it. */
import { chmod, mkdir, readlink, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { prepareSocketPlace, type SocketPlace } from '../storage/embedded/socket-path.ts';

const name = 'control.sock';
const knownPath = (dataDir: string): string => join(resolve(dataDir), 'run', name);

/** A socket that had to go elsewhere, because the data folder's path is too long for one, is linked to from there. */
export async function prepareControlPlace(dataDir: string): Promise<SocketPlace> {
  const known = knownPath(dataDir);
  const place = await prepareSocketPlace(resolve(dataDir), name);
  if (place.path === known) return place;
  try {
    await mkdir(dirname(known), { recursive: true });
    await chmod(dirname(known), 0o700);
    await rm(known, { force: true });
    await symlink(place.path, known);
  } catch (error) {
    await place.remove();
    throw error;
  }
  return {
    ...place,
    async remove() {
      await rm(known, { force: true });
      await place.remove();
    },
  };
}

/** The path to connect to; whether anyone listens there shows when it is tried. */
export async function findControlSocket(dataDir: string): Promise<string> {
  const known = knownPath(dataDir);
  try {
    return await readlink(known);
  } catch {
    return known;
  }
}
