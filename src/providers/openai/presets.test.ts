/** Every preset: where requests go, with which headers, and how a conversation is written for the host. */
import { afterEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readChatRequest } from '../../protocols/chat-completions/request.ts';
import type { UpstreamTask } from '../provider.ts';
import { askVendor, serveVendor, type VendorDouble } from '../testing/vendor-double.ts';
import { conversation } from './conversation.test-data.ts';
import { presetAdapters, presets } from './openai.ts';

const fixture = (...path: string[]): string =>
  readFileSync(join(import.meta.dir, 'fixtures', ...path), 'utf8');

let vendor: VendorDouble | undefined;
afterEach(() => vendor?.stop());

const taskAt = (baseUrl: string | null, secret: string | null = 'k'): UpstreamTask => ({
  target: { name: 'main', baseUrl, region: null, secret, settings: {} },
  model: 'm',
  stream: false,
  body: '',
  forwarded: {},
});

/** Kind, a model of the host's, and the address of its chat completions; null where every row says its own. */
const table = [
  ['mistral', 'mistral-medium-latest', 'https://api.mistral.ai/v1/chat/completions'],
  ['deepseek', 'deepseek-v4-pro', 'https://api.deepseek.com/v1/chat/completions'],
  ['xai', 'grok-4.3', 'https://api.x.ai/v1/chat/completions'],
  ['moonshot', 'kimi-k3', 'https://api.moonshot.ai/v1/chat/completions'],
  ['alibaba', 'qwen3.8-max', 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1/chat/completions'],
  ['zai', 'glm-5.3', 'https://api.z.ai/api/paas/v4/chat/completions'],
  ['minimax', 'MiniMax-M3', 'https://api.minimax.io/v1/chat/completions'],
  ['groq', 'openai/gpt-oss-120b', 'https://api.groq.com/openai/v1/chat/completions'],
  ['openrouter', 'anthropic/claude-sonnet-5.5', 'https://openrouter.ai/api/v1/chat/completions'],
  ['together', 'zai-org/GLM-5.3', 'https://api.together.xyz/v1/chat/completions'],
  [
    'fireworks',
    'accounts/fireworks/models/kimi-k3',
    'https://api.fireworks.ai/inference/v1/chat/completions',
  ],
  ['cerebras', 'gpt-oss-120b', 'https://api.cerebras.ai/v1/chat/completions'],
  ['sambanova', 'gpt-oss-120b', 'https://api.sambanova.ai/v1/chat/completions'],
  ['nvidia', 'openai/gpt-oss-120b', 'https://integrate.api.nvidia.com/v1/chat/completions'],
  ['huggingface', 'openai/gpt-oss-120b', 'https://router.huggingface.co/v1/chat/completions'],
  ['deepinfra', 'deepseek-ai/DeepSeek-V4-Flash', 'https://api.deepinfra.com/v1/openai/chat/completions'],
  ['novita', 'zai-org/glm-5.3', 'https://api.novita.ai/v3/openai/chat/completions'],
  ['vllm', 'qwen', 'http://127.0.0.1:8000/v1/chat/completions'],
  ['ollama', 'qwen3:8b', 'http://127.0.0.1:11434/v1/chat/completions'],
  ['lmstudio', 'qwen', 'http://127.0.0.1:1234/v1/chat/completions'],
  ['llamacpp', 'qwen', null],
  ['sglang', 'qwen', 'http://127.0.0.1:30000/v1/chat/completions'],
  ['litellm', 'claude', null],
] as const;

function chatOf(kind: string) {
  const adapter = presetAdapters.find((one) => one.kind === kind);
  const [chat] = adapter?.supports({}).chat ?? [];
  if (adapter === undefined || chat === undefined) throw new Error(`${kind} does not chat`);
  return { adapter, chat };
}

test('the table has every preset', () => {
  const kinds: readonly string[] = table.map(([kind]) => kind);
  // Perplexity has no chat completions: perplexity.test.ts.
  expect(kinds).toEqual(presets.flatMap(({ kind }) => (kind === 'perplexity' ? [] : [kind])));
  expect(new Set(kinds).size).toBe(kinds.length);
});

describe.each(table)('%s', (kind, model, url) => {
  const { adapter, chat } = chatOf(kind);

  test('is addressed where it lives, or where its row says', async () => {
    expect(adapter.defaultBaseUrl === null).toBe(url === null);
    if (url !== null) expect((await chat.address(taskAt(null))).url).toBe(url);
    expect((await chat.address(taskAt('https://proxy.example/v1/'))).url).toBe(
      'https://proxy.example/v1/chat/completions',
    );
  });

  test('needs a credential where the host is somebody else’s', () => {
    const preset = presets.find((one) => one.kind === kind);
    expect(adapter.needsCredential).toBe(preset?.keyVariable !== null);
  });

  test('gets a conversation in its own dialect', () => {
    const written: unknown = JSON.parse(chat.protocol.writeRequest(conversation, { id: model }));
    expect(written).toEqual(JSON.parse(fixture('requests', `${kind}.json`)));
  });

  test('gets a request of its own protocol with the credential, and its answer passes', async () => {
    vendor = serveVendor(fixture('whole.json'));
    const request = readChatRequest('{"model":"m","messages":[{"role":"user","content":"Which way?"}]}');
    const body = chat.protocol.passthrough?.writeRequest(request, model) ?? '';
    const text = await askVendor(chat.address(taskAt(`${vendor.url}/v1`)), body);
    expect(vendor.requests).toMatchObject([{ path: '/v1/chat/completions', body: { model } }]);
    const headers = vendor.requests[0]?.headers;
    expect(headers?.get('authorization')).toBe('Bearer k');
    expect(headers?.get('content-type')).toBe('application/json');
    expect(chat.protocol.passthrough?.readAnswer(text, request)).toMatchObject({ body: text });
  });
});

describe('other work', () => {
  const worksOf = (kind: string) => {
    const supports = presetAdapters.find((one) => one.kind === kind)?.supports({});
    return Object.keys(supports ?? {}).toSorted();
  };

  test.each([
    ['groq', ['chat', 'speech', 'transcription', 'translation']],
    ['mistral', ['chat', 'embeddings', 'transcription']],
    ['together', ['chat', 'embeddings', 'rerank']],
    ['vllm', ['chat', 'embeddings', 'rerank', 'transcription', 'translation']],
    ['perplexity', ['chat']],
  ])('of %s is %p', (kind, works) => {
    expect(worksOf(kind)).toEqual(works);
  });

  test('goes to the paths of the interface, beside chat', async () => {
    const supports = presetAdapters.find(({ kind }) => kind === 'litellm')?.supports({});
    const task = taskAt('http://proxy.example/v1', null);
    const addressed = await Promise.all(
      [supports?.embeddings, supports?.rerank, supports?.transcription, supports?.speech].map((support) =>
        support?.address(task),
      ),
    );
    expect(addressed.map((address) => address?.url)).toEqual([
      'http://proxy.example/v1/embeddings',
      'http://proxy.example/v1/rerank',
      'http://proxy.example/v1/audio/transcriptions',
      'http://proxy.example/v1/audio/speech',
    ]);
    expect(addressed[0]?.headers).not.toHaveProperty('authorization');
  });
});

test.each(presets.map((preset) => [preset.kind, preset] as const))(
  'what is known of %s has a public source and a date',
  (_, { source, asOf }) => {
    expect(source).toStartWith('https://');
    expect(asOf).toMatch(/^20\d\d-(?:0[1-9]|1[0-2])$/);
  },
);
