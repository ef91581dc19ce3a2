import { describe, expect, test } from 'bun:test';
import { AppError } from '../base/errors.ts';
import type { LogFields } from '../base/log.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import { Spool, type UsageRecord } from '../usage/index.ts';
import { MemoryDisk } from '../usage/testing/memory-disk.ts';
import { usageRecord } from '../usage/testing/usage-record.ts';
import { Settlement } from './settlement.ts';
import type { WriteBatch } from './write-bisecting.ts';

const record = (requestId: string, costNanoUsd = 0n): UsageRecord =>
  usageRecord(requestId, { requestId, costNanoUsd, chargedNanoUsd: costNanoUsd });

const records = (count: number, prefix = 'r') =>
  Array.from({ length: count }, (_, index) => record(`${prefix}${index}`));

class RefusedRecord extends Error {}

function open(write: WriteBatch, maxWaiting?: number) {
  const clock = new ManualClock();
  const setAside: string[] = [];
  const errors: { message: string; fields: LogFields | undefined }[] = [];
  const settlement = new Settlement({
    write,
    isAboutRecords: (thrown) => thrown instanceof RefusedRecord,
    clock,
    onSetAside: ({ requestId }) => setAside.push(requestId),
    log: { ...silentLog, error: (message, fields) => errors.push({ message, fields }) },
    ...(maxWaiting === undefined ? {} : { maxWaiting }),
  });
  return { settlement, errors, clock, setAside };
}

/** A writer that keeps what it wrote, and refuses batches that hold one of the named records. */
function openStore(refused: readonly string[] = []) {
  const written: string[] = [];
  const write: WriteBatch = async (batch) => {
    if (batch.some(({ requestId }) => refused.includes(requestId))) throw new RefusedRecord('out of range');
    written.push(...batch.map(({ requestId }) => requestId));
  };
  return { written, write };
}

describe('settlement', () => {
  test('writes what came in a tenth of a second at once, also under load', async () => {
    const sizes: number[] = [];
    const { settlement, clock } = open(async (batch) => {
      sizes.push(batch.length);
      // What comes meanwhile waits like everything else.
      settlement.add(record(`while batch ${sizes.length} is written`));
      await clock.sleep(1);
    });
    for (const one of records(250)) {
      settlement.add(one);
      await clock.advance(2);
    }
    expect(sizes.length).toBe(5);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(50);
  });

  test('does not let a full batch wait', async () => {
    const { written, write } = openStore();
    const { settlement, clock } = open(write);
    for (const one of records(999)) settlement.add(one);
    await clock.advance(0);
    expect(written).toHaveLength(0);
    settlement.add(record('last'));
    await clock.advance(0);
    expect(written).toHaveLength(1_000);
  });

  test('a flush and a full batch at the same time write each record once', async () => {
    const { written, write } = openStore();
    const started = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    let running = 0;
    let mostAtOnce = 0;
    const { settlement } = open(async (batch) => {
      running += 1;
      mostAtOnce = Math.max(mostAtOnce, running);
      started.resolve();
      await released.promise;
      await write(batch);
      running -= 1;
    });
    const all = records(1_500);
    for (const one of all.slice(0, 10)) settlement.add(one);
    const flushed = settlement.flush();
    await started.promise;
    for (const one of all.slice(10)) settlement.add(one);
    released.resolve();
    await flushed;
    await settlement.flush();
    expect(mostAtOnce).toBe(1);
    expect(written).toEqual(all.map(({ requestId }) => requestId));
    expect(settlement.waitingCount).toBe(0);
  });

  test('a record that comes while the batch before it fails is kept with it', async () => {
    const { written, write } = openStore();
    let failures = 1;
    const { settlement, errors } = open(async (batch) => {
      if (failures === 0) return write(batch);
      failures -= 1;
      settlement.add(record('later'));
      throw new Error('the connection is lost');
    });
    settlement.add(record('first'));
    await expect(settlement.flush()).rejects.toThrow('the connection is lost');
    expect(settlement.waitingCount).toBe(2);
    expect(errors).toMatchObject([{ fields: { count: 2, detail: 'the connection is lost' } }]);
    await settlement.flush();
    expect(written).toEqual(['first', 'later']);
  });

  test('what failed in the background is written later without being asked', async () => {
    const batches: (readonly UsageRecord[])[] = [];
    const { settlement, clock } = open(async (batch) => {
      batches.push(batch);
      if (batches.length === 1) throw new Error('the connection is lost');
    });
    settlement.add(record('patient'));
    await clock.advance(100);
    settlement.add(record('beside'));
    await clock.advance(199);
    expect(batches).toHaveLength(1);
    await clock.advance(1);
    expect(batches.at(-1)).toMatchObject([{ requestId: 'patient' }, { requestId: 'beside' }]);
    expect(settlement.waitingCount).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  test('records that the database refuses are set aside by name, and all others are written', async () => {
    const refused = ['r0', 'r500', 'r501', 'r1299'];
    const { written, write } = openStore(refused);
    const { settlement, errors, setAside } = open(write);
    for (const one of records(1_300)) settlement.add(one);
    await settlement.flush();
    expect(written).toHaveLength(1_296);
    expect(new Set(written).size).toBe(1_296);
    expect(settlement.waitingCount).toBe(0);
    expect(errors.map(({ fields }) => fields?.requestId)).toEqual(refused);
    expect(setAside).toEqual(refused);
    expect(errors[0]?.fields).toMatchObject({ detail: 'out of range', costUsd: '0.00' });
  });

  test('a record that is refused once, for what went on beside it, is written', async () => {
    const { written, write } = openStore();
    let calls = 0;
    const { settlement, errors, setAside } = open(async (batch) => {
      calls += 1;
      if (calls === 1) throw new RefusedRecord('its partition is being made');
      await write(batch);
    });
    settlement.add(record('lone'));
    await settlement.flush();
    expect([written, errors, setAside]).toEqual([['lone'], [], []]);
  });

  test('a connection that is lost while a bad record is looked for loses and repeats nothing', async () => {
    const { written, write } = openStore(['r3']);
    let calls = 0;
    const { settlement, errors } = open(async (batch) => {
      calls += 1;
      if (calls === 3) throw new Error('the connection is lost');
      await write(batch);
    });
    for (const one of records(5)) settlement.add(one);
    await expect(settlement.flush()).rejects.toThrow('the connection is lost');
    await settlement.flush();
    expect(written.toSorted()).toEqual(['r0', 'r1', 'r2', 'r4']);
    expect(errors.flatMap(({ fields }) => fields?.requestId ?? [])).toEqual(['r3']);
  });

  test('refuses new requests with 503 while full, and takes those that were served', async () => {
    const { write, written } = openStore();
    const { settlement } = open(write, 2);
    settlement.add(record('a'));
    settlement.requireRoom();
    settlement.add(record('b'));
    settlement.add(record('c'));
    expect(settlement.isFull).toBe(true);
    const refusal = thrownBy(() => settlement.requireRoom());
    expect(refusal).toMatchObject({ code: 'accounting_unavailable', status: 503, retryable: true });
    await settlement.flush();
    expect(written).toEqual(['a', 'b', 'c']);
    expect(settlement.isFull).toBe(false);
    settlement.requireRoom();
  });

  test('closing asks for what is owed at once, and writes it, what becomes owed meanwhile included', async () => {
    const { written, write } = openStore();
    const { settlement } = open(write);
    const paid = settlement.owe(() => {
      const paidLater = settlement.owe(() => {
        settlement.add(record('counted'));
        paidLater();
      });
      settlement.add(record('cut'));
      paid();
    });
    expect(settlement.owedCount).toBe(1);
    await settlement.close();
    expect(written.toSorted()).toEqual(['counted', 'cut']);
    expect(settlement.owedCount).toBe(0);
  });

  test('what is owed counts as waiting', () => {
    const { settlement } = open(openStore().write, 2);
    settlement.owe(() => undefined);
    const paid = settlement.owe(() => undefined);
    expect(() => settlement.requireRoom()).toThrow(expect.objectContaining({ status: 503 }));
    paid();
    settlement.requireRoom();
  });

  test('closing tries again until what waits is written', async () => {
    const { written, write } = openStore();
    let failures = 2;
    const { settlement, clock } = open(async (batch) => {
      failures -= 1;
      if (failures >= 0) throw new Error('the connection is lost');
      await write(batch);
    });
    settlement.add(record('a'));
    const closed = settlement.close();
    await clock.advance(500);
    await closed;
    expect(written).toEqual(['a']);
    expect(clock.pendingTimers).toBe(0);
  });

  test.each([
    ['fails', () => Promise.reject(new Error('the connection is lost'))],
    ['hangs', () => new Promise<void>(() => undefined)],
  ])('closing ends and tells how much is lost when the database %s', async (_, write) => {
    const { settlement, errors, clock } = open(write);
    settlement.add(record('a', 1_500_000_000n));
    settlement.add(record('b', 2_000_000n));
    const closed = settlement.close(20);
    closed.catch(() => undefined);
    await clock.advance(20);
    await expect(closed).rejects.toThrow(
      'The usage of 2 requests, worth 1.502 USD, could not be written and is lost.',
    );
    const lost = errors.filter(({ message }) => message.includes('is lost'));
    expect(lost).toMatchObject([{ fields: { count: 2, costUsd: '1.502' } }]);
    settlement.add(record('late'));
    expect(errors.at(-1)?.fields).toMatchObject({ requestId: 'late' });
  });
});

describe('settlement with a spool', () => {
  function openWithSpool(write: WriteBatch) {
    const clock = new ManualClock();
    const disk = new MemoryDisk();
    const options = { folder: 'spool', holderId: 'a', maxBytes: 1e6, disk };
    const spool = new Spool({ ...options, clock, log: silentLog });
    const isAboutRecords = (thrown: unknown) => thrown instanceof RefusedRecord;
    const settlement = new Settlement({ write, isAboutRecords, spool, clock, log: silentLog });
    return { settlement, spool, disk, clock };
  }

  test('keeps a record on the disk until it is written, or set aside', async () => {
    const { write } = openStore(['b']);
    const { settlement, spool } = openWithSpool(write);
    const [one, two] = [record('a'), record('b')];
    settlement.open(one);
    settlement.add(one);
    settlement.add(two);
    expect([one, two].map(({ requestId }) => spool.keeps(requestId))).toEqual([true, true]);
    await settlement.flush();
    expect([one, two].map(({ requestId }) => spool.keeps(requestId))).toEqual([false, false]);
    await settlement.close();
    spool.close();
    expect(spool.bytes).toBe(0);
  });

  test('forgets a request of which no record will come', () => {
    const { settlement, spool } = openWithSpool(openStore().write);
    settlement.open(record('a'));
    settlement.forget('a');
    spool.close();
    expect(spool.bytes).toBe(0);
  });

  test('says of what it could not write before the stop that it is kept, and not that it is lost', async () => {
    const { settlement, spool, clock } = openWithSpool(() => Promise.reject(new Error('away')));
    settlement.add(record('a', 1_500_000_000n));
    const closed = settlement.close(20);
    closed.catch(() => undefined);
    await clock.advance(20);
    await expect(closed).rejects.toThrow(
      'The usage of 1 requests, worth 1.50 USD, is kept in the data folder and written by the next start there.',
    );
    spool.close();
    expect(spool.bytes).toBeGreaterThan(0);
  });

  test('lets nothing in while the spool is full', () => {
    const { settlement, disk } = openWithSpool(openStore().write);
    settlement.requireRoom();
    disk.room = 0;
    settlement.add(record('a'));
    expect(thrownBy(() => settlement.requireRoom())).toMatchObject({ code: 'accounting_unavailable' });
  });
});

function thrownBy(work: () => void): AppError | undefined {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown;
    throw thrown;
  }
  return undefined;
}
