import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestDatabase, usualDatabase } from '../../test/support/databases.ts';
import { systemClock } from '../base/clock.ts';
import { everybody } from '../base/scope.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import { providerAdapters } from '../providers/index.ts';
import { readUsage } from '../usage/index.ts';
import { sampleRecord } from '../usage/testing/sample-record.ts';
import { loadConfiguration } from './configuration.ts';
import { adoptDeadSpools, openSpool } from './spools.ts';

let storage: TestDatabase;
let dataDir: string;
beforeAll(async () => {
  storage = await usualDatabase.open();
  dataDir = await mkdtemp(join(tmpdir(), 'sluice-spools-'));
});
afterAll(async () => {
  await storage.close();
  await rm(dataDir, { recursive: true, force: true });
});

test('a machine whose clock is days ahead charges what it finds, however short the log is kept', async () => {
  const { environment } = await loadConfiguration(
    { SLUICE_DATA_DIR: dataDir, SLUICE_USAGE_RETENTION_DAYS: '2' },
    providerAdapters,
  );
  const parts = { environment, log: silentLog };
  const spool = openSpool({ ...parts, holderId: 7, clock: systemClock });
  const record = sampleRecord('', { startedAt: new Date() });
  spool.settle(record);
  spool.close();
  const clock = clockShowing(() => Date.now() + 3 * 86_400_000);
  expect(await adoptDeadSpools({ ...parts, storage, clock })).toMatchObject({ settled: 1 });
  expect(await readUsage(everybody, storage.db)).toMatchObject([{ requestId: record.requestId }]);
});

test('what was used on one database is written to no other, and to its own when that is back', async () => {
  const own = await mkdtemp(join(tmpdir(), 'sluice-spools-'));
  const other = await usualDatabase.open();
  const { environment } = await loadConfiguration({ SLUICE_DATA_DIR: own }, providerAdapters);
  const parts = { environment, log: silentLog, clock: systemClock };
  expect(await adoptDeadSpools({ ...parts, storage })).toMatchObject({ spools: 0 });
  const spool = openSpool({ ...parts, holderId: 8 });
  const record = sampleRecord('', { startedAt: new Date() });
  spool.settle(record);
  spool.close();
  await expect(adoptDeadSpools({ ...parts, storage: other })).rejects.toMatchObject({
    code: 'validation_failed',
    message: expect.stringContaining('belong to another database than the one of this start'),
  });
  expect(await readUsage(everybody, other.db)).toEqual([]);
  expect(await adoptDeadSpools({ ...parts, storage })).toMatchObject({ settled: 1 });
  expect((await readUsage(everybody, storage.db)).map(({ requestId }) => requestId)).toContain(
    record.requestId,
  );
  expect(await adoptDeadSpools({ ...parts, storage: other })).toMatchObject({ spools: 0 });
  await other.close();
  await rm(own, { recursive: true });
});
