/** Answers that are kept, and clients that refer to them: by `previous_response_id`, or by item as the AI SDK does. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import OpenAI, { APIError } from 'openai';
import { conversations } from '../support/matrix/conversations.ts';
import { type Manner, responsesMatrixClient } from '../support/matrix/responses-talk.ts';
import { thinkingScenarios } from '../support/matrix/thinking.ts';
import { startMatrixSluice, upstreamCases } from '../support/matrix/upstreams.ts';
import {
  newToken,
  owner,
  startTestSluice,
  type TestSluice,
  usualModel,
  usualProvider,
} from '../support/sluice.ts';

describe('conversations of several turns', () => {
  let sluice: TestSluice;
  beforeAll(async () => {
    sluice = await startMatrixSluice();
  });
  afterAll(() => sluice.stop());
  beforeEach(() => sluice.upstream.forget());

  const scenarios = [...conversations, ...thinkingScenarios].filter(({ title }) =>
    /turn|further|goes on over|result/.test(title),
  );
  const manners: readonly (readonly [Manner, boolean])[] = [
    ['items', true],
    ['items', false],
    ['previous', true],
  ];
  // What an upstream of the same protocol made is for that upstream to keep, and the double keeps nothing.
  for (const upstream of upstreamCases.filter(({ protocol }) => protocol !== 'responses')) {
    for (const [manner, streamed] of manners) {
      const client = responsesMatrixClient(manner);
      describe(`by ${manner} over ${upstream.protocol}, ${streamed ? 'streamed' : 'whole'}`, () => {
        for (const { title, fits, play } of scenarios) {
          if (fits?.(client, upstream, streamed) === false) continue;
          test(title, () => {
            const talk = client.open(sluice, upstream.model, streamed);
            return play({ client, upstream, streamed, sluice, talk });
          });
        }
      });
    }
  }
});

const stranger = newToken();
const hourMs = 3_600_000;

/** With a model that is converted and one that is not. */
function start(variables: Record<string, string> = {}): Promise<TestSluice> {
  return startTestSluice({
    file: (url) => ({
      keys: [{ owner, name: 'stranger', token: stranger }],
      providers: ['responses', 'chat-completions'].map((protocol) => ({
        ...usualProvider(url),
        name: protocol,
        settings: { protocols: [protocol] },
      })),
      models: ['responses', 'chat-completions'].map((provider) => ({
        ...usualModel,
        id: provider,
        aliases: [],
        providers: [{ provider, upstream_id: 'gpt-4o-mini' }],
      })),
    }),
    variables,
  });
}

describe('what is kept', () => {
  let sluice: TestSluice;
  let client: OpenAI;
  beforeAll(async () => {
    sluice = await start();
    client = sluice.client();
  });
  afterAll(() => sluice.stop());
  beforeEach(() => sluice.upstream.forget());

  const model = 'chat-completions';
  const other = () => new OpenAI({ apiKey: stranger, baseURL: `${sluice.url}/v1`, maxRetries: 0 });
  const say = (text: string, fields: object = {}) => {
    sluice.upstream.enqueue({ generate: { text } });
    return client.responses.create({ model, input: 'Hello', ...fields });
  };
  const lastMessages = () => sluice.upstream.requests.at(-1)?.body;
  const refusalOf = async (asked: Promise<unknown>) => {
    const error = await asked.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof APIError)) throw new Error('it was not refused');
    return error;
  };

  test('is said to be: the response before it too', async () => {
    const first = await say('one');
    expect(first).toMatchObject({ store: true, previous_response_id: null });
    const second = await say('two', { previous_response_id: first.id, input: 'And then?' });
    expect(second.previous_response_id).toBe(first.id);
    const third = await say('three', { previous_response_id: second.id, input: 'And now?' });
    expect(lastMessages()).toMatchObject({
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'one' },
        { role: 'user', content: 'And then?' },
        { role: 'assistant', content: 'two' },
        { role: 'user', content: 'And now?' },
      ],
    });
    expect(third.output_text).toBe('three');
  });

  test('is got, listed and deleted with the official client', async () => {
    const { id } = await say('to be got');
    expect((await client.responses.retrieve(id)).output_text).toBe('to be got');
    const input: unknown[] = [];
    for await (const item of client.responses.inputItems.list(id)) input.push(item);
    expect(input).toMatchObject([{ role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }]);
    await client.responses.delete(id);
    expect(await refusalOf(client.responses.retrieve(id))).toMatchObject({ status: 404, code: 'not_found' });
    expect(await refusalOf(client.responses.delete(id))).toMatchObject({ status: 404 });
  });

  test('says so where the input was too large to be kept, and lists none that is not there', async () => {
    const { id } = await say('x', { input: 'river '.repeat(400_000) });
    const error = await refusalOf(client.responses.inputItems.list(id));
    expect(error).toMatchObject({ status: 404, message: expect.stringContaining('too large to be kept') });
  });

  test('is unknown to another key', async () => {
    const { id, output } = await say('mine');
    const asked = other().responses;
    expect(await refusalOf(asked.retrieve(id))).toMatchObject({ status: 404 });
    expect(await refusalOf(asked.delete(id))).toMatchObject({ status: 404 });
    const chained = await refusalOf(asked.create({ model, input: 'x', previous_response_id: id }));
    expect(chained).toMatchObject({ status: 400, param: 'previous_response_id' });
    const reference = { type: 'item_reference', id: output[0]?.id ?? '' } as const;
    const referred = await refusalOf(asked.create({ model, input: [reference] }));
    expect(referred).toMatchObject({ status: 400, code: 'invalid_parameter', param: 'input' });
    const unknown = await refusalOf(asked.create({ model, input: [{ ...reference, id: 'msg_never' }] }));
    expect(referred.message.replace(reference.id, 'msg_never')).toBe(unknown.message);
    expect(unknown.message).toContain('"store": false');
    expect((await client.responses.retrieve(id)).id).toBe(id);
  });

  test('ends after an hour', async () => {
    const { id } = await say('soon gone');
    sluice.leap(hourMs - 1000);
    expect((await client.responses.retrieve(id)).id).toBe(id);
    sluice.leap(2000);
    expect(await refusalOf(client.responses.retrieve(id))).toMatchObject({ status: 404 });
  });

  test('is nothing where the client says so, and its references are served all the same', async () => {
    const { id } = await say('kept');
    const unkept = await say('unkept', { store: false, previous_response_id: id });
    expect(unkept).toMatchObject({ store: false, previous_response_id: id });
    expect(lastMessages()).toMatchObject({ messages: [{}, { content: 'kept' }, {}] });
    expect(await refusalOf(client.responses.retrieve(unkept.id))).toMatchObject({ status: 404 });
  });

  test('goes to a provider of the same protocol where that cannot know it, and what it made stays a reference', async () => {
    const here = await say('made here');
    const reference = { type: 'item_reference', id: here.output[0]?.id ?? '' } as const;
    await say('x', { model: 'responses', input: [reference, { role: 'user', content: 'Go on' }] });
    expect(lastMessages()).toMatchObject({
      input: [{ type: 'message', content: [{ text: 'made here' }] }, { content: 'Go on' }],
    });
    const there = await say('made there', { model: 'responses', previous_response_id: here.id });
    expect(lastMessages()).toMatchObject({ input: [{}, {}, { content: 'Hello' }] });
    expect(lastMessages()).not.toHaveProperty('previous_response_id');
    await say('y', { previous_response_id: there.id, input: 'Back again' });
    expect(lastMessages()).toMatchObject({
      messages: [{}, { content: 'made here' }, {}, { content: 'made there' }, { content: 'Back again' }],
    });
    const own = await refusalOf(say('z', { model: 'responses', previous_response_id: there.id }));
    expect(own).toMatchObject({ code: 'upstream_refused_request', param: 'previous_response_id' });
  });

  test('a request that refers to much, often, is refused before it grows', async () => {
    const small = await start({ SLUICE_MAX_BODY_BYTES: '60000' });
    try {
      small.upstream.byDefault({ generate: { text: 'word '.repeat(2000) } });
      const { output } = await small.client().responses.create({ model, input: 'Hello' });
      const input = Array.from({ length: 500 }, () => ({
        type: 'item_reference' as const,
        id: output[0]?.id ?? '',
      }));
      const refused = await refusalOf(small.client().responses.create({ model, input }));
      expect(refused).toMatchObject({ status: 413, code: 'body_too_large' });
    } finally {
      await small.stop();
    }
  });

  test('a server that keeps nothing says what to send instead', async () => {
    const forgetful = await start({ SLUICE_KEEP_RESPONSES_MS: '0' });
    try {
      const asked = forgetful.client().responses;
      const answer = await asked.create({ model, input: 'Hello' });
      expect(answer).toMatchObject({ store: false });
      const { id } = answer;
      expect(await refusalOf(asked.retrieve(id))).toMatchObject({ status: 404 });
      const refused = await refusalOf(asked.create({ model, input: 'x', previous_response_id: id }));
      expect(refused).toMatchObject({ status: 400, param: 'previous_response_id' });
      expect(refused.message).toContain('keeps no answers');
      expect(refused.message).toContain('"store": false');
    } finally {
      await forgetful.stop();
    }
  });
});

describe('what is put in the place of a reference', () => {
  const poor = newToken();
  const password = 'a long enough password';
  let sluice: TestSluice;
  beforeAll(async () => {
    sluice = await startTestSluice({
      file: (url) => ({
        users: [
          { email: owner, password, role: 'platform_owner', wallet_usd: 25 },
          { email: 'poor@example.test', password, role: 'member', wallet_usd: 0.004 },
        ],
        keys: [{ owner: 'poor@example.test', name: 'poor', token: poor }],
        providers: [
          { ...usualProvider(url), name: 'chat', settings: { protocols: ['chat-completions'] } },
          { ...usualProvider(url), name: 'searching', settings: { protocols: ['responses'] } },
          { ...usualProvider(url), name: 'claude', kind: 'anthropic' },
        ],
        models: ['chat', 'searching', 'claude'].map((provider) => ({
          ...{ ...usualModel, id: provider, aliases: [] },
          prices: { ...usualModel.prices, ...(provider === 'searching' ? { web_search: 10_000 } : {}) },
          providers: [{ provider, upstream_id: provider === 'claude' ? 'claude-sonnet-4-5' : 'gpt-5-mini' }],
        })),
      }),
      variables: { SLUICE_MAX_BODY_BYTES: '1000000', SLUICE_BODY_BUDGET_BYTES: '1400000' },
    });
  });
  afterAll(() => sluice.stop());
  beforeEach(() => sluice.upstream.forget());

  const ask = (body: object, headers: Record<string, string> = {}) =>
    sluice.post('/v1/responses', body, headers);
  const idOf = async (answer: Response) => {
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { id: string }).id;
  };

  test('is set aside for as if it were written there, so that an empty wallet buys no long conversation', async () => {
    const headers = { authorization: `Bearer ${poor}` };
    sluice.upstream.byDefault({ generate: { text: 'ok', promptTokens: 10_000 } });
    const first = await idOf(await ask({ model: 'chat', input: 'river '.repeat(10_000) }, headers));
    const goOn = (previous_response_id: string) =>
      ask({ model: 'chat', previous_response_id, input: 'go on' }, headers);
    const second = await idOf(await goOn(first));
    expect((await goOn(second)).status).toBe(402);
    expect(sluice.upstream.requests).toHaveLength(2);
  });

  test('takes its room among what is under way, as objects too', async () => {
    // Kept, and passed over by conversions.
    const dense = { type: 'web_search_call', places: Array.from({ length: 10_000 }, () => []) };
    const input = [dense, { role: 'user', content: 'Hello' }];
    const previous_response_id = await idOf(await ask({ model: 'chat', input }));
    expect((await ask({ model: 'chat', input: 'go on', previous_response_id })).status).toBe(200);
    const much = await ask({ model: 'chat', input, previous_response_id });
    expect(much.status).toBe(413);
    expect(await much.json()).toMatchObject({ error: { code: 'body_too_large' } });
    expect(sluice.upstream.requests).toHaveLength(2);
  });

  test('brings no tool to a model that has no price for it', async () => {
    const search = { type: 'additional_tools', tools: [{ type: 'web_search' }] };
    const said = { role: 'user', content: 'hi' };
    const first = await idOf(await ask({ model: 'searching', input: [search, said] }));
    const tools = [{ type: 'function', name: 'look', parameters: { type: 'object' } }];
    sluice.upstream.forget();
    await idOf(await ask({ model: 'claude', previous_response_id: first, tools, input: 'go on' }));
    const sent = JSON.stringify(sluice.upstream.requests[0]?.body);
    expect(sent).toContain('look');
    expect(sent).not.toContain('web_search');
  });
});
