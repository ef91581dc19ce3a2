/** One process a data folder, whatever happens to it. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findDataDirHolder, lockDataDir } from './data-dir-lock.ts';

const holderPath = fileURLToPath(new URL('./fixtures/hold-lock.ts', import.meta.url));

describe('the lock on a data folder', () => {
  let folder: string;
  let children: ChildProcess[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-lock-'));
    children = [];
  });
  afterEach(async () => {
    await Promise.all(children.map(kill));
    await rm(folder, { recursive: true, force: true });
  });

  async function startHolder(): Promise<{ child: ChildProcess; said: string }> {
    const child = spawn(process.execPath, [holderPath, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const [said] = child.stdout === null ? [] : await once(child.stdout, 'data');
    return { child, said: String(said).trim() };
  }

  test('is refused to a second holder, also in the same process, and named by the first', async () => {
    const lock = await lockDataDir(folder);
    expect(await findDataDirHolder(folder)).toEqual({ pid: process.pid });
    await expect(lockDataDir(folder)).rejects.toMatchObject({
      code: 'data_dir_in_use',
      holderPid: process.pid,
      message: expect.stringContaining(`in use by process ${process.pid}`),
    });
    // Neither look nor refusal took it away.
    expect((await startHolder()).said).toBe('refused');
    await lock.release();
    expect(await findDataDirHolder(folder)).toBeNull();
    await (await lockDataDir(folder)).release();
  });

  test('is one lock for every path to the folder', async () => {
    const lock = await lockDataDir(folder);
    const otherPath = `${folder}-link`;
    await symlink(folder, otherPath);
    await expect(lockDataDir(otherPath)).rejects.toMatchObject({ code: 'data_dir_in_use' });
    await rm(otherPath);
    await lock.release();
  });

  test('is free again when its holder was killed', async () => {
    const { child, said } = await startHolder();
    expect(said).toBe('held');
    await expect(lockDataDir(folder)).rejects.toMatchObject({ holderPid: child.pid });
    expect(await findDataDirHolder(folder)).toEqual({ pid: child.pid ?? 0 });
    await kill(child);
    expect(await findDataDirHolder(folder)).toBeNull();
    await (await lockDataDir(folder)).release();
  });

  test('goes to one of several that take over from a killed holder at once', async () => {
    await kill((await startHolder()).child);
    const said = (await Promise.all([startHolder(), startHolder(), startHolder()])).map((one) => one.said);
    expect(said.toSorted()).toEqual(['held', 'refused', 'refused']);
  });

  test('makes the folder, for its owner only', async () => {
    const inner = join(folder, 'new', 'data');
    const lock = await lockDataDir(inner);
    expect((await stat(inner)).mode & 0o777).toBe(0o700);
    await lock.release();
  });

  test('says which folder cannot be written and why', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const refused = lockDataDir(join(file, 'data'));
    await expect(refused).rejects.toMatchObject({ code: 'data_dir' });
    await expect(refused).rejects.toThrow(`The data folder ${join(file, 'data')} cannot be used`);
  });

  test('says so where the disk takes no word of who holds it, and is held by nobody then', async () => {
    // Nothing can be written there, as on a disk that is full.
    await mkdir(join(folder, 'sluice.pid'));
    const refused = lockDataDir(folder);
    await expect(refused).rejects.toMatchObject({ code: 'data_dir' });
    await expect(refused).rejects.toThrow(`The data folder ${folder} cannot be used: EISDIR`);
    await rm(join(folder, 'sluice.pid'), { recursive: true });
    await (await lockDataDir(folder)).release();
  });

  test('is held by nobody where there is no folder, and looking makes none', async () => {
    const missing = join(folder, 'missing');
    expect(await findDataDirHolder(missing)).toBeNull();
    await expect(stat(missing)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
