import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Storage } from '../../src/storage/storage.ts';
import { describeOnEachDatabase } from '../support/databases.ts';
import { Simulation } from './simulation.ts';

describeOnEachDatabase('servers that share a ledger', (openDatabase, { kind }) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage.close());

  test(
    'promise no more than there is, and lose nothing, whatever becomes of them',
    async () => {
      const simulation = await Simulation.open(storage, 7);
      await simulation.run(kind === 'postgres' ? 3_000 : 600, 200);
      await simulation.close();
      expect(Object.keys(simulation.counts)).toContain('death');
    },
    testTimeoutMs,
  );
});

/** Thousands of statements, on a machine that may be busy. */
const testTimeoutMs = 240_000;
