/** GET /v1/generation/{id}: the bill of a request, for those whose it is. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { newToken, owner, startTestSluice, type TestSluice } from '../support/sluice.ts';

const stranger = newToken();
const sibling = newToken();
const nobody = '01890000-0000-7000-8000-000000000000';

interface Line {
  readonly quantity: number;
  readonly usd_per_million: string;
  readonly amount_usd: string;
}

describe('the bill of a request', () => {
  let sluice: TestSluice;
  beforeAll(async () => {
    const other = 'other@example.test';
    sluice = await startTestSluice({
      file: () => ({
        users: [owner, other].map((email) => ({
          ...{ email, password: 'a long enough password', wallet_usd: 25 },
          role: email === owner ? 'platform_owner' : 'member',
        })),
        keys: [
          { name: 'sibling', owner, token: sibling, scopes: ['read'] },
          { name: 'stranger', owner: other, token: stranger },
        ],
      }),
    });
  });
  afterAll(() => sluice.stop());

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const get = (id: string, token = sluice.token) =>
    fetch(`${sluice.url}/v1/generation/${id}`, { headers: bearer(token) });

  async function ask(more: object = {}): Promise<{ id: string; costUsd: string | null }> {
    const messages = [{ role: 'user', content: 'hello there' }];
    const response = await sluice.post('/v1/chat/completions', { model: 'double-1', messages, ...more });
    await response.text();
    const { headers } = response;
    return { id: headers.get('x-request-id') ?? '', costUsd: headers.get('x-sluice-cost-usd') };
  }

  /** 10^-18 USD. */
  function readAtto(usd: string): bigint {
    const [whole = '', fraction = ''] = usd.split('.');
    return BigInt(whole + fraction.padEnd(18, '0'));
  }

  test('says what was counted, at which price, and the sum that the answer and the wallet tell', async () => {
    const { id, costUsd } = await ask();
    const response = await get(id);
    expect(response.status).toBe(200);
    const told = await response.json();
    expect(told).toMatchObject({
      ...{ id, object: 'generation', endpoint: '/v1/chat/completions', model: 'double-1' },
      ...{ provider: 'main', upstream_model: 'double-1-2026', status: 200, outcome: 'complete' },
      ...{ error: null, streamed: false, cost_usd: costUsd, charged_usd: costUsd },
      attempts: [{ provider: 'main', status: 200, error: null }],
      price_version: { id: expect.any(Number), effective_from: null },
    });
    const lines: readonly Line[] = told.line_items;
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      const exact = BigInt(line.quantity) * readAtto(line.usd_per_million);
      expect(readAtto(line.amount_usd) * 1_000_000n).toBe(exact);
    }
    const sum = lines.reduce((total, line) => total + readAtto(line.amount_usd), 0n);
    expect((sum + 500_000_000n) / 1_000_000_000n).toBe(readAtto(told.cost_usd) / 1_000_000_000n);
    const quantities = lines.reduce((total, { quantity }) => total + quantity, 0);
    const { input_tokens, cached_input_tokens, output_tokens } = told.usage;
    expect(quantities).toBe(input_tokens + cached_input_tokens + output_tokens);
  });

  test('is the same at once, from memory, and once it is stored', async () => {
    const { id } = await ask({ stream: true });
    const atOnce = await (await get(id)).json();
    await sluice.usage();
    expect(sluice.running.services.settlement.find(id)).toBeUndefined();
    expect(await (await get(id)).json()).toEqual(atOnce);
  });

  test('another key of the owner may read it, with the scope to read alone', async () => {
    const { id } = await ask();
    expect((await get(id, sibling)).status).toBe(200);
  });

  test('404 for a request of somebody else, one that there is not, and what is no id', async () => {
    const { id } = await ask();
    const bodies: unknown[] = [];
    for (const [wanted, token] of [
      [id, stranger],
      [nobody, stranger],
      ['x', stranger],
    ] as const) {
      const response = await get(wanted, token);
      expect(response.status).toBe(404);
      expect(response.headers.get('retry-after')).toBe('1');
      bodies.push(await response.json());
    }
    await sluice.usage();
    expect(await (await get(id, stranger)).json()).toEqual(bodies[0]);
    expect(bodies[1]).toEqual(bodies[0]);
  });
});

test('a pause before a provider is asked again is told with its attempt, and is no time of the gateway', async () => {
  const sluice = await startTestSluice({ leapsPauses: true });
  sluice.upstream.enqueue({ fault: { name: 'rate_limited', retryAfter: 2 } });
  const messages = [{ role: 'user', content: 'hello there' }];
  const response = await sluice.post('/v1/chat/completions', { model: 'double-1', messages });
  const { status, headers } = response;
  await response.text();
  const told = await fetch(`${sluice.url}/v1/generation/${headers.get('x-request-id')}`, {
    headers: { authorization: `Bearer ${sluice.token}` },
  });
  const { attempts, overhead_ms, duration_ms, first_byte_ms } = await told.json();
  await sluice.stop();
  expect(status).toBe(200);
  expect(attempts).toMatchObject([{ status: 429 }, { status: 200, why: 'retried' }]);
  expect(attempts[0]).not.toHaveProperty('paused_ms');
  const { paused_ms } = attempts[1];
  expect(paused_ms).toBeGreaterThanOrEqual(2000);
  // Each is told to the millisecond.
  const besideMs = duration_ms - paused_ms + 2;
  expect(first_byte_ms).toBeLessThanOrEqual(besideMs);
  expect(overhead_ms).toBeLessThanOrEqual(besideMs);
  expect(Number(headers.get('x-sluice-overhead-ms'))).toBeLessThanOrEqual(besideMs);
});
