import { expect, test } from 'bun:test';
import { refusedUrl } from '../../test/support/upstream/index.ts';
import { systemClock } from './clock.ts';
import { isReachable, Reachability } from './reachability.ts';
import { ManualClock } from './testing/manual-clock.ts';

test('true for a host that accepts, false for one that refuses', async () => {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const nobody = await refusedUrl();
  const areReachable = (port: number) =>
    Promise.all(
      ['127.0.0.1', 'ollama.localhost'].map((host) =>
        isReachable(`http://${host}:${port}/v1`, 5000, systemClock),
      ),
    );
  expect(await areReachable(server.port)).toEqual([true, true]);
  expect(await areReachable(nobody.port)).toEqual([false, false]);
  server.stop(true);
  nobody.release();
});

test('many who ask at once make one connection, and a second later it is asked anew', async () => {
  let connections = 0;
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open() {
        connections += 1;
      },
      data() {},
    },
  });
  const url = `http://127.0.0.1:${server.port}/v1`;
  const clock = new ManualClock();
  const reachability = new Reachability(clock);
  const answers = await Promise.all([reachability.ask(url, 5000), reachability.ask(`${url}/x`, 5000)]);
  expect([...answers, await reachability.ask(url, 5000)]).toEqual([true, true, true]);
  expect(connections).toBe(1);
  await clock.advance(1000);
  expect(await reachability.ask(url, 5000)).toBe(true);
  expect(connections).toBe(2);
  server.stop(true);
});

test('what a proxy is asked for counts as being there, since it cannot be told from here', async () => {
  const isProxied = ({ protocol }: URL) => protocol === 'https:';
  const reachability = new Reachability(systemClock, isProxied);
  expect(await reachability.ask('https://only-the-proxy-knows.invalid/v1', 5000)).toBe(true);
  const nobody = await refusedUrl();
  expect(await reachability.ask(nobody.url, 5000)).toBe(false);
  const direct = `https://127.0.0.1:${nobody.port}/v1`;
  expect(await reachability.ask(direct, 5000)).toBe(true);
  expect(await reachability.ask(direct, 5000, true)).toBe(false);
  nobody.release();
});
