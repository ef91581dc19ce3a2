import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Storage } from '../../src/storage/storage.ts';
import { describeOnEachDatabase } from '../support/databases.ts';
import { Simulation } from './simulation.ts';

const isCi = process.env['CI'] === 'true';
/** A part of it where every change is checked, and all of it in CI; `npm run simulation` takes another seed each time. */
const asked = { seed: 7, steps: isCi ? 100_000 : 3_000 };
/** Thousands of statements, on a machine that may be busy. */
const testTimeoutMs = 240_000;
const ciTimeoutMs = 1_800_000;

describeOnEachDatabase('servers that share a ledger', (openDatabase, { kind }) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage.close());

  test(
    'promise no more than there is, and lose nothing, whatever becomes of them',
    async () => {
      const { seed, steps } = kind === 'postgres' ? asked : { seed: 7, steps: 600 };
      const simulation = await Simulation.open(storage, seed);
      try {
        await simulation.run(steps, 200);
        await simulation.close();
      } catch (cause) {
        throw new Error(`npm run simulation -- --seed ${seed} --steps ${steps}`, { cause });
      }
      expect(Object.keys(simulation.counts)).toContain('death');
    },
    isCi ? ciTimeoutMs : testTimeoutMs,
  );
});
