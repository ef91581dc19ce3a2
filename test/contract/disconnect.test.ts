/** A client that goes away: the upstream is told when the usage does not come soon, and what it did is paid for. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { startTestSluice, type TestSluice, usualModel, usualProvider } from '../support/sluice.ts';
import { serveVendor, type Vendor } from '../support/vendor.ts';

const ask = { model: 'double-1', messages: [{ role: 'user', content: 'Hello' }] };

/** Its last event comes in many pieces, once the client has left. */
function responsesStream(left: Promise<void>): Response {
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const item = { type: 'message', id: 'msg_1', role: 'assistant', content: [] };
  const part = { type: 'output_text', text: '42', annotations: [] };
  const whole = { ...item, status: 'completed', content: [part] };
  const usage = { input_tokens: 20_000, output_tokens: 9000, total_tokens: 29_000 };
  const response = { id: 'resp_1', object: 'response', model: 'x', status: 'in_progress', output: [] };
  const instructions = 'Be kind. '.repeat(40_000);
  const completed = { ...response, instructions, status: 'completed', output: [whole], usage };
  const frame = (event: { readonly type: string; readonly [member: string]: unknown }) =>
    `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  const pieces = async function* () {
    yield frame({ type: 'response.created', response });
    yield frame({ type: 'response.output_item.added', output_index: 0, item });
    yield frame({ type: 'response.content_part.added', ...at, part: { ...part, text: '' } });
    yield frame({ type: 'response.output_text.delta', ...at, delta: '42' });
    await left;
    yield frame({ type: 'response.output_text.done', ...at, text: '42' });
    const last = frame({ type: 'response.completed', response: completed });
    for (let start = 0; start < last.length; start += 20_000) {
      await new Promise((resolve) => setImmediate(resolve));
      yield last.slice(start, start + 20_000);
    }
  };
  const each = pieces();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await each.next();
      if (done === true) controller.close();
      else controller.enqueue(Buffer.from(value));
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

describe('clients that leave', () => {
  let sluice: TestSluice;
  let vendor: Vendor;

  beforeAll(async () => {
    vendor = serveVendor();
    const settings = { protocols: ['responses'] };
    const providers = [{ provider: 'vendor', upstream_id: 'x' }];
    sluice = await startTestSluice({
      file: (upstream) => ({
        providers: [usualProvider(upstream), { ...usualProvider(vendor.url), name: 'vendor', settings }],
        models: [usualModel, { ...usualModel, id: 'over-responses', aliases: [], providers }],
      }),
    });
  });
  afterAll(async () => {
    await sluice.stop();
    vendor.stop();
  });
  beforeEach(() => sluice.upstream.forget());

  function start(
    body: object,
    path = '/v1/chat/completions',
  ): { answer: Promise<Response>; leave: () => void } {
    const controller = new AbortController();
    const answer = fetch(`${sluice.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sluice.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: controller.signal,
    });
    answer.catch(() => undefined);
    return { answer, leave: () => controller.abort() };
  }

  async function recordAfter(count: number) {
    while (true) {
      const records = await sluice.usage();
      const record = records[count];
      if (record !== undefined) return record;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  test.each([false, true])(
    'before the first byte: the upstream call ends, and the input is charged (streamed: %p)',
    async (stream) => {
      const known = (await sluice.usage()).length;
      const before = await sluice.availableNanoUsd();
      sluice.upstream.enqueue({ shape: { headerDelayMs: 60_000 } });
      const { leave } = start({ ...ask, stream });
      const received = await sluice.upstream.received(1);
      leave();
      if (!stream) await sluice.readsOnNoLonger();
      await received.ended;
      expect(received.clientClosed).toBe('before_first_byte');
      const record = await recordAfter(known);
      expect(record).toMatchObject({ outcome: 'client_closed', outputTokens: 0, estimated: true });
      expect(record.inputTokens).toBeWithin(1, 40);
      expect(record.chargedNanoUsd).toBe(BigInt(record.inputTokens) * 150n);
      expect(before - (await sluice.availableNanoUsd())).toBe(record.chargedNanoUsd);
    },
  );

  test('a whole answer that comes soon after all tells what it took', async () => {
    const known = (await sluice.usage()).length;
    const answered = Promise.withResolvers<void>();
    const shape = { hold: { until: answered.promise, lastWrites: 1 } };
    sluice.upstream.enqueue({ generate: { promptTokens: 100, reasoningTokens: 5000, text: 'Yes.' }, shape });
    const { leave } = start(ask);
    const received = await sluice.upstream.received(1);
    leave();
    await sluice.readsOn();
    answered.resolve();
    expect(await received.ended).toBe('answered');
    expect(await recordAfter(known)).toMatchObject({
      outcome: 'client_closed',
      estimated: false,
      inputTokens: 100,
      reasoningTokens: 5000,
      chargedNanoUsd: 100n * 150n + BigInt(received.usage?.completionTokens ?? 0) * 600n,
    });
  });

  test('a provider that refuses, or is not there, costs a client that left nothing', async () => {
    const known = (await sluice.usage()).length;
    const refused = Promise.withResolvers<void>();
    sluice.upstream.enqueue({
      fault: 'status_500',
      shape: { hold: { until: refused.promise, lastWrites: 1 } },
    });
    const { leave } = start(ask);
    await sluice.upstream.received(1);
    leave();
    await sluice.readsOn();
    refused.resolve();
    expect(await recordAfter(known)).toMatchObject({ outcome: 'client_closed', chargedNanoUsd: 0n });
  });

  test('in the middle of a stream: the upstream call ends, and input and what was delivered are charged', async () => {
    const known = (await sluice.usage()).length;
    sluice.upstream.enqueue({ generate: { tokens: 1000 }, shape: { chunkDelayMs: 20 } });
    const { answer, leave } = start({ ...ask, stream: true });
    const reader = (await answer).body?.getReader();
    for (let pieces = 0; pieces < 5; pieces += 1) await reader?.read();
    const received = await sluice.upstream.received(1);
    leave();
    await sluice.readsOnNoLonger();
    await received.ended;
    expect(received.clientClosed).toBe('after_first_event');
    expect(received.eventsSent).toBeLessThan(500);
    const record = await recordAfter(known);
    expect(record).toMatchObject({ outcome: 'client_closed', status: 200, estimated: true });
    expect(record.inputTokens).toBeGreaterThan(0);
    expect(record.outputTokens).toBeGreaterThan(0);
    expect(record.outputTokens).toBeLessThan(500);
    expect(record.chargedNanoUsd).toBe(record.costNanoUsd);
  });

  test.each([
    ['/v1/responses', { input: 'Hello' }],
    ['/v1/chat/completions', { messages: ask.messages }],
  ])('%s is charged by an end that repeats long instructions', async (path, asked) => {
    const known = (await sluice.usage()).length;
    const left = Promise.withResolvers<void>();
    vendor.answer = () => responsesStream(left.promise);
    const { answer, leave } = start({ model: 'over-responses', stream: true, ...asked }, path);
    await (await answer).body?.getReader().read();
    leave();
    await sluice.readsOn();
    left.resolve();
    expect(await recordAfter(known)).toMatchObject({
      outcome: 'client_closed',
      estimated: false,
      inputTokens: 20_000,
      outputTokens: 9000,
    });
  });

  test('a client that reads slowly slows the upstream instead of filling memory', async () => {
    sluice.upstream.enqueue({ generate: { tokens: 4000, text: 'x'.repeat(200).concat(' ').repeat(60_000) } });
    const { answer, leave } = start({ ...ask, stream: true });
    const reader = (await answer).body?.getReader();
    await reader?.read();
    await Bun.sleep(500);
    const received = await sluice.upstream.received(1);
    expect(received.outcome).toBeUndefined();
    // Read once more: a reader that nobody holds any longer is collected, and its connection closed with it.
    expect((await reader?.read())?.done).toBe(false);
    leave();
    await received.ended;
  });
});
