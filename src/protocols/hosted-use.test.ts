import { expect, test } from 'bun:test';
import { mostHostedUse } from './hosted-use.ts';

test.each<[string, object, object | null]>([
  ['chat-completions', { tools: [{ type: 'function' }, { type: 'custom' }] }, null],
  ['chat-completions', { web_search_options: {} }, { web_search: 10, steps: 10 }],
  ['messages', { tools: [{ name: 'mine' }, { type: 'bash_20250124' }] }, null],
  ['messages', { tools: [{ type: 'web_search_20250305', max_uses: 3 }] }, { web_search: 3, steps: 3 }],
  [
    'messages',
    { tools: [{ type: 'web_fetch_20250910', max_uses: 2, max_content_tokens: 500 }] },
    { web_search: 0, steps: 2, tokensPerStep: 500 },
  ],
  [
    'responses',
    { tools: [{ type: 'file_search' }, { type: 'image_generation' }], max_tool_calls: 4 },
    { file_search: 4, image: 4, steps: 4, tools: 2 },
  ],
  ['chat-completions', { web_search_options: {}, max_uses: 0 }, { web_search: 10, steps: 10 }],
  ['chat-completions', { web_search_options: {}, max_tool_calls: 0 }, { web_search: 10, steps: 10 }],
  [
    'messages',
    { tools: [{ type: 'web_search_20250305' }], max_tool_calls: 0 },
    { web_search: 10, steps: 10 },
  ],
  ['messages', { tools: [{ type: 'code_execution_20250825', max_uses: 0 }] }, { container: 10, steps: 10 }],
  [
    'responses',
    { tools: [{ type: 'web_search', max_uses: 0, max_content_tokens: 0 }] },
    { web_search: 10, tokensPerStep: 16_000 },
  ],
  [
    'google',
    { tools: [{ googleSearch: {}, max_uses: 0 }], max_tool_calls: 0 },
    { web_search: 10, steps: 10 },
  ],
  [
    'responses',
    { tools: [{ type: 'namespace', name: 'a', tools: [{ type: 'web_search' }] }] },
    { web_search: 10, tools: 1 },
  ],
  [
    'responses',
    { input: [{ type: 'additional_tools', tools: [{ type: 'function' }, { type: 'file_search' }] }] },
    { file_search: 10, tools: 1 },
  ],
  ['google', { tools: [{ functionDeclarations: [{ name: 'mine' }] }] }, null],
  ['google', { tools: [{ functionDeclarations: [], googleSearch: {} }] }, { web_search: 10 }],
])('in %s, of %j at most %j are used', (protocol, json, most) => {
  const use = mostHostedUse(protocol, json as Record<string, unknown>, true);
  if (most === null) expect(use).toBeNull();
  else expect(use).toMatchObject(most);
});

test.each<[string, object]>([
  ['messages', { tools: [{ type: 'web_search_20250305', max_uses: 3 }] }],
  ['responses', { tools: [{ type: 'web_search' }], max_tool_calls: 3 }],
])('in %s, a bound of %j holds only where the request is sent on as it came', (protocol, json) => {
  const of = (isPassed: boolean) => mostHostedUse(protocol, json as Record<string, unknown>, isPassed);
  expect(of(true)).toMatchObject({ web_search: 3, steps: 3 });
  expect(of(false)).toMatchObject({ web_search: 10, steps: 10 });
});
