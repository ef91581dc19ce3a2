import { expect, test } from 'bun:test';
import { systemClock } from './clock.ts';
import { isReachable } from './reachability.ts';

test('true for a host that accepts, false for one that refuses', async () => {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const url = `http://127.0.0.1:${server.port}/v1`;
  expect(await isReachable(url, 5000, systemClock)).toBe(true);
  server.stop(true);
  expect(await isReachable(url, 5000, systemClock)).toBe(false);
});
