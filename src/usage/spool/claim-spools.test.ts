/** A data folder and the databases that it is started with. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../base/testing/silent-log.ts';
import { claimSpools } from './claim-spools.ts';
import { systemDisk } from './segment-log.ts';

const first = '019acb00-0000-7000-8000-000000000001';
const second = '019acb00-0000-7000-8000-000000000002';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'sluice-claim-')), 'spool');
  file = join(folder, '../database.id');
});
afterEach(() => rm(join(folder, '..'), { recursive: true }));

const claim = (databaseId: string, keepsOwn = true) =>
  claimSpools({ folder, databaseId, keepsOwn, log: silentLog });
const owner = async () => (await readFile(file, 'utf8')).trim();

async function leaveSpool(name: string): Promise<void> {
  await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, name, 'lock'), '');
}

test('spools of another database are refused to a start, which changes nothing', async () => {
  claim(first);
  await leaveSpool('7');
  for (const keepsOwn of [true, false])
    expect(() => claim(second, keepsOwn)).toThrow(`${folder} holds the spool of one process, with usage`);
  await leaveSpool('8');
  expect(() => claim(second)).toThrow(
    'the spools of 2 processes, with usage that may not be written yet, and they belong to another database',
  );
  expect(await owner()).toBe(first);
  claim(first);
});

test('a folder in which nothing is left goes over to the database that it is started with', async () => {
  claim(first);
  // Something of a disk's own, and a spool whose process is just taking it away.
  await mkdir(join(folder, 'lost+found'), { recursive: true });
  await mkdir(join(folder, '7'));
  claim(second);
  expect(await owner()).toBe(second);
});

test.each([
  ['does not say whose it is, as of an edition before,', undefined],
  ['lost what it said with the power', ''],
  ['holds something else under that name', 'whose?'],
])('a folder that %s takes what it is started with, whatever is left in it', async (_what, text) => {
  await leaveSpool('7');
  if (text !== undefined) await writeFile(file, text);
  claim(first);
  expect(await owner()).toBe(first);
  expect(() => claim(second)).toThrow('another database');
});

test('who keeps no spool makes nothing there', async () => {
  claim(first, false);
  expect(existsSync(file)).toBe(false);
  claim(first);
  claim(second, false);
  expect(await owner()).toBe(first);
});

test('a disk without room for it refuses no start, and what was said before goes', async () => {
  claim(first);
  const disk = {
    ...systemDisk,
    append: (path: string) => ({ ...systemDisk.append(path), write: () => 0 }),
  };
  const warnings: unknown[] = [];
  const log = { warn: (message: string) => void warnings.push(message) };
  claimSpools({ folder, databaseId: second, keepsOwn: true, log, disk });
  expect(warnings).toEqual(['the data folder cannot say which database its usage is for']);
  expect(await readdir(join(folder, '..'))).toEqual([]);
});
