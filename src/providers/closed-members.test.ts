import { describe, expect, test } from 'bun:test';
import { closedMembersAt, providerAdapters } from './index.ts';

function closedAt(kind: string, baseUrl: string | null, name: string): string | undefined {
  const adapter = providerAdapters.get(kind);
  if (adapter === undefined) throw new Error(`there is no kind ${kind}`);
  return closedMembersAt(adapter, baseUrl)({ model: 'm', [name]: ['x'] });
}

describe('what a caller must not send on', () => {
  test.each([
    ['openrouter', 'models'],
    ['openrouter', 'provider'],
    ['litellm', 'api_base'],
    ['litellm', 'mock_response'],
    ['litellm', 'context_window_fallback_dict'],
    ['groq', 'compound_custom'],
    ['alibaba', 'enable_search'],
    ['perplexity', 'models'],
    ['perplexity', 'preset'],
    ['alibaba', 'search_options'],
    ['sglang', 'lora_path'],
    ['vllm', 'kv_transfer_params'],
    ['anthropic', 'fallbacks'],
  ])('%s lists %s as its own', (kind, name) => {
    expect(closedAt(kind, null, name)).toBe(name);
  });

  test.each([
    'models',
    'route',
    'plugins',
    'preset',
    'fallbacks',
    'api_base',
    'base_url',
    'api_key',
    'mock_response',
    'aws_region_name',
    'orq',
  ])('a row with an address of its own closes %s, whatever its kind', (name) => {
    for (const kind of providerAdapters.keys()) expect(closedAt(kind, 'http://127.0.0.1:1', name)).toBe(name);
  });

  test('case does not open them', () => {
    for (const name of ['Models', 'API_BASE', 'Mock_Response', 'model\u017f']) {
      expect(closedAt('openai', 'http://127.0.0.1:1', name)).toBe(name);
    }
  });

  test('what the official clients send goes on', () => {
    const usual = [
      ...['messages', 'tools', 'store', 'metadata', 'service_tier', 'prompt_cache_key', 'safety_identifier'],
      ...[
        'container',
        'mcp_servers',
        'context_management',
        'prediction',
        'top_k',
        'guided_json',
        'chat_template_kwargs',
      ],
    ];
    for (const name of usual) expect(closedAt('openai', 'http://127.0.0.1:1', name)).toBeUndefined();
    expect(closedAt('openai', null, 'models')).toBeUndefined();
  });

  test('an absent field may be null', () => {
    const adapter = providerAdapters.get('openrouter');
    if (adapter === undefined) throw new Error('there is no such kind');
    expect(closedMembersAt(adapter, null)({ models: null })).toBeUndefined();
  });
});
