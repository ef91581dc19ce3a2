import { describe, expect, test } from 'bun:test';
import { readChatRequest } from '../../protocols/chat-completions/request.ts';
import type { TurnRequest } from '../../protocols/turn/request.ts';
import type { UpstreamTask } from '../provider.ts';
import { fixturesIn } from '../testing/vendor-double.ts';
import { plainConversation } from './conversation.test-data.ts';
import { openai, presetAdapters } from './openai.ts';

const fixture = fixturesIn(import.meta.dir);

const taskAt = (baseUrl: string | null, secret: string | null = 'k'): UpstreamTask => ({
  target: { name: 'main', baseUrl, region: null, secret, settings: {} },
  model: 'm',
  stream: false,
  body: '',
  forwarded: {},
});

const chat = openai.supports({}).chat?.find(({ protocol }) => protocol.name === 'chat-completions');
if (chat === undefined) throw new Error('openai chats');
const request = readChatRequest('{"model":"m","messages":[{"role":"user","content":"hi"}]}');

describe('openai', () => {
  test.each(['https://api.example/v1', 'https://api.example/v1/', 'https://api.example/v1//'])(
    'addresses chat completions under the base URL %p',
    async (baseUrl) => {
      expect((await chat.address(taskAt(baseUrl))).url).toBe('https://api.example/v1/chat/completions');
    },
  );

  test('lives at its own address unless a row says otherwise', async () => {
    expect((await chat.address(taskAt(null))).url).toBe('https://api.openai.com/v1/chat/completions');
  });

  test('sends the credential as a bearer token, and none when there is none', async () => {
    expect((await chat.address(taskAt(null))).headers['authorization']).toBe('Bearer k');
    expect((await chat.address(taskAt(null, null))).headers).not.toHaveProperty('authorization');
    expect(openai.needsCredential).toBe(false);
  });

  test('takes a host of one’s own for one that knows what all know', () => {
    const tools = [{ kind: 'custom', name: 'patch' } as const];
    const vendorFields = { store: true, verbosity: 'low', prompt_cache_key: 'k' };
    const turn: TurnRequest = { ...plainConversation, tools, vendor: { openai: vendorFields } };
    const writtenAt = (baseUrl: string | null, id: string) => {
      const spoken = openai.supports({ protocols: ['chat-completions'] }, baseUrl).chat?.[0]?.protocol;
      return JSON.parse(spoken?.writeRequest(turn, { id }) ?? '');
    };
    const own = writtenAt('http://gpu.example:8000/v1', 'qwen3');
    expect(own).toMatchObject({
      max_tokens: 900,
      reasoning_effort: 'medium',
      tools: [{ type: 'function', function: { name: 'patch' } }],
    });
    for (const name of Object.keys(vendorFields)) expect(own).not.toHaveProperty(name);
    const atOpenai = writtenAt(null, 'gpt-5.2');
    expect(atOpenai).toMatchObject({
      ...vendorFields,
      max_completion_tokens: 900,
      tools: [{ type: 'custom' }],
    });
    expect(writtenAt('http://proxy.example/v1', 'gpt-5.2')).toHaveProperty('max_completion_tokens', 900);
  });

  test('a whole answer passes byte for byte, with its counts', () => {
    const body = fixture('whole.json');
    const answer = chat.protocol.passthrough?.readAnswer(body, request);
    expect(answer?.body).toBe(body);
    expect(answer?.usage).toMatchObject({ inputTokens: 21, cacheReadTokens: 0, outputTokens: 8 });
  });

  test('a refusal is read', () => {
    expect(chat.protocol.passthrough?.readComplaint(fixture('invalid-key.json'))).toMatchObject({
      code: 'invalid_api_key',
      type: 'invalid_request_error',
    });
  });
});

describe('the protocols of a row', () => {
  const spoken = (kind: string, settings: Record<string, unknown>, baseUrl = 'http://h.example/v1') =>
    [openai, ...presetAdapters]
      .find((adapter) => adapter.kind === kind)
      ?.supports(settings, baseUrl)
      .chat?.map(({ protocol }) => protocol.name);

  test('are chat completions, unless it chooses or the kind offers more', () => {
    expect(spoken('openai', {})).toEqual(['chat-completions']);
    expect(spoken('xai', {})).toEqual(['chat-completions', 'responses']);
    expect(spoken('groq', {})).toEqual(['chat-completions']);
  });

  test.each(['https://api.openai.com/v1', 'https://eu.api.openai.com/v1'])(
    'are both at OpenAI itself, responses before the other: %s',
    (baseUrl) => {
      expect(spoken('openai', {}, baseUrl)).toEqual(['responses', 'chat-completions']);
      expect(spoken('openai', { protocols: ['responses'] }, baseUrl)).toEqual(['responses']);
    },
  );

  test('are those that it names, in its order', async () => {
    expect(spoken('openai', { protocols: ['responses', 'chat-completions'] })).toEqual([
      'responses',
      'chat-completions',
    ]);
    expect(spoken('groq', { protocols: ['responses'] })).toEqual(['responses']);
    const [responses] = openai.supports({ protocols: ['responses'] }).chat ?? [];
    expect((await responses?.address(taskAt('http://h.example/v1')))?.url).toBe(
      'http://h.example/v1/responses',
    );
  });

  test('are the same objects for every row, so that nothing is kept twice', () => {
    expect(openai.supports({}).chat?.[0]?.protocol).toBe(openai.supports({}).chat?.[0]?.protocol);
  });

  test.each([
    [{ protocols: 'responses' }, 'protocols: expected a list'],
    [{ protocols: [] }, 'protocols: expected a list'],
    [{ protocols: ['messages'] }, 'protocols: expected a list'],
    [{ protocols: ['responses', 'responses'] }, 'protocols: names one twice'],
    [{ protocol: ['responses'] }, 'protocol: is not a setting of this kind'],
  ])('are refused as %j', (settings, sentence) => {
    expect(() => openai.checkSettings?.(settings)).toThrow(sentence);
  });

  test('cannot be one that the host is not known to speak', () => {
    const mistral = presetAdapters.find(({ kind }) => kind === 'mistral');
    expect(() => mistral?.checkSettings?.({ protocols: ['responses'] })).toThrow('mistral is not known to');
    expect(() => mistral?.checkSettings?.({ protocols: ['chat-completions'] })).not.toThrow();
    expect(() => openai.checkSettings?.({})).not.toThrow();
  });
});
