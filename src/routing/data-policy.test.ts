import { expect, test } from 'bun:test';
import { type DataLock, readDataClaim } from '../base/data-policy.ts';
import type { Provider } from '../catalogue/index.ts';
import { brokenLock } from './data-policy.ts';
import { servedBy } from './testing/candidates.ts';

/** Whether a row of which this is stored may serve who demands that. */
function keeps(lock: DataLock, stored: unknown, row: Partial<Provider> = {}) {
  const [deployment] = servedBy([{ name: 'a' }]).model.deployments;
  if (deployment === undefined) throw new Error('nobody serves it');
  const provider = { ...deployment.provider, ...row, dataClaim: readDataClaim(stored) };
  return brokenLock([{ level: 'key', lock }], { ...deployment, provider }) === null;
}

const deny: DataLock = { data_collection: 'deny' };
const own = { source: 'our contract', as_of: '2026-11-01' };

test.each([
  { kind: 'openai', baseUrl: 'https://api.openai.com/v1' },
  { kind: 'anthropic', baseUrl: null },
  { kind: 'google', baseUrl: null },
  { kind: 'native', baseUrl: 'https://api.openai.com/v1' },
])('no vendor passes by its name, since its accounts are not alike: %j', (row) => {
  expect(keeps(deny, null, row)).toBe(false);
  expect(keeps({ zdr: true }, null, row)).toBe(false);
  expect(keeps(deny, { ...own, retention_days: 30, training: false }, row)).toBe(true);
  expect(keeps(deny, { ...own, retention_days: 31, training: false }, row)).toBe(false);
  expect(keeps(deny, { ...own, retention_days: 30 }, row)).toBe(false);
  expect(keeps(deny, { ...own, training: false }, row)).toBe(false);
});

test('what cannot be read keeps no demand, and the region of the row does not stand for it', () => {
  const known = { ...own, retention_days: 0, training: false, regions: ['eu'], quantization: 'fp8' };
  const newer = { ...known, subprocessors: ['us'] };
  const demands: DataLock[] = [deny, { zdr: true }, { quantizations: ['fp8'] }, { regions: ['eu'] }];
  for (const demand of demands) {
    expect(keeps(demand, known, { region: 'eu' })).toBe(true);
    expect(keeps(demand, newer, { region: 'eu' })).toBe(false);
  }
  expect(keeps({ regions: ['eu'] }, null, { region: 'eu' })).toBe(true);
});
