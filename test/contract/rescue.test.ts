/** Answers that break off in the middle and are gone on with, over every pair of protocols, and what is paid for them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { conversationIn, type GoingOnTerms, goingOn } from '../support/going-on.ts';
import {
  newToken,
  owner,
  startTestSluice,
  type TestSluice,
  usualModel,
  usualProvider,
} from '../support/sluice.ts';
import { faultClients } from '../support/stream-faults/clients.ts';
import { faultUpstreams } from '../support/stream-faults/scene.ts';
import type { Answer, Generation } from '../support/upstream/answer.ts';
import { startUpstream, type Upstream } from '../support/upstream/index.ts';
import { isObject, parseJson, readList, readText } from '../support/upstream/json.ts';

const words =
  'It began on a morning in March, when nobody in the house was awake, and it went on until the lamps were lit again in the street below.';
const shape = { chunkDelayMs: 4 };
/** More events than any protocol needs before its first content. */
const broken = (generate: Generation = { text: words }, afterEvents = 10): Answer => ({
  generate,
  // A busy machine has read what came by then, so that the break is one in the middle.
  fault: { name: 'reset_mid_stream', afterEvents, afterMs: 150 },
  shape,
});

const tokens = { rescued: newToken(), never: newToken(), locked: newToken() };
const main = faultUpstreams.map(({ protocol, model, upstreamModel, provider }) => ({
  ...{ protocol, model, upstreamModel, provider },
  claude: `${model}-then-claude`,
}));

let sluice: TestSluice;
let backup: Upstream;

beforeAll(async () => {
  backup = startUpstream();
  const behind = { provider: 'backup', upstream_id: 'sound', prices: { input: 10, output: 100 } };
  const claude = { provider: 'claude', upstream_id: 'claude-sonnet-4-5-20250929' };
  sluice = await startTestSluice({
    file: (url) => ({
      providers: [
        {
          ...usualProvider(backup.url),
          name: 'backup',
          settings: { protocols: ['chat-completions'] },
        },
        { ...usualProvider(backup.url), name: 'claude', kind: 'anthropic' },
        ...main.map(({ model, provider }) => ({
          name: model,
          credentials: [{ name: 'k1', api_key: 'upstream-secret' }],
          ...provider(url),
        })),
      ],
      models: main.flatMap(({ model, upstreamModel, claude: id }) => {
        const own = { provider: model, upstream_id: upstreamModel };
        return [
          { ...usualModel, id: model, aliases: [], providers: [own, behind] },
          { ...usualModel, id, aliases: [], rescue: true, providers: [own, claude] },
        ];
      }),
      keys: [
        { name: 'rescued', owner, token: tokens.rescued, rescue: true },
        { name: 'never', owner, token: tokens.never, rescue: false },
        {
          ...{ name: 'locked', owner, token: tokens.locked, rescue: true },
          allowed_providers: main.map(({ model }) => model),
        },
      ],
    }),
    variables: { SLUICE_UPSTREAM_IDLE_TIMEOUT_MS: '1000' },
  });
});
afterAll(async () => {
  await sluice.stop();
  backup.stop();
});
beforeEach(() => {
  sluice.upstream.forget();
  backup.forget();
  sluice.upstream.byDefault(broken());
  goOn();
});

const goOn = (terms: GoingOnTerms = {}) => backup.byDefault(goingOn(words, { shape, ...terms }));

type Headers = Readonly<Record<string, string>>;
const on = { 'x-sluice-rescue': 'on' };
const ask = (body: object, headers: Headers = on, path = '/v1/chat/completions') =>
  sluice.post(path, { stream: true, ...body }, headers);
const chat = (model = 'over-chat') => ({ model, messages: [{ role: 'user', content: 'Tell me a story.' }] });

/** What a chat client hears. */
async function hear(response: Promise<Response>) {
  const answer = await response;
  const text = await answer.text();
  const frames = text
    .split('\n\n')
    .map((frame) => parseJson(frame.replace(/^data: /, '')))
    .filter(isObject);
  const deltas = frames.flatMap((frame) => {
    const [choice] = readList(frame, 'choices');
    return isObject(choice) && isObject(choice['delta']) ? [choice['delta']] : [];
  });
  return {
    frames,
    text: deltas.map((delta) => readText(delta, 'content') ?? '').join(''),
    thoughts: deltas.map((delta) => readText(delta, 'reasoning_content') ?? '').join(''),
    note: frames.find((frame) => 'sluice' in frame)?.['sluice'],
    code: frames.map((frame) => readText(frame['error'], 'code')).find((code) => code !== undefined),
    isWhole: text.includes('[DONE]'),
    ready: answer.headers.get('x-sluice-rescue'),
    requestId: answer.headers.get('x-request-id'),
  };
}

const recordOf = (id: string | null) => sluice.nextUsage(({ requestId }) => requestId === id);

describe.each(faultClients)('a client of $name', (client) => {
  test.each(main)(
    'has all that was begun over $protocol, with the rest of another provider',
    async ({ model }) => {
      const rescuing = {
        ...sluice,
        token: tokens.rescued,
        client: () => sluice.client({ apiKey: tokens.rescued }),
      };
      expect(await client.ask(rescuing, model, true)).toBe(words);
      expect(sluice.upstream.requests).toHaveLength(1);
      expect(backup.requests).toHaveLength(1);
      const said = conversationIn(backup.requests[0]?.body);
      expect(said.map(({ role }) => role).slice(-2)).toEqual(['assistant', 'user']);
    },
  );

  test.each(main)(
    'has the rest of a Claude that goes on from a prefill, over $protocol',
    async ({ claude }) => {
      expect(await client.ask(sluice, claude, true)).toBe(words);
      const said = conversationIn(backup.requests[0]?.body);
      expect(said.at(-1)).toMatchObject({ role: 'assistant' });
      expect(words).toStartWith(said.at(-1)?.text ?? 'nothing');
      expect(said.at(-1)?.text).not.toEndWith(' ');
    },
  );

  test('is told that and how', async () => {
    const response = await sluice.post(client.path, client.body('over-chat', true), on);
    expect(response.headers.get('x-sluice-rescue')).toBe('ready');
    const note = '"rescue":{"how":"repetition","provider":"backup","after":"upstream_unreachable"}';
    expect(await response.text()).toContain(note);
  });
});

describe('the setting', () => {
  test('is off: the client hears the error, and nobody else is asked', async () => {
    const heard = await hear(ask(chat(), {}));
    expect(heard).toMatchObject({ code: 'upstream_unreachable', isWhole: false, ready: null });
    expect(backup.requests).toHaveLength(0);
  });

  test.each<[string, string, Headers, boolean]>([
    ['the request’s', 'over-chat', on, true],
    ['the key’s', 'over-chat', { authorization: `Bearer ${tokens.rescued}` }, true],
    ['the model’s', 'over-chat-then-claude', {}, true],
    ['the request’s above the key’s', 'over-chat', { ...on, authorization: `Bearer ${tokens.never}` }, true],
    ['the request’s above the model’s', 'over-chat-then-claude', { 'x-sluice-rescue': 'off' }, false],
    [
      'the key’s above the model’s',
      'over-chat-then-claude',
      { authorization: `Bearer ${tokens.never}` },
      false,
    ],
  ])('is %s', async (_whose, model, headers, isOn) => {
    const heard = await hear(ask(chat(model), headers));
    expect(heard.ready).toBe(isOn ? 'ready' : null);
    expect(heard.isWhole).toBe(isOn);
  });

  test('that is no setting is refused', async () => {
    const response = await ask(chat(), { 'x-sluice-rescue': 'perhaps' });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('x-sluice-rescue');
    expect(sluice.upstream.requests).toHaveLength(0);
  });

  test('asks nobody whom the key is locked out of', async () => {
    const heard = await hear(ask(chat(), { authorization: `Bearer ${tokens.locked}` }));
    expect(heard.isWhole).toBe(false);
    expect(backup.requests).toHaveLength(0);
    // Its own provider may go on.
    expect(sluice.upstream.requests).toHaveLength(2);
  });
});

test('who broke off goes on where nobody else may, and both answers stand on one bill', async () => {
  sluice.upstream.byDefault(goingOn(words, { shape }));
  sluice.upstream.enqueue(broken());
  const heard = await hear(ask(chat(), { authorization: `Bearer ${tokens.locked}` }));
  expect(heard).toMatchObject({ text: words, isWhole: true });
  const record = await recordOf(heard.requestId);
  expect(record.priceVersionId).not.toBeNull();
  const told = await fetch(`${sluice.url}/v1/generation/${heard.requestId}`, {
    headers: { authorization: `Bearer ${tokens.locked}` },
  });
  const { line_items: lines, cost_usd: cost, attempts } = Object(await told.json());
  const sum = lines.reduce((all: number, line: { amount_usd: string }) => all + Number(line.amount_usd), 0);
  expect(Math.abs(sum - Number(cost))).toBeLessThanOrEqual(1e-9);
  expect(attempts).toMatchObject([{ error: 'upstream_unreachable' }, { error: null, why: 'rescued' }]);
});

describe('the money', () => {
  test('of both answers is one row, each at its own price, and nothing stays set aside', async () => {
    const before = await sluice.availableNanoUsd();
    const heard = await hear(ask({ ...chat(), stream_options: { include_usage: true } }));
    const record = await recordOf(heard.requestId);
    expect(record).toMatchObject({
      outcome: 'complete',
      status: 200,
      provider: 'backup',
      priceVersionId: null,
    });
    expect(record.attemptRecords).toMatchObject([
      { provider: 'over-chat', errorCode: 'upstream_unreachable' },
      { provider: 'backup', errorCode: null, why: 'rescued' },
    ]);
    const second = backup.requests[0]?.usage;
    if (second === undefined) throw new Error('the second was not asked for its usage');
    const first = {
      input: record.inputTokens - second.promptTokens,
      output: record.outputTokens - second.completionTokens,
    };
    expect(first.input).toBeGreaterThan(0);
    expect(first.output).toBeGreaterThan(0);
    const cost = 150n * BigInt(first.input) + 600n * BigInt(first.output);
    const secondCost = 10_000n * BigInt(second.promptTokens) + 100_000n * BigInt(second.completionTokens);
    expect(record.costNanoUsd).toBe(cost + secondCost);
    expect(before - (await sluice.availableNanoUsd())).toBe(record.costNanoUsd);
    const told = heard.frames.findLast((frame) => isObject(frame['usage']))?.['usage'];
    expect(told).toMatchObject({
      prompt_tokens: record.inputTokens,
      completion_tokens: record.outputTokens,
    });
  });

  test('of the first answer is all where nobody goes on', async () => {
    backup.byDefault({ fault: 'status_500' });
    sluice.upstream.enqueue(broken(), { fault: 'status_500' }, { fault: 'status_500' });
    const heard = await hear(ask(chat()));
    expect(heard).toMatchObject({ code: 'upstream_unreachable', isWhole: false, ready: 'ready' });
    const record = await recordOf(heard.requestId);
    expect(record).toMatchObject({ outcome: 'upstream_failed', provider: 'over-chat' });
    const { inputTokens, outputTokens } = record;
    expect(record.costNanoUsd).toBe(150n * BigInt(inputTokens) + 600n * BigInt(outputTokens));
  });

  test('is for what the request bounds: the rest may have what is left', async () => {
    await hear(ask({ ...chat(), max_tokens: 200 }));
    const body = backup.requests[0]?.body;
    const left = isObject(body) ? Number(body['max_tokens'] ?? body['max_completion_tokens']) : 0;
    expect(left).toBeWithin(180, 200);
  });
});

describe('it is never a splice', () => {
  test('of an answer that does not repeat the last words', async () => {
    goOn({ isDeaf: true });
    sluice.upstream.enqueue(broken(), { generate: { text: 'something else' }, shape });
    const heard = await hear(ask(chat()));
    expect(words).toStartWith(heard.text);
    expect(heard).toMatchObject({ code: 'upstream_unreachable', isWhole: false });
    expect(heard.note).toBeUndefined();
  });

  test('and an answer that begins anew with the same words goes on behind them', async () => {
    backup.byDefault({ generate: { text: words }, shape });
    expect(await hear(ask(chat()))).toMatchObject({ text: words, isWhole: true });
  });

  test('of a second answer that breaks off too', async () => {
    const wholly = goingOn(words, { shape });
    backup.byDefault((request) => ({
      ...wholly(request),
      fault: { name: 'reset_mid_stream', afterEvents: 14 },
    }));
    const heard = await hear(ask(chat()));
    expect(words).toStartWith(heard.text);
    expect(heard).toMatchObject({ code: 'upstream_unreachable', isWhole: false });
    expect(backup.requests).toHaveLength(1);
    const record = await recordOf(heard.requestId);
    expect(record.attemptRecords.map(({ errorCode }) => errorCode)).toEqual([
      'upstream_unreachable',
      'upstream_unreachable',
    ]);
  });

  test('of another model of the request’s list', async () => {
    const body = { ...chat(), models: ['over-messages'], provider: { only: ['over-chat', 'over-messages'] } };
    const heard = await hear(ask(body));
    expect(heard).toMatchObject({ code: 'upstream_unreachable', isWhole: false, ready: 'ready' });
    expect(sluice.upstream.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions']);
    expect(backup.requests).toHaveLength(0);
  });

  const tools = [
    { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } },
  ];

  test('of a call that was shown', async () => {
    sluice.upstream.byDefault(broken({ text: 'I look.', toolCalls: 1 }, 3));
    const heard = await hear(ask({ ...chat(), tools }));
    expect(heard).toMatchObject({ code: 'upstream_unreachable', isWhole: false, ready: 'ready' });
    expect(backup.requests).toHaveLength(0);
  });

  test('of thoughts that were shown, but before a model that takes a prefill; they are not thought again', async () => {
    const thinking = broken({ text: words, reasoningTokens: 4, showReasoning: true }, 12);
    sluice.upstream.byDefault(thinking);
    const refused = await hear(ask(chat()));
    expect(refused).toMatchObject({ isWhole: false, code: 'upstream_unreachable' });
    expect(backup.requests).toHaveLength(0);
    const shown = refused.thoughts;
    expect(shown).not.toBe('');
    const heard = await hear(ask(chat('over-chat-then-claude')));
    expect(heard).toMatchObject({ text: words, thoughts: shown, isWhole: true });
  });

  test.each([
    ['a form', { response_format: { type: 'json_object' } }],
    ['several answers', { n: 2 }],
    ['a forced call', { tools, tool_choice: 'required' }],
    [
      'a beginning of the client’s own',
      {
        messages: [
          // Another conversation than those of before, which stay where they were answered.
          { role: 'user', content: 'Another one.' },
          { role: 'assistant', content: 'It' },
        ],
      },
    ],
  ])('where the request asks for %s', async (_what, members) => {
    const response = await ask({ ...chat(), ...members });
    expect(response.headers.get('x-sluice-rescue')).toBeNull();
    await response.text();
    expect(backup.requests).toHaveLength(0);
  });
});

test('a piece that cannot be read is asked for anew, and not left out', async () => {
  sluice.upstream.byDefault({
    generate: { text: words },
    fault: { name: 'malformed_chunk', afterEvents: 10 },
    shape,
  });
  expect(await hear(ask(chat()))).toMatchObject({
    text: words,
    note: { rescue: { after: 'upstream_invalid_answer' } },
  });
});

test('an error that was told inside the answer is gone on from', async () => {
  sluice.upstream.byDefault({
    generate: { text: words },
    fault: { name: 'in_band_error', afterEvents: 10 },
    shape,
  });
  expect(await hear(ask(chat()))).toMatchObject({ text: words, isWhole: true });
});

test('a response that was gone on with can be continued by its id', async () => {
  const body = { model: 'over-responses', input: 'Tell me a story.', stream: true };
  const text = await (await ask(body, on, '/v1/responses')).text();
  const last = text.split('\n\n').findLast((frame) => frame.startsWith('event: response.completed')) ?? '';
  const id = /"id":"(resp_[^"]+)"/.exec(last)?.[1];
  sluice.upstream.byDefault({});
  const next = await sluice.post('/v1/responses', {
    ...{ model: 'over-responses', input: 'And then?', previous_response_id: id },
  });
  expect(next.status).toBe(200);
  expect(sluice.upstream.requests.at(-1)?.bodyText).toContain(words);
});

test('an item of a response that could have been gone on with can be referred to', async () => {
  sluice.upstream.byDefault({ generate: { text: words }, shape });
  const asked = { model: 'over-responses', input: 'Tell me a story.', stream: true };
  const text = await (await ask(asked, on, '/v1/responses')).text();
  const id = /"id":"(msg_sluice_[^"]+)"/.exec(text)?.[1];
  sluice.upstream.byDefault({});
  const input = [
    { type: 'item_reference', id },
    { role: 'user', content: 'And then?' },
  ];
  const next = await sluice.post('/v1/responses', { model: 'over-responses', input });
  expect(next.status).toBe(200);
  const sent = sluice.upstream.requests.at(-1)?.bodyText;
  expect(sent).toContain(words);
  expect(sent).not.toContain('item_reference');
});
