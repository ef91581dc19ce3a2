/** What a client pays that leaves, where its provider bills otherwise than by the plain counts of its answer. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { owner, startTestSluice, type TestSluice, usualProvider } from '../support/sluice.ts';
import { serveVendor, type Vendor } from '../support/vendor.ts';

const file = (url: string) => ({
  users: [{ email: owner, password: 'a long enough password', role: 'platform_owner', wallet_usd: 1000 }],
  providers: [
    { ...usualProvider(url), name: 'chat' },
    { ...usualProvider(url), name: 'cohere', kind: 'cohere' },
    { ...usualProvider(url), name: 'vllm', kind: 'vllm' },
  ],
  models: [
    {
      ...{ id: 'chat', owned_by: 'doubles', prices: { input: 1, output: 3 } },
      providers: [{ provider: 'chat', upstream_id: 'double-1' }],
    },
    ...['cohere', 'vllm'].map((provider) => ({
      ...{ id: provider, type: 'rerank', owned_by: 'doubles', prices: { rerank_unit: 2000 } },
      providers: [{ provider, upstream_id: 'ranker' }],
    })),
  ],
  keys: [],
});

describe('a client that leaves', () => {
  let sluice: TestSluice;
  let vendor: Vendor;

  beforeAll(async () => {
    vendor = serveVendor();
    sluice = await startTestSluice({ file: () => file(vendor.url) });
  });
  afterAll(async () => {
    await sluice.stop();
    vendor.stop();
  });

  function start(path: string, body: object) {
    const leaving = new AbortController();
    const answer = fetch(`${sluice.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sluice.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    answer.catch(() => undefined);
    return { answer, leave: () => leaving.abort() };
  }

  test('pays nothing, and nobody is asked, where it had gone before a provider could be', async () => {
    const { callers } = sluice.running.services;
    const find = callers.find.bind(callers);
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const slow = spyOn(callers, 'find').mockImplementationOnce(async (token) => {
      begun.resolve();
      await held.promise;
      return await find(token);
    });
    vendor.answer = () => {
      throw new Error('it was asked');
    };
    const { leave } = start('/v1/chat/completions', {
      ...{ model: 'chat', messages: [{ role: 'user', content: 'Hello' }] },
    });
    await begun.promise;
    leave();
    // What comes behind it is answered once its end was seen too.
    for (let asked = 0; asked < 5; asked += 1) await (await fetch(`${sluice.url}/health`)).text();
    sluice.leap(1000);
    held.resolve();
    const record = await sluice.nextUsage(({ model }) => model === 'chat');
    slow.mockRestore();
    expect(record).toMatchObject({ outcome: 'client_closed', attemptRecords: [], chargedNanoUsd: 0n });
  });

  test.each([
    ['cohere', {}, 9],
    ['cohere', { max_tokens_per_doc: 900 }, 2],
    ['vllm', {}, 1],
  ])('pays long documents at %s as several, as far as they are read (%j)', async (model, more, units) => {
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<Response>();
    vendor.answer = () => {
      asked.resolve();
      return held.promise;
    };
    const known = (await sluice.usage()).length;
    const documents = Array.from({ length: 100 }, () => 'the calm river '.repeat(3000));
    const { leave } = start('/v1/rerank', { model, query: 'river', documents, ...more });
    await asked.promise;
    leave();
    await sluice.readsOnNoLonger();
    let records = await sluice.usage();
    while (records.length === known) records = await sluice.usage();
    held.resolve(new Response('', { status: 500 }));
    expect(records.at(-1)).toMatchObject({
      ...{ outcome: 'client_closed', rerankUnits: units, estimated: true },
      chargedNanoUsd: BigInt(units) * 2_000_000n,
    });
  });

  test('a host that counts with each piece is not believed to have counted what followed', async () => {
    const held = Promise.withResolvers<void>();
    const chunk = (content: string, usage: object) =>
      Buffer.from(
        `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content } }], usage })}\n\n`,
      );
    vendor.answer = () => {
      const pieces = async function* () {
        yield chunk('One', { prompt_tokens: 50, completion_tokens: 0 });
        for (let at = 0; at < 40; at += 1) yield chunk(' two', null as unknown as object);
        await held.promise;
      };
      return new Response(pieces() as unknown as BodyInit, {
        headers: { 'content-type': 'text/event-stream' },
      });
    };
    const messages = [{ role: 'user', content: 'Hello?' }];
    const { answer, leave } = start('/v1/chat/completions', { model: 'chat', stream: true, messages });
    const response = await answer;
    const reader = response.body?.getReader();
    let told = '';
    while (told.split(' two').length <= 40) {
      told += Buffer.from((await reader?.read())?.value ?? []).toString();
    }
    leave();
    await sluice.readsOnNoLonger();
    const id = response.headers.get('x-request-id');
    const record = await sluice.nextUsage(({ requestId }) => requestId === id);
    held.resolve();
    expect(record).toMatchObject({ outcome: 'client_closed', inputTokens: 50, estimated: true });
    expect(record.outputTokens).toBeWithin(40, 43);
  });
});
