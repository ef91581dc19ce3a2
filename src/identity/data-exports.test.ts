import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, within, writerOn } from '../../test/support/writing.ts';
import { systemIds } from '../base/ids.ts';
import { onlyOf } from '../base/scope.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import type { AgreeingParts } from '../storage/agreed-time.ts';
import { dataExportParts, dataExports } from '../storage/schema/exports.ts';
import type { Storage } from '../storage/storage.ts';
import {
  addExportPart,
  claimDataExport,
  findDataExport,
  finishDataExport,
  leaveDataExport,
  readExportPart,
  removeOldExports,
  requestDataExport,
} from './data-exports.ts';
import { createUser } from './users.ts';

const dayMs = 86_400_000;

describeOnEachDatabase('an export of an account', (openDatabase) => {
  let storage: Storage;
  let parts: AgreeingParts;
  let write: Write;
  let people = 0;
  let nowMs = Date.UTC(2031, 0, 1);
  beforeAll(async () => {
    storage = await openDatabase();
    parts = {
      ...{ storage, ids: systemIds },
      ...{ clock: clockShowing(() => nowMs), databaseMs: async () => nowMs },
    };
    write = writerOn(parts);
  });
  afterAll(() => storage.close());

  async function asked() {
    people += 1;
    const { id } = await write(createUser, { email: `p${people}@example.test`, role: 'member' });
    const own = onlyOf(id);
    await write(within(own, requestDataExport));
    return own;
  }
  const find = (own: ReturnType<typeof onlyOf>) => findDataExport(own, storage.db, nowMs);
  const read = async (own: ReturnType<typeof onlyOf>, number: number, createdAt = new Date(nowMs)) => {
    const bytes = await readExportPart(own, storage.db, { createdAt, number });
    return bytes && Buffer.from(bytes).toString();
  };
  const claim = async () => {
    const claimed = await claimDataExport(parts);
    if (claimed === undefined) throw new Error('there was none');
    return claimed;
  };
  const part = (number: number, text: string, requests = 0) => ({
    ...{ number, requests },
    bytes: Buffer.from(text),
  });

  test('is made once by whoever claims it, is its owner’s for a day, and then gone with its parts', async () => {
    const own = await asked();
    expect(await find(own)).toMatchObject({ status: 'waiting', requests: 0, sizeBytes: 0 });
    const claimed = await claim();
    expect(claimed.userId).toBe(own.userId);
    expect(await claimDataExport(parts)).toBeUndefined();
    expect(await addExportPart(parts, claimed, part(0, 'abc', 5))).toBe(true);
    // Asked for again meanwhile: it goes on.
    await write(within(own, requestDataExport));
    expect(await addExportPart(parts, claimed, part(1, 'de', 9))).toBe(true);
    expect(await find(own)).toMatchObject({ status: 'waiting', requests: 9, sizeBytes: 5 });
    expect(await read(own, 0)).toBeUndefined();
    await write(finishDataExport, claimed);
    expect(await find(own)).toMatchObject({ status: 'ready', expiresAt: new Date(nowMs + dayMs) });
    expect(await read(own, 0)).toBe('abc');
    expect(await read(own, 2)).toBeUndefined();
    expect(await read(onlyOf(own.userId + 1), 0)).toBeUndefined();
    nowMs += dayMs + 1;
    expect(await find(own)).toBeUndefined();
    await write(removeOldExports);
    expect(await storage.db.select().from(dataExportParts)).toEqual([]);
  });

  test('of a process that died is made anew by another, and what the first still adds is refused', async () => {
    const askedAt = new Date(nowMs);
    const own = await asked();
    const dead = await claim();
    await addExportPart(parts, dead, part(0, 'half'));
    nowMs += 60_001;
    const next = await claim();
    expect(await addExportPart(parts, dead, part(1, 'late'))).toBe(false);
    await write(finishDataExport, dead);
    expect(await find(own)).toMatchObject({ status: 'waiting', sizeBytes: 0 });
    await addExportPart(parts, next, part(0, 'whole'));
    await write(finishDataExport, next);
    expect(await read(own, 0, askedAt)).toBe('whole');
    // Whoever was fetching it when another one took its place gets no part of that one.
    nowMs += 1;
    await write(within(own, requestDataExport));
    const another = await claim();
    await addExportPart(parts, another, part(0, 'another'));
    await write(finishDataExport, another);
    expect(await read(own, 0, askedAt)).toBeUndefined();
    expect(await read(own, 0)).toBe('another');
  });

  test('is left to others by processes that end, however many, and given up after three that failed', async () => {
    const own = await asked();
    for (let stops = 0; stops < 4; stops += 1) await write(leaveDataExport, await claim());
    for (let failures = 0; failures < 2; failures += 1) {
      expect((await claim()).userId).toBe(own.userId);
      nowMs += 60_001;
    }
    const slow = await claim();
    await addExportPart(parts, slow, part(0, 'first'));
    nowMs += 60_001;
    const other = await asked();
    // The one that is given up does not keep the next one waiting.
    expect((await claim()).userId).toBe(other.userId);
    expect(await find(own)).toMatchObject({ status: 'failed' });
    // Whoever was making it all the time cannot have it ready without its first part.
    expect(await addExportPart(parts, slow, part(1, 'last'))).toBe(false);
    await write(finishDataExport, slow);
    expect(await find(own)).toMatchObject({ status: 'failed', sizeBytes: 0 });
    await write(within(own, requestDataExport));
    expect(await find(own)).toMatchObject({ status: 'waiting' });
    await write(finishDataExport, await claim());
  });
  test('is one process’s, however far apart the clocks of several are', async () => {
    const own = await asked();
    const { databaseMs: _, ...usual } = parts;
    const showing = (aheadMs: number) => ({ ...usual, clock: clockShowing(() => Date.now() + aheadMs) });
    const [behind, ahead] = [showing(-dayMs), showing(dayMs)];
    const claimed = await claimDataExport(behind);
    if (claimed === undefined) throw new Error('there was none');
    for (const process of [usual, showing(0), ahead]) expect(await claimDataExport(process)).toBeUndefined();
    expect(await addExportPart(behind, claimed, part(0, 'a'))).toBe(true);
    for (const process of [usual, showing(0), ahead]) expect(await claimDataExport(process)).toBeUndefined();
    expect(await addExportPart(behind, claimed, part(1, 'b'))).toBe(true);
    await write(finishDataExport, claimed);
    expect(await find(own)).toMatchObject({ status: 'ready', sizeBytes: 2 });
    await write(within(own, requestDataExport));
    const left = await claimDataExport(ahead);
    if (left === undefined) throw new Error('there was none');
    await storage.db
      .update(dataExports)
      .set({ claimedUntil: sql`${dataExports.claimedUntil} - interval '61 seconds'` });
    // Whoever is ahead and dies holds it no longer than others.
    expect((await claimDataExport(behind))?.userId).toBe(own.userId);
  });
});
