/** Where the embedded database listens, with short and with long folders. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { prepareSocketPlace, type SocketPlace } from './socket-path.ts';

describe('the place of the socket', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-socket-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

  test('is in the data folder, reachable by its owner only, cleared of what a killed process left', async () => {
    await mkdir(join(folder, 'run'), { mode: 0o755 });
    await writeFile(join(folder, 'run', 'database.sock'), '');
    const place = await prepareSocketPlace(folder, 'database.sock');
    expect(dirname(place.path)).toBe(join(folder, 'run'));
    expect(await modeOf(dirname(place.path))).toBe(0o700);
    expect(await readdir(dirname(place.path))).toEqual([]);
    await listenOnceOn(place);
    await place.remove();
    expect(await readdir(dirname(place.path))).toEqual([]);
  });

  test('is a temporary folder when the path is longer than a socket can have', async () => {
    const dataDir = join(folder, 'd'.repeat(120));
    await mkdir(dataDir);
    const place = await prepareSocketPlace(dataDir, 'database.sock');
    expect(Buffer.byteLength(place.path)).toBeLessThanOrEqual(100);
    expect(await modeOf(dirname(place.path))).toBe(0o700);
    await listenOnceOn(place);
    await place.remove();
    await expect(stat(dirname(place.path))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

async function listenOnceOn({ path }: SocketPlace): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}
