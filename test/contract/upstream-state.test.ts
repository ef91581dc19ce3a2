/** What an upstream holds of a conversation is asked for where it is, and nowhere else. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { providers } from '../../src/storage/schema/catalogue.ts';
import {
  newToken,
  owner,
  startTestSluice,
  type TestSluice,
  usualModel,
  usualProvider,
} from '../support/sluice.ts';

let sluice: TestSluice;
const otherToken = newToken();
const names = ['first', 'second', 'converted'];

beforeAll(async () => {
  sluice = await startTestSluice({
    file: (url) => ({
      providers: names.map((name) => ({
        ...usualProvider(url),
        name,
        settings: { protocols: [name === 'converted' ? 'chat-completions' : 'responses'] },
      })),
      models: [
        {
          ...usualModel,
          providers: ['first', 'second'].map((provider) => ({ provider, upstream_id: 'gpt-5' })),
        },
        {
          ...usualModel,
          id: 'double-2',
          aliases: [],
          providers: [{ provider: 'second', upstream_id: 'gpt-5-mini' }],
        },
        {
          ...usualModel,
          id: 'converted',
          aliases: [],
          providers: [{ provider: 'converted', upstream_id: 'm' }],
        },
      ],
      keys: [{ name: 'other', owner, token: otherToken }],
    }),
  });
});
afterAll(() => sluice.stop());
beforeEach(() => sluice.upstream.forget());

const ask = (body: object, headers: Record<string, string> = {}) =>
  sluice.post('/v1/responses', { model: 'double-1', input: 'Hello', ...body }, headers);
const providerOf = (answer: Response) => answer.headers.get('x-sluice-provider');

/** The first provider refuses one request, so that the second answers. */
async function answeredBySecond(body: object = {}): Promise<{ id: string; text: string }> {
  sluice.upstream.enqueue({ fault: 'status_500' });
  const answer = await ask(body);
  const text = await answer.text();
  expect(providerOf(answer)).toBe('second');
  const id = /"id":\s*"(resp_[^"]+)"/.exec(text)?.[1] ?? '';
  return { id, text };
}

test.each([false, true])(
  'the next turn goes to who has stored the response (streamed: %p)',
  async (stream) => {
    const { id } = await answeredBySecond({ stream });
    const next = await ask({ previous_response_id: id, input: 'And then?' });
    expect(providerOf(next)).toBe('second');
    expect(sluice.upstream.requests.at(-1)?.body).toMatchObject({ previous_response_id: id });
    const explained = await sluice.post('/v1/explain?endpoint=/v1/responses', {
      model: 'double-1',
      previous_response_id: id,
      input: 'And then?',
    });
    expect(await explained.json()).toMatchObject({
      chosen: 'second',
      candidates: [{ provider: 'second' }],
      filtered: [{ provider: 'first', by: 'upstream_state' }],
    });
    // Another model of the same account can go on with it.
    expect(providerOf(await ask({ model: 'double-2', previous_response_id: id }))).toBe('second');
    // It is a word of the key's own: to another one, whose provider would know it too, it is unknown.
    sluice.upstream.forget();
    const stranger = { authorization: `Bearer ${otherToken}` };
    const refused = await ask({ previous_response_id: id }, stranger);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { param: 'previous_response_id', message: expect.stringContaining(`under ${id}, for this key`) },
    });
    expect(sluice.upstream.requests).toHaveLength(0);
    // What is unknown to everybody goes on, for the provider to judge.
    expect(providerOf(await ask({ previous_response_id: 'resp_of_long_ago' }, stranger))).toBe('first');
  },
);

test('an id that a self-hosted server may give twice is each key’s own', async () => {
  const responseId = 'resp_123456';
  const stranger = { authorization: `Bearer ${otherToken}` };
  const goOn = (headers: Record<string, string>) =>
    ask({ previous_response_id: responseId, input: 'And then?' }, headers);
  sluice.upstream.enqueue({ fault: 'status_500' }, { generate: { responseId } });
  const made = await ask({});
  expect([providerOf(made), (await made.json()).id]).toEqual(['second', responseId]);
  // Another key's is nothing that is known, as long as it has none.
  expect(providerOf(await goOn({ ...stranger, 'x-session-id': 'none' }))).toBe('first');
  sluice.upstream.enqueue({ generate: { responseId } });
  const own = await ask({}, { ...stranger, 'x-session-id': 'own' });
  expect([providerOf(own), (await own.json()).id]).toEqual(['first', responseId]);
  expect(providerOf(await goOn({ 'x-session-id': 'fresh' }))).toBe('second');
  expect(providerOf(await goOn({ ...stranger, 'x-session-id': 'new' }))).toBe('first');
});

const include = ['reasoning.encrypted_content'];

/** The conversation so far, with reasoning that the second provider has encrypted. */
async function encryptedBySecond() {
  sluice.upstream.enqueue({ fault: 'status_500' }, { generate: { reasoningTokens: 8, text: 'Hi' } });
  const answer = await ask({ store: false, include, reasoning: { effort: 'low' } });
  expect(providerOf(answer)).toBe('second');
  const { output } = await answer.json();
  const reasoning = output.find(({ type }: { type: string }) => type === 'reasoning');
  expect(reasoning.encrypted_content).toBeString();
  const input = [{ role: 'user', content: 'Hello' }, ...output, { role: 'user', content: 'And then?' }];
  return { input, without: input.filter((item) => item !== reasoning) };
}

test('encrypted reasoning goes back to who has encrypted it', async () => {
  const { input, without } = await encryptedBySecond();
  const next = await ask({ store: false, include, input });
  expect(next.status).toBe(200);
  expect(providerOf(next)).toBe('second');
  const stolen = await ask({ store: false, input }, { authorization: `Bearer ${otherToken}` });
  expect(stolen.status).toBe(400);
  const other = await ask({ store: false, input: without }, { 'x-session-id': 'fresh' });
  expect(providerOf(other)).toBe('first');
});

test('while its holder fails nobody else is asked, and the answer says how to go on', async () => {
  const { input } = await encryptedBySecond();
  sluice.upstream.forget();
  sluice.upstream.enqueue(...Array.from({ length: 3 }, () => ({ fault: 'status_500' }) as const));
  const answer = await ask({ store: false, include, input });
  expect(answer.status).toBe(409);
  expect(answer.headers.get('x-should-retry')).toBe('true');
  expect(await answer.json()).toMatchObject({
    error: {
      code: 'upstream_state_gone',
      param: 'input',
      message: expect.stringContaining('leave the reasoning items with encrypted_content out of input'),
    },
  });
  // Once more at the same, after a pause.
  expect(sluice.upstream.requests).toHaveLength(2);
});

test('what is kept here too is put together for who speaks another protocol', async () => {
  const { id } = await answeredBySecond();
  const converted = await ask({ model: 'converted', previous_response_id: id, input: 'And then?' });
  expect(converted.status).toBe(200);
  expect(providerOf(converted)).toBe('converted');
});

test('what others have answered since goes back to who holds the response that it began with', async () => {
  const { id } = await answeredBySecond();
  const turns = [id];
  for (const input of ['And then?', 'And after that?']) {
    const converted = await ask({ model: 'converted', previous_response_id: turns.at(-1), input });
    turns.push((await converted.json()).id);
  }
  const last = { previous_response_id: turns.at(-1), input: 'And last?' };
  expect(providerOf(await ask(last, { 'x-session-id': 'fresh' }))).toBe('second');
  const sent = sluice.upstream.requests.at(-1)?.body;
  expect(sent).toMatchObject({ previous_response_id: id });
  // The two turns since, each of a question and its answer, and the new question.
  expect(sent).toHaveProperty('input.length', 5);
});

test('what was made here from its beginning is held by nobody', async () => {
  const converted = await ask({ model: 'converted', input: 'Hello' });
  const previous_response_id = (await converted.json()).id;
  const next = await ask({ previous_response_id, input: 'And then?' }, { 'x-session-id': 'new' });
  expect([next.status, providerOf(next)]).toEqual([200, 'first']);
});

test('once its holder is gone that is said, and nobody is asked', async () => {
  const { id } = await answeredBySecond();
  const { storage, catalogue } = sluice.running.services;
  const setVisible = async (visible: boolean) => {
    await storage.db.update(providers).set({ visible }).where(eq(providers.name, 'second'));
    await catalogue.reload();
  };
  await setVisible(false);
  try {
    sluice.upstream.forget();
    const answer = await ask({ previous_response_id: id, input: 'And then?' });
    expect(answer.status).toBe(409);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(await answer.json()).toMatchObject({ error: { code: 'upstream_state_gone' } });
    // Of a hidden provider nobody hears.
    const explained = await sluice.post('/v1/explain?endpoint=/v1/responses', {
      model: 'double-1',
      input: 'Hello',
    });
    expect(await explained.json()).toMatchObject({
      chosen: 'first',
      filtered: [],
      models: [{ filtered: [] }],
    });
    expect(sluice.upstream.requests).toHaveLength(0);
  } finally {
    await setVisible(true);
  }
});

test('a response that its key has deleted is gone on with by nobody, though its provider has it', async () => {
  const { id } = await answeredBySecond();
  const deleted = await fetch(`${sluice.url}/v1/responses/${id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${sluice.token}` },
  });
  expect(await deleted.json()).toMatchObject({ id, deleted: true });
  sluice.upstream.forget();
  const next = await ask({ previous_response_id: id, input: 'And then?' });
  expect(next.status).toBe(400);
  expect(await next.json()).toMatchObject({ error: { param: 'previous_response_id' } });
  expect(sluice.upstream.requests).toEqual([]);
});
