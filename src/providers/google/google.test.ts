import { describe, expect, test } from 'bun:test';
import { googleUpstream } from '../../protocols/google/protocol.ts';
import { ComplaintError } from '../../protocols/translator.ts';
import type { UpstreamTask } from '../provider.ts';
import { fixturesIn } from '../testing/vendor-double.ts';
import { google } from './google.ts';

const fixture = fixturesIn(import.meta.dir);
const { chat, countTokens, embeddings } = google.supports({});
const target = { name: 'main', baseUrl: null, region: null, secret: 'k', settings: {} };
const task = (changed: Partial<UpstreamTask> = {}): UpstreamTask => ({
  target,
  model: 'gemini-2.5-flash',
  stream: false,
  body: '',
  forwarded: {},
  ...changed,
});
const host = 'https://generativelanguage.googleapis.com/v1beta';

describe('google', () => {
  test('asks for whole answers and for streams at addresses of their own', async () => {
    const whole = await chat?.[0]?.address(task());
    const streamed = await chat?.[0]?.address(task({ stream: true }));
    expect(whole?.url).toBe(`${host}/models/gemini-2.5-flash:generateContent`);
    expect(streamed?.url).toBe(`${host}/models/gemini-2.5-flash:streamGenerateContent?alt=sse`);
  });

  test.each(['http://proxy.example/v1beta', 'http://proxy.example/v1beta//'])(
    'a base URL of the row takes the place of its own: %p',
    async (baseUrl) => {
      const address = await chat?.[0]?.address(task({ target: { ...target, baseUrl } }));
      expect(address?.url).toBe('http://proxy.example/v1beta/models/gemini-2.5-flash:generateContent');
    },
  );

  test.each([
    ['models/gemini-2.5-pro', 'models/gemini-2.5-pro'],
    ['tunedModels/lock-keeper-1', 'tunedModels/lock-keeper-1'],
    ['a?b:c', 'models/a%3Fb%3Ac'],
  ])('the model %p stands in the address as %p', async (model, path) => {
    const address = await chat?.[0]?.address(task({ model }));
    expect(address?.url).toBe(`${host}/${path}:generateContent`);
  });

  test('sends the credential in a header of its own, never in the address', async () => {
    const address = await chat?.[0]?.address(task({ target: { ...target, secret: 's3cret' } }));
    expect(address?.headers).toMatchObject({
      'x-goog-api-key': 's3cret',
      'content-type': 'application/json',
    });
    expect(address?.headers).not.toHaveProperty('authorization');
    expect(address?.url).not.toContain('s3cret');
  });

  test('a row of this kind needs a credential, and no address', () => {
    expect(google).toMatchObject({ kind: 'google', needsCredential: true, defaultBaseUrl: host });
  });

  test('a whole answer is read: thought, text with its signature, a call without an id, disjoint counts', () => {
    const answer = googleUpstream.readAnswer(JSON.parse(fixture('whole.json')));
    expect(answer).toEqual({
      id: 'F1xtureWholeAnswer0',
      model: 'gemini-3-flash-preview',
      choices: [
        {
          content: [
            { type: 'thinking', text: '**Weighing the tide**\n\nThe lock opens only at high water.' },
            { type: 'text', text: 'Sail at four.' },
            {
              type: 'redacted_thinking',
              signature: { origin: 'google', value: 'EtQBF1xtureSignatureOfTheTide==' },
            },
            {
              type: 'tool_use',
              id: 'call_F1xtureWholeAnswer0_0_0',
              name: 'book_lock',
              input: '{"hour":16}',
            },
          ],
          stop: { reason: 'tool_use' },
        },
      ],
      usage: {
        inputTokens: 216,
        cacheReadTokens: 1024,
        cacheWrite5mTokens: 0,
        cacheWrite1hTokens: 0,
        outputTokens: 80,
        reasoningTokens: 59,
        estimated: false,
      },
    });
  });

  test('a bad key is told with status 400, and is still a matter of our credentials', () => {
    const complaint = googleUpstream.readComplaint(fixture('invalid-key.json'));
    expect(complaint).toMatchObject({ code: 'API_KEY_INVALID', type: 'INVALID_ARGUMENT', status: 400 });
  });

  test('a refusal inside a list is read, and in a whole answer it is a complaint', () => {
    expect(googleUpstream.readComplaint(fixture('overloaded.json'))).toEqual({
      message: 'Too many boats in the lock.',
      code: 'UNAVAILABLE',
      type: 'UNAVAILABLE',
      param: null,
      status: 503,
    });
    expect(() => googleUpstream.readAnswer(JSON.parse(fixture('overloaded.json')))).toThrow(ComplaintError);
  });
});

describe('counting tokens', () => {
  test('asks with the whole chat request, which then names its model', async () => {
    const address = await countTokens?.address(task());
    expect(address?.url).toBe(`${host}/models/gemini-2.5-flash:countTokens`);
    const body = countTokens?.protocol.writeRequest('{"contents":[]}', 'gemini-2.5-flash') ?? '';
    expect(JSON.parse(body)).toEqual({
      generateContentRequest: { model: 'models/gemini-2.5-flash', contents: [] },
    });
    expect(countTokens?.protocol.chat).toBe(googleUpstream);
  });

  test('reads the count, and says when there is none', () => {
    expect(countTokens?.protocol.readCount(JSON.parse(fixture('count.json')))).toBe(31);
    expect(countTokens?.protocol.readCount({ totalTokens: 'many' })).toBeNull();
    expect(countTokens?.protocol.readCount([])).toBeNull();
  });
});

describe('embeddings', () => {
  test('go to the method for many inputs, and are read in order', async () => {
    const address = await embeddings?.address(task({ model: 'gemini-embedding-001' }));
    expect(address?.url).toBe(`${host}/models/gemini-embedding-001:batchEmbedContents`);
    expect(embeddings?.protocol.readAnswer(JSON.parse(fixture('embeddings.json')), 2)).toEqual({
      vectors: [
        [0.0125, -0.75, 0.5],
        [1, 0, -0.0625],
      ],
      inputTokens: null,
    });
  });
});
