import { expect, test } from 'bun:test';
import { mostHostedUse } from './request-bounds.ts';

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
  ['google', { tools: [{ functionDeclarations: [{ name: 'mine' }] }] }, null],
  ['google', { tools: [{ functionDeclarations: [], googleSearch: {} }] }, { web_search: 10 }],
])('in %s, of %j at most %j are used', (protocol, json, most) => {
  const use = mostHostedUse(protocol, json as Record<string, unknown>);
  if (most === null) expect(use).toBeNull();
  else expect(use).toMatchObject(most);
});
