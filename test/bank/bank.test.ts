/** A short run of `npm run bank`, always the same one. */
import { expect, test } from 'bun:test';
import { runBank } from './bank.ts';

const name = 'SLUICE_TEST_POSTGRES_URL';
const isMissing = (process.env[name] ?? '') === '';

test.skipIf(isMissing && process.env['CI'] !== 'true')(
  `money agrees to the nano-dollar after kills, pauses and lost answers (needs ${name})`,
  async () => {
    const { complaints, kills, heard } = await runBank({
      ...{ seed: 10, seconds: 4, processes: 3, spares: 1, clients: 24 },
      restartsRedis: false,
    });
    expect(complaints).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(1);
    expect(heard).toBeGreaterThan(0);
  },
  400_000,
);
