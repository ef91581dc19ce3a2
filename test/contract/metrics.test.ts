/** Metrics are for who runs the service: on an address of their own, and elsewhere only with a token. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestSluice, type TestSluice } from '../support/sluice.ts';

const metricsToken = 'a token for Prometheus'.replaceAll(' ', '-');

describe('metrics', () => {
  let sluice: TestSluice;
  let withToken: TestSluice;
  beforeAll(async () => {
    sluice = await startTestSluice();
    withToken = await startTestSluice({
      variables: { SLUICE_METRICS_ADDRESS: 'off', SLUICE_METRICS_TOKEN: metricsToken },
    });
  });
  afterAll(async () => {
    await sluice.stop();
    await withToken.stop();
  });

  const metricsUrl = () => sluice.running.metricsUrl ?? 'none';
  const onMain = (authorization?: string, { url } = withToken) =>
    fetch(`${url}/metrics`, { headers: authorization === undefined ? {} : { authorization } });

  test('are told on their own address, and nothing else is', async () => {
    const response = await fetch(metricsUrl());
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toStartWith('text/plain; version=');
    expect(await response.text()).toContain('# TYPE sluice_requests_total counter');
    expect((await fetch(new URL('/v1/models', metricsUrl()))).status).toBe(404);
    const posted = await fetch(metricsUrl(), { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('are not on the address of everyone', async () => {
    expect((await onMain(undefined, sluice)).status).toBe(404);
    expect((await onMain('Bearer ', sluice)).status).toBe(404);
    expect((await onMain('Bearer null', sluice)).status).toBe(404);
  });

  test('are on the address of everyone for who has their token', async () => {
    expect(withToken.running.metricsUrl).toBeNull();
    for (const wrong of [undefined, 'Bearer wrong', `Basic ${metricsToken}`, `Bearer ${metricsToken}x`]) {
      expect((await onMain(wrong)).status).toBe(404);
    }
    const response = await onMain(`Bearer ${metricsToken}`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('sluice_requests_under_way');
  });

  test('tell how many pieces of streams were dropped, by provider', async () => {
    const fault = { name: 'malformed_chunk', afterEvents: 3, events: 2 } as const;
    sluice.upstream.enqueue({ fault, generate: { tokens: 9 } });
    const body = { model: 'double-1', messages: [{ role: 'user', content: 'Hello' }], stream: true };
    const response = await sluice.post('/v1/chat/completions', body);
    expect(await response.text()).toContain('[DONE]');
    sluice.leap(1000);
    const text = await (await fetch(metricsUrl())).text();
    expect(text).toMatch(/^sluice_dropped_frames_total\{provider="\w+"\} 2$/m);
  });

  test('are done without, and that is said, when their port is taken', async () => {
    const { port } = new URL(metricsUrl());
    const second = await startTestSluice({ variables: { SLUICE_METRICS_ADDRESS: `127.0.0.1:${port}` } });
    try {
      expect(second.running.metricsUrl).toBeNull();
      expect(second.running.warnings).toEqual([
        expect.stringContaining(`port ${port} on 127.0.0.1 cannot be used`),
      ]);
      expect((await fetch(`${second.url}/health`)).status).toBe(200);
    } finally {
      await second.stop();
    }
  });

  test('two gateways on one port are refused', async () => {
    const { port } = new URL(sluice.url);
    await expect(startTestSluice({ variables: { PORT: port } })).rejects.toThrow(
      `Port ${port} on 127.0.0.1 cannot be used`,
    );
  });
});
