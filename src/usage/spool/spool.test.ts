import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  appendFileSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import type { LogFields } from '../../base/log.ts';
import { ManualClock } from '../../base/testing/manual-clock.ts';
import { silentLog } from '../../base/testing/silent-log.ts';
import { adoptSpools, Spool, type UsageRecord } from '../index.ts';
import { requestIdOf } from '../testing/insert-usage.ts';
import { MemoryDisk } from '../testing/memory-disk.ts';
import { usageRecord } from '../testing/usage-record.ts';
import type { SpoolOptions } from './spool.ts';

let folder: string;
const opened: Spool[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-spool-'));
});
afterEach(() => {
  for (const spool of opened.splice(0)) spool.close();
  rmSync(folder, { recursive: true, force: true });
});

const clock = new ManualClock();
const told: { message: string; fields: LogFields | undefined }[] = [];
const log = {
  ...silentLog,
  warn: (message: string, fields?: LogFields) => told.push({ message, fields }),
  error: (message: string, fields?: LogFields) => told.push({ message, fields }),
};

function openSpool(options: Partial<SpoolOptions> = {}): Spool {
  const spool = new Spool({ folder, holderId: 'a', maxBytes: 1e9, clock, log: silentLog, ...options });
  opened.push(spool);
  return spool;
}

/** Of the files in the folder that this process has open; the kernel tells them in octal. */
function openFlags(): number[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      if (!readlinkSync(`/proc/self/fd/${descriptor}`).endsWith('.jsonl')) return [];
      const told = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'));
      return [Number.parseInt(told?.[1] ?? '0', 8)];
    } catch {
      return [];
    }
  });
}

test.skipIf(process.platform !== 'linux')(
  'each line waits for the disk where that is asked for',
  async () => {
    for (const isSynced of [false, true]) {
      const spool = openSpool({ holderId: String(isSynced), isSynced });
      spool.settle(usageRecord(`synced ${isSynced}`));
      expect(openFlags().map((flags) => (flags & constants.O_DSYNC) !== 0)).toEqual([isSynced]);
      spool.close();
    }
    expect((await adopt()).rows.size).toBe(2);
  },
);

/** What an heir is handed, as a database would keep it. */
async function adopt(options: Partial<Parameters<typeof adoptSpools>[0]> = {}) {
  const rows = new Map<string, UsageRecord>();
  const calls: string[] = [];
  const heir = {
    async fence(holderId: string) {
      calls.push(`fence ${holderId}`);
    },
    async write(holderId: string, records: readonly UsageRecord[]) {
      calls.push(`write ${holderId}`);
      for (const record of records) if (!rows.has(record.requestId)) rows.set(record.requestId, record);
    },
    async returnLeases(holderId: string) {
      calls.push(`return ${holderId}`);
    },
  };
  const adopted = await adoptSpools({ folder, heir, log: silentLog, ...options });
  return { rows, calls, adopted };
}

/** As a process leaves it that is killed: its lock is free, its files are there. */
function kill(spool: Spool, holderId = 'a'): void {
  const own = join(folder, holderId);
  const texts = segmentsOf(holderId).map((name) => [name, readFileSync(join(own, name))] as const);
  spool.close();
  mkdirSync(own, { recursive: true });
  for (const [name, text] of texts) writeFileSync(join(own, name), text);
}

const segmentsOf = (holderId: string) =>
  readdirSync(join(folder, holderId)).filter((name) => name.endsWith('.jsonl'));

describe('a spool', () => {
  test('keeps what was settled exactly, and what was under way as interrupted and free', async () => {
    const spool = openSpool();
    const settled = usageRecord('settled', {
      model: 'quo"te \\ 🦊 line\nbreak',
      priceVersionId: 77,
      exempt: true,
      costNanoUsd: 9_007_199_254_740_993n,
      chargedNanoUsd: 9_223_372_036_854_775_807n,
      cacheReadTokens: 7,
      extras: { web_search: 2 },
      organisationId: 9,
      firstByteMs: null,
      labels: { sessionId: 's "1"', endUser: null, tags: ['a', 'ü\n'] },
      budgets: [{ fundId: 7, amountNanoUsd: 9_007_199_254_740_993n, leasedNanoUsd: 3n }],
    });
    const labels = { sessionId: null, endUser: 'somebody', tags: [] };
    const underWay = usageRecord('under way', { labels, exempt: true });
    spool.open(settled);
    spool.open(underWay);
    spool.settle(settled);
    kill(spool);
    const { rows, adopted } = await adopt();
    expect(adopted).toEqual({ spools: 1, settled: 1, interrupted: 1, unreadable: 0, outdated: 0 });
    expect(rows.get(settled.requestId)).toEqual(settled);
    expect(rows.get(underWay.requestId)).toMatchObject({
      startedAt: underWay.startedAt,
      keyId: 1,
      provider: 'main',
      labels,
      exempt: true,
      outcome: 'interrupted',
      errorCode: 'process_died',
      costNanoUsd: 0n,
      chargedNanoUsd: 0n,
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('does not charge again what is so old that nobody knows whether it was charged', async () => {
    const spool = openSpool();
    const recent = usageRecord('recent');
    const keptSinceMs = recent.startedAt.getTime();
    const old = usageRecord('old', { startedAt: new Date(keptSinceMs - 1), costNanoUsd: 5_000_000_000n });
    for (const record of [old, recent]) spool.settle(record);
    kill(spool);
    told.length = 0;
    const { rows, adopted } = await adopt({ keptSinceMs, log });
    expect([...rows.keys()]).toEqual([recent.requestId]);
    expect(adopted).toMatchObject({ settled: 2, outdated: 1 });
    const [{ message, fields } = { message: '', fields: undefined }] = told;
    expect(message).toContain('not charged');
    expect(fields).toMatchObject({ requestId: old.requestId, costUsd: '5.00' });
  });

  test('fences its holder first, and returns what it had leased last', async () => {
    const spool = openSpool({ holderId: 'node-7' });
    spool.open(usageRecord('one'));
    kill(spool, 'node-7');
    const { calls } = await adopt();
    expect(calls).toEqual(['fence node-7', 'write node-7', 'return node-7']);
  });

  test('gives back what its process leased as other holders, after it was fenced while it lived', async () => {
    const spool = openSpool({ holderId: '7' });
    spool.alsoOf('9');
    spool.alsoOf('12');
    spool.open(usageRecord('one'));
    kill(spool, '7');
    for (const name of ['holder-9', 'holder-12']) writeFileSync(join(folder, '7', name), '');
    const { calls } = await adopt();
    expect(calls).toEqual([
      'fence 7',
      'fence 9',
      'fence 12',
      'write 12',
      'return 7',
      'return 9',
      'return 12',
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('leaves nothing of another holder behind when it is closed, and keeps it when leases are left', () => {
    const [one, two] = [openSpool({ holderId: '7' }), openSpool({ holderId: '8' })];
    for (const spool of [one, two]) spool.alsoOf('9');
    one.close();
    two.close(false);
    expect(readdirSync(folder)).toEqual(['8']);
    expect(readdirSync(join(folder, '8'))).toContain('holder-9');
    expect(() => one.alsoOf('10')).toThrow(AppError);
  });

  test('is left to its owner while that lives, and to the next start when the heir fails', async () => {
    const spool = openSpool();
    spool.open(usageRecord('one'));
    expect((await adopt()).adopted.spools).toBe(0);
    kill(spool);
    const write = () => Promise.reject(new Error('the database is away'));
    await expect(adoptSpools({ folder, heir: { write }, log: silentLog })).rejects.toThrow(
      'the database is away',
    );
    expect((await adopt()).rows.size).toBe(1);
  });

  test('leaves nothing behind when all is stored, and everything when something is not', async () => {
    const spool = openSpool();
    const [one, two] = [usageRecord('one'), usageRecord('two')];
    spool.open(one);
    spool.settle(one);
    spool.forget(one.requestId);
    spool.close();
    expect(readdirSync(folder)).toEqual([]);
    const other = openSpool();
    other.open(two);
    other.settle(two);
    expect(other.keeps(two.requestId)).toBe(true);
    other.close();
    expect((await adopt()).rows.get(two.requestId)).toEqual(two);
  });

  test('skips and counts a torn line and rubbish, and reads what stands before and behind', async () => {
    const spool = openSpool();
    spool.settle(usageRecord('before'));
    const path = join(folder, 'a', segmentsOf('a')[0] ?? '');
    appendFileSync(path, '\u0000\u0001 rubbish\n{"settled":{"f0":7}}\n[]\n');
    spool.settle(usageRecord('behind'));
    appendFileSync(path, '{"settled":{"f0":"01a2');
    kill(spool);
    const { rows, adopted } = await adopt({ log });
    expect([...rows.keys()]).toEqual([requestIdOf('before'), requestIdOf('behind')]);
    expect(adopted).toMatchObject({ settled: 2, unreadable: 4 });
    expect(told.at(-1)).toMatchObject({
      fields: { count: 2, detail: expect.stringContaining('4 unreadable') },
    });
  });

  test('is read by the names of columns, so that another version may have others', async () => {
    const spool = openSpool();
    spool.settle(usageRecord('one', { outputTokens: 77 }));
    const path = join(folder, 'a', segmentsOf('a')[0] ?? '');
    const text = readFileSync(path, 'utf8');
    // A column of that version, before all others, that this one does not know.
    const moved = text
      .replaceAll(/"f(\d+)":/g, (_, place) => `"f${Number(place) + 1}":`)
      .replace('"columns":[', '"columns":["colour",')
      .replace('{"settled":{', '{"settled":{"f0":"blue",');
    writeFileSync(path, moved);
    kill(spool);
    expect((await adopt()).rows.get(requestIdOf('one'))).toEqual(usageRecord('one', { outputTokens: 77 }));
  });

  test('takes a bounded room on the disk, also beside a request that takes very long', () => {
    const disk = new MemoryDisk();
    const spool = openSpool({ disk, segmentBytes: 20_000 });
    spool.open(usageRecord('long'));
    for (let number = 0; number < 1000; number += 1) {
      const record = usageRecord(`short ${number}`);
      spool.open(record);
      spool.settle(record);
      spool.forget(record.requestId);
      expect(disk.bytes).toBe(spool.bytes);
      expect(spool.bytes).toBeLessThan(60_000);
    }
    spool.forget(requestIdOf('long'));
  });

  test('lets nothing new begin at its bound, and takes what was served all the same', () => {
    const spool = openSpool({ maxBytes: 1500 });
    const records = [1, 2, 3].map((number) => usageRecord(`at the bound ${number}`));
    for (const record of records) spool.settle(record);
    expect(spool.isFull).toBe(true);
    expect(records.every(({ requestId }) => spool.keeps(requestId))).toBe(true);
    for (const { requestId } of records) spool.forget(requestId);
    spool.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('goes on once the database is back, though a few long requests hold a line in every segment', () => {
    const spool = openSpool({ disk: new MemoryDisk(), segmentBytes: 20_000, maxBytes: 100_000 });
    const settled: string[] = [];
    const isFull = () => spool.isFull;
    for (let number = 0; !isFull(); number += 1) {
      const record = usageRecord(`of an outage ${number}`);
      spool.open(record);
      if (number % 8 === 0) continue;
      spool.settle(record);
      settled.push(record.requestId);
    }
    for (const requestId of settled) spool.forget(requestId);
    expect(isFull()).toBe(false);
    expect(spool.bytes).toBeLessThan(50_000);
  });

  test('refuses to begin anything while its disk is full, tells it once, and goes on when there is room', async () => {
    const disk = new MemoryDisk();
    const spool = openSpool({ disk, log });
    const one = usageRecord('one');
    spool.open(one);
    told.length = 0;
    disk.room = 10;
    expect(() => spool.open(usageRecord('two'))).toThrow(
      expect.objectContaining({ code: 'accounting_unavailable', status: 503 }),
    );
    expect(spool.isFull).toBe(true);
    spool.settle(one);
    expect(spool.keeps(one.requestId)).toBe(false);
    expect(told.map(({ message }) => message)).toEqual([
      'the spool cannot be written: paid requests are refused until it can',
    ]);
    expect(spool.failureCount).toBe(2);
    disk.room = 1e6;
    await clock.advance(1000);
    expect(spool.isFull).toBe(false);
    spool.open(usageRecord('three'));
    expect(told.at(-1)?.message).toBe('the spool can be written again');
    disk.revive();
    // The half line of the second stands in a file of its own.
    const { rows, adopted } = await adopt({ disk });
    expect([...rows.keys()].sort()).toEqual([one.requestId, requestIdOf('three')].sort());
    expect(adopted.unreadable).toBe(1);
  });

  test('counts what a full disk took of a line for as long as its file is there', async () => {
    const disk = new MemoryDisk();
    const spool = openSpool({ disk, log });
    const [one, two, three] = [usageRecord('one'), usageRecord('two'), usageRecord('three')];
    spool.open(one);
    disk.room = 10;
    expect(() => spool.open(two)).toThrow();
    disk.room = 1e6;
    await clock.advance(1000);
    spool.open(three);
    for (const { requestId } of [one, three]) spool.forget(requestId);
    spool.close();
    expect(spool.bytes).toBe(0);
  });

  test('says at the start which folder cannot be used, and what to do', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => openSpool({ folder: join(folder, 'file') })).toThrow(
      /file.*cannot be used.*SLUICE_DATA_DIR/,
    );
  });
});
