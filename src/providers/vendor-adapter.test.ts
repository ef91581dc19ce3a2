import { expect, test } from 'bun:test';
import { type ProviderTarget, probeTask, type UpstreamTask } from './provider.ts';
import { addressesOf } from './vendor-adapter.ts';

const target: ProviderTarget = {
  name: 'one',
  baseUrl: null,
  region: null,
  secret: 'first',
  settings: {},
};
const at = addressesOf({ baseUrl: 'https://api.test/v1' });
const byModel = at(({ model }: UpstreamTask) => `/models/${model}`);

test('all requests of a row have the same headers, which nothing changes, so that they are written once', () => {
  const { headers } = byModel(probeTask(target, 'a'));
  expect(byModel(probeTask(target, 'b'))).toEqual({ url: 'https://api.test/v1/models/b', headers });
  expect(byModel(probeTask(target, 'b')).headers).toBe(headers);
  expect(at('/chat')(probeTask(target)).headers).toBe(headers);
  expect(Object.isFrozen(headers)).toBe(true);
  expect(headers['authorization']).toBe('Bearer first');
});

test('a row with another secret shows that one', () => {
  const address = at('/chat');
  const shown = ['first', 'second', null, 'first'].map(
    (secret) => address(probeTask({ ...target, secret })).headers['authorization'],
  );
  expect(shown).toEqual(['Bearer first', 'Bearer second', undefined, 'Bearer first']);
});
