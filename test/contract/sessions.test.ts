/** A conversation stays with its provider, whatever names it, and nothing of it is another caller's. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
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
const lockedToken = newToken();

beforeAll(async () => {
  sluice = await startTestSluice({
    variables: { SLUICE_UPSTREAM_HEALTH: 'on' },
    file: (url) => ({
      providers: ['first', 'second'].map((name) => ({
        ...usualProvider(url),
        name,
        credentials: [{ name: 'k1', api_key: `${name}-key` }],
      })),
      models: [
        {
          ...usualModel,
          providers: ['first', 'second'].map((provider) => ({ provider, upstream_id: 'double-1-2026' })),
        },
      ],
      keys: [
        { name: 'other', owner, token: otherToken },
        { name: 'locked', owner, token: lockedToken, allowed_providers: ['second'] },
      ],
    }),
  });
});
afterAll(() => sluice.stop());
beforeEach(() => sluice.upstream.forget());

const user = (content: string) => ({ role: 'user', content });
const assistant = { role: 'assistant', content: 'Hi' };

const ask = (body: object, headers: Record<string, string> = {}, path = '/v1/chat/completions') =>
  sluice.post(path, { model: 'double-1', max_tokens: 50, messages: [user('Hello')], ...body }, headers);

const providerOf = (answer: Response) => answer.headers.get('x-sluice-provider');

/** The first provider refuses one request, so that the conversation is answered by the second. */
function failOnce(): void {
  sluice.upstream.enqueue({ fault: 'status_500' });
}

test.each([
  ['by header', {}, { 'x-session-id': 'by-header' }, 'by-header; source=x-session-id; confidence=given'],
  ['in the body', { metadata: { session_id: 'b' } }, {}, 'b; source=metadata.session_id; confidence=given'],
  [
    'by an agent',
    {},
    { 'x-claude-code-session-id': 'c' },
    'c; source=x-claude-code-session-id; confidence=known',
  ],
])('a session that is named %s keeps its provider, and is told', async (_how, body, headers, told) => {
  failOnce();
  const answers = [];
  for (let at = 0; at < 3; at += 1) answers.push(await ask(body, headers));
  expect(answers.map(providerOf)).toEqual(['second', 'second', 'second']);
  const [first, ...later] = answers.map((answer) => answer.headers.get('x-sluice-session'));
  expect(first).toBe(`${told}; provider=new`);
  expect(later).toEqual(Array(2).fill(`${told}; provider=kept`));
  expect(providerOf(await ask({ messages: [user('Something else')] }))).toBe('first');
});

test('a conversation that nobody names is known by its beginning, at another endpoint too', async () => {
  const messages = [user('Which way?')];
  failOnce();
  expect(providerOf(await ask({ messages }))).toBe('second');
  const longer = [...messages, assistant, user('And then?')];
  const next = await ask({ messages: longer }, {}, '/v1/messages');
  expect(providerOf(next)).toBe('second');
  expect(next.headers.get('x-sluice-session')).toMatch(
    /^[0-9a-f]{16}; source=conversation; confidence=inferred; provider=kept$/,
  );
  // Another conversation that begins alike goes where all go.
  expect(providerOf(await ask({ messages }))).toBe('first');
});

test('the same word of another key is another conversation', async () => {
  const headers = { 'x-session-id': 'shared word' };
  failOnce();
  expect(providerOf(await ask({}, headers))).toBe('second');
  const other = await ask({}, { ...headers, authorization: `Bearer ${otherToken}` });
  expect(providerOf(other)).toBe('first');
  expect(other.headers.get('x-sluice-session')).toEndWith('provider=new');
});

test('a client that leaves a stream does not keep its conversation where it left', async () => {
  const headers = { 'x-session-id': 'left' };
  failOnce();
  sluice.upstream.enqueue({ generate: { tokens: 1000 }, shape: { chunkDelayMs: 20 } });
  const answer = await ask({ stream: true }, headers);
  expect(providerOf(answer)).toBe('second');
  const reader = answer.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await sluice.nextUsage(({ outcome }) => outcome === 'client_closed');
  expect(providerOf(await ask({}, headers))).toBe('first');
});

test('an answer says why it came from where it came, to who asks', async () => {
  const headers = { 'x-session-id': 'asked why', 'x-sluice-explain': '1' };
  failOnce();
  const decisions = [];
  for (let at = 0; at < 2; at += 1) {
    const answer = await ask({ stream: at === 1 }, headers);
    decisions.push(JSON.parse(answer.headers.get('x-sluice-decision') ?? 'null'));
    await answer.text();
  }
  expect(decisions[0]).toMatchObject({
    why: 'failed_over',
    chosen: 'second',
    session: { source: 'x-session-id', kept: null },
    candidates: [{ provider: 'first' }, { provider: 'second' }],
    attempts: [
      { provider: 'first', status: 500, error: 'upstream_failed' },
      { provider: 'second', status: 200, error: null, why: 'failed_over' },
    ],
  });
  expect(decisions[1]).toMatchObject({
    why: 'session',
    session: { kept: true },
    attempts: [{ provider: 'second', why: 'session' }],
  });
  expect((await ask({})).headers.has('x-sluice-decision')).toBe(false);
  const stored = await sluice.nextUsage(
    ({ labels, attempts }) => labels?.sessionId === 'asked why' && attempts === 2,
  );
  expect(stored.attemptRecords).toMatchObject([
    { provider: 'first' },
    { provider: 'second', why: 'failed_over' },
  ]);
});

test('who would be asked is told beforehand, and nobody is asked', async () => {
  const explain = async (headers: Record<string, string> = {}) => {
    const answer = await ask({}, headers, '/v1/explain');
    return { status: answer.status, told: await answer.json() };
  };
  const headers = { 'x-session-id': 'told before' };
  failOnce();
  await ask({}, headers);
  const asked = sluice.upstream.requests.length;
  expect(await explain({ 'x-session-id': 'nobody knows it' })).toMatchObject({
    status: 200,
    told: { model: 'double-1', why: 'first', chosen: 'first', filtered: [], attempts: [] },
  });
  expect((await explain(headers)).told).toMatchObject({
    why: 'session',
    chosen: 'second',
    session: { kept: true },
  });
  expect((await explain({ authorization: `Bearer ${lockedToken}` })).told).toMatchObject({
    ...{ why: 'only', chosen: 'second', candidates: [{ provider: 'second' }] },
    filtered: [{ provider: 'first', by: 'key_providers' }],
  });
  expect(sluice.upstream.requests).toHaveLength(asked);
});
