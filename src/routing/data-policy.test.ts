import { expect, test } from 'bun:test';
import type { DataClaim, DataLock } from '../base/data-policy.ts';
import type { Provider } from '../catalogue/index.ts';
import { brokenLock } from './data-policy.ts';
import { servedBy } from './testing/candidates.ts';

/** Whether a row with this address, of which this is said, may serve who demands that. */
function keeps(lock: DataLock, row: Pick<Provider, 'kind' | 'baseUrl'>, dataClaim: DataClaim | null = null) {
  const [deployment] = servedBy([{ name: 'a' }]).model.deployments;
  if (deployment === undefined) throw new Error('nobody serves it');
  const provider = { ...deployment.provider, ...row, dataClaim };
  return brokenLock([{ level: 'key', lock }], { ...deployment, provider }) === null;
}

const deny: DataLock = { data_collection: 'deny' };
const own = { source: 'our contract', as_of: '2026-11-01' };

test.each([
  [{ kind: 'openai', baseUrl: 'https://api.openai.com/v1' }, true],
  [{ kind: 'openai', baseUrl: null }, true],
  [{ kind: 'anthropic', baseUrl: null }, true],
  [{ kind: 'anthropic', baseUrl: 'https://api.anthropic.com/v1' }, true],
  // What is known of it is too little.
  [{ kind: 'google', baseUrl: null }, false],
  // Others under the same kind, and what only looks like the host.
  [{ kind: 'openai', baseUrl: 'https://proxy.test/v1' }, false],
  [{ kind: 'openai', baseUrl: 'https://api.openai.com.proxy.test/v1' }, false],
  [{ kind: 'openai', baseUrl: 'http://api.openai.com/v1' }, false],
  [{ kind: 'openai', baseUrl: 'https://api.openai.com:8443/v1' }, false],
  [{ kind: 'anthropic', baseUrl: 'https://anthropic.proxy.test' }, false],
  [{ kind: 'groq', baseUrl: null }, false],
  [{ kind: 'nobody knows it', baseUrl: null }, false],
] as const)('what a vendor says of itself holds for its own host alone: %j', (row, isKept) => {
  expect(keeps(deny, row)).toBe(isKept);
  // Nobody is known to keep nothing without a contract.
  expect(keeps({ zdr: true }, row)).toBe(false);
});

test('what the deployment says goes before it, as a whole', () => {
  const openai = { kind: 'openai', baseUrl: 'https://api.openai.com/v1' };
  expect(keeps({ zdr: true }, openai, { ...own, retention_days: 0, training: false })).toBe(true);
  expect(keeps(deny, openai, { ...own, regions: ['eu'] })).toBe(false);
});
