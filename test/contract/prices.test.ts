/** What a request pays where prices differ by provider and change with time, over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { owner, startTestSluice, type TestSluice, usualProvider } from '../support/sluice.ts';

const hourMs = 3_600_000;
const priced = (usd: number) => ({ input: usd, output: usd });

describe('prices by provider and date', () => {
  let sluice: TestSluice;
  let server: ReturnType<typeof Bun.serve>;
  let isFirstAway = false;
  let opened: PromiseWithResolvers<void> | null = null;
  let asked: PromiseWithResolvers<void> | null = null;
  const askedFor: string[] = [];
  const start = Date.now();

  beforeAll(async () => {
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(http) {
        const isSecond = new URL(http.url).pathname.startsWith('/second');
        askedFor.push(isSecond ? 'second' : 'main');
        if (isFirstAway && !isSecond) return Response.json({ error: { message: 'away' } }, { status: 500 });
        asked?.resolve();
        await opened?.promise;
        return Response.json({
          ...{ id: 'c1', object: 'chat.completion', created: 1, model: 'm' },
          choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 600_000, completion_tokens: 400_000, total_tokens: 1_000_000 },
        });
      },
    });
    const url = `http://127.0.0.1:${server.port}`;
    const served = (provider: string, more: object = {}) => ({ provider, upstream_id: 'm', ...more });
    const model = (id: string, more: object) => ({ id, owned_by: 'doubles', ...more });
    const from = (hours: number) => new Date(start + hours * hourMs).toISOString();
    sluice = await startTestSluice({
      file: () => ({
        users: [
          { email: owner, password: 'a long enough password', role: 'platform_owner', wallet_usd: 1000 },
        ],
        providers: [usualProvider(`${url}/v1`), { ...usualProvider(`${url}/second/v1`), name: 'second' }],
        models: [
          model('twofold', {
            prices: priced(1),
            providers: [served('main'), served('second', { prices: priced(3) })],
          }),
          model('half', { providers: [served('main'), served('second', { prices: priced(4) })] }),
          model('searching', {
            prices: { ...priced(1), web_search: 1 },
            providers: [served('main'), served('second', { prices: priced(3) })],
          }),
          model('changing', {
            prices: priced(1),
            price_changes: [{ from: from(5), prices: priced(7) }],
            providers: [served('main')],
          }),
        ],
      }),
    });
  });
  afterAll(async () => {
    await sluice.stop();
    await server.stop(true);
  });

  const ask = (model: string, more: object = {}) =>
    sluice.post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'hi' }], ...more });
  const costOf = async (response: Promise<Response>) => (await response).headers.get('x-sluice-cost-usd');

  test('a request pays the price of the provider that served it', async () => {
    expect(await costOf(ask('twofold'))).toBe('1.00');
    isFirstAway = true;
    expect(await costOf(ask('twofold'))).toBe('3.00');
    isFirstAway = false;
    const [first, second] = (await sluice.usage()).slice(-2);
    expect([first?.costNanoUsd, second?.costNanoUsd]).toEqual([1_000_000_000n, 3_000_000_000n]);
    expect(first?.priceVersionId).not.toBe(second?.priceVersionId ?? null);
    expect(first?.priceVersionId).toBeGreaterThan(0);
  });

  test('who pays is not served where there is no price', async () => {
    askedFor.length = 0;
    expect(await costOf(ask('half'))).toBe('4.00');
    expect(askedFor).toEqual(['second']);
  });

  test('what is not priced at every provider is left out', async () => {
    const search = { type: 'web_search_preview' };
    const tool = { type: 'function', name: 'f', parameters: { type: 'object', properties: {} } };
    const response = await sluice.post('/v1/responses', {
      ...{ model: 'searching', input: 'hi', tools: [search, tool] },
    });
    expect(response.headers.get('x-sluice-left-out')).toBe('web_search_preview');
  });

  test('a request pays the price of its start, and a new price holds from its date without a restart', async () => {
    // To a minute before the date, so that the last leap is within the deadlines of a request.
    sluice.leap(start + 5 * hourMs - Date.now() - 60_000);
    opened = Promise.withResolvers();
    asked = Promise.withResolvers();
    const answering = ask('changing');
    await asked.promise;
    sluice.leap(60_000);
    opened.resolve();
    expect(await costOf(answering)).toBe('1.00');
    expect(await costOf(ask('changing'))).toBe('7.00');
  });
});
