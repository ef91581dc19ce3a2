import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../base/testing/manual-clock.ts';
import { silentLog } from '../../base/testing/silent-log.ts';
import { adoptSpools, Spool, trySpoolFolder } from '../index.ts';
import { type SpoolDisk, systemDisk } from './segment-log.ts';

let dataDir: string;
let folder: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-spool-'));
  folder = join(dataDir, 'spool');
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const everything = () => readdirSync(dataDir, { recursive: true }).map(String).sort();

test('passes a folder that a spool can be kept in, and leaves nothing there', () => {
  expect(trySpoolFolder(folder)).toBe(true);
  expect(everything()).toEqual([]);
  mkdirSync(folder);
  expect(trySpoolFolder(folder)).toBe(true);
  expect(everything()).toEqual(['spool']);
});

test('lets a spool be in which a process keeps usage', () => {
  const spool = new Spool({
    ...{ folder, holderId: '7', maxBytes: 1e9 },
    ...{ clock: new ManualClock(), log: silentLog },
  });
  const before = everything();
  expect(trySpoolFolder(folder)).toBe(true);
  expect(everything()).toEqual(before);
  spool.close();
});

test('makes no data folder, and says that there is none yet', () => {
  expect(trySpoolFolder(join(dataDir, 'new', 'data', 'spool'))).toBe(false);
  expect(everything()).toEqual([]);
});

test('leaves nothing where nothing can be locked, and goes past what a trial left that was killed', () => {
  mkdirSync(join(folder, `.trial-${process.pid}`), { recursive: true });
  writeFileSync(join(folder, `.trial-${process.pid}`, 'trial'), '');
  const before = everything();
  const lock = () => {
    throw new Error('no locks here');
  };
  expect(() => trySpoolFolder(folder, { ...systemDisk, lock })).toThrow('cannot be used: no locks here');
  expect(everything()).toEqual(before);
  expect(trySpoolFolder(folder)).toBe(true);
  expect(everything()).toEqual(before);
});

test('says which folder cannot be used and why', () => {
  writeFileSync(folder, '');
  expect(() => trySpoolFolder(folder)).toThrow(
    `The folder ${folder}, where usage is kept until the database has it, cannot be used: ENOTDIR`,
  );
  expect(() => trySpoolFolder(join(folder, 'data', 'spool'))).toThrow('cannot be used: E');
});

test('names a spool of a process that died that a start could not take over', () => {
  const left = join(folder, '7');
  mkdirSync(join(left, 'lock'), { recursive: true });
  writeFileSync(join(left, '1.jsonl'), '');
  expect(() => trySpoolFolder(folder)).toThrow(
    `The folder ${left}, where usage is kept until the database has it, cannot be used: ${join(left, 'lock')} is no file`,
  );
  // A spool that is just being made is nobody's to take over.
  rmSync(left, { recursive: true });
  mkdirSync(join(folder, '.8'));
  expect(trySpoolFolder(folder)).toBe(true);
});

test('passes what a start takes over or goes past: a spool without a lock, an empty one, and a file', async () => {
  mkdirSync(join(folder, '7'), { recursive: true });
  writeFileSync(join(folder, '7', '1.jsonl'), '');
  mkdirSync(join(folder, '8'));
  writeFileSync(join(folder, '9'), 'no spool');
  const before = everything();
  expect(trySpoolFolder(folder)).toBe(true);
  expect(everything()).toEqual(before);
  const heir = { write: () => Promise.resolve() };
  expect(await adoptSpools({ folder, heir, log: silentLog })).toMatchObject({ spools: 2 });
  expect(everything()).toEqual(['spool', 'spool/9']);
});

test.each([
  ['takes a part of a line', () => 100],
  [
    'takes nothing',
    () => {
      throw new Error('ENOSPC: no space left on device');
    },
  ],
])('finds out a disk that %s, and leaves nothing there', (_what, write) => {
  mkdirSync(folder);
  const full: SpoolDisk = {
    ...systemDisk,
    append: (path) => ({ ...systemDisk.append(path), write }),
  };
  expect(() => trySpoolFolder(folder, full)).toThrow(/cannot be used: .*(?:no room|no space left)/);
  expect(everything()).toEqual(['spool']);
});
