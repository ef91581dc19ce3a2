import { describe, expect, test } from 'bun:test';
import { readBounds, withOutputCap } from './request-bounds.ts';

function capped(protocol: string, text: string, cap: number): unknown {
  const request = { text, json: JSON.parse(text), model: 'm', stream: false, wantsStreamUsage: false };
  const after = withOutputCap(protocol, request, cap);
  if (after === null) return null;
  const bound = readBounds(protocol, after.json).outputTokens;
  expect(bound).toBeLessThanOrEqual(cap);
  expect(readBounds(protocol, JSON.parse(after.text)).outputTokens).toBe(bound);
  return after.text;
}

describe('an answer is held to fewer tokens', () => {
  test.each([
    ['chat-completions', '{"a":1}', '{"max_tokens":100,"a":1}'],
    ['chat-completions', '{"max_completion_tokens": 900,"a":1}', '{"max_completion_tokens": 100,"a":1}'],
    [
      'chat-completions',
      '{"max_tokens":50,"max_completion_tokens":900}',
      '{"max_tokens":50,"max_completion_tokens":100}',
    ],
    ['chat-completions', '{"max_tokens": null}', '{"max_tokens": 100}'],
    ['chat-completions', '{"thinking_budget":80}', '{"max_tokens":50,"thinking_budget":50}'],
    [
      'chat-completions',
      '{"reasoning":{"max_tokens":2000}}',
      '{"max_tokens":100,"reasoning":{"effort":"low"}}',
    ],
    ['messages', '{"max_tokens":900}', '{"max_tokens":100}'],
    [
      'messages',
      '{"max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":4000}}',
      '{"max_tokens":100,"thinking":{"type":"disabled"}}',
    ],
    ['responses', '{"input":1e400}', '{"max_output_tokens":100,"input":1e400}'],
    ['native', '{"max_output_tokens":900}', '{"max_output_tokens":100}'],
    ['google', '{"contents":[]}', '{"generationConfig":{"maxOutputTokens":100},"contents":[]}'],
    [
      'google',
      '{"generation_config": {"max_output_tokens":900,"topP":0.10},"contents":[]}',
      '{"generation_config": {"max_output_tokens":100,"topP":0.1},"contents":[]}',
    ],
    ['google', '{"generationConfig":null}', '{"generationConfig":{"maxOutputTokens":100}}'],
    [
      'google',
      '{"generationConfig":{"thinkingConfig":{"thinkingBudget":900}}}',
      '{"generationConfig":{"thinkingConfig":{"thinkingBudget":128},"maxOutputTokens":100}}',
    ],
  ])('in %s, of %s', (protocol, before, after) => {
    expect(capped(protocol, before, 100)).toBe(after);
  });

  test('in a budget for thinking that leaves half of it to the answer', () => {
    const text = '{"max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":4000}}';
    expect(capped('messages', text, 3001)).toBe(
      '{"max_tokens":3001,"thinking":{"type":"enabled","budget_tokens":1500}}',
    );
  });

  test('but not where its upstream would refuse a bound', () => {
    expect(capped('native', '{"input":[]}', 100)).toBeNull();
  });
});

describe('what a request may cost is told in whole numbers', () => {
  test.each([
    ['chat-completions', { n: 10.3 }, null, 11],
    ['chat-completions', { n: -2.5, max_tokens: 7.5 }, 8, 1],
    ['chat-completions', { n: 1e300 }, null, 128],
    ['native', { max_output_tokens: 10.5 }, 11, 1],
    ['google', { generation_config: { max_output_tokens: 10.5, candidate_count: 2.5 } }, 11, 3],
    ['google', { generationConfig: { candidateCount: 4 } }, null, 4],
  ])('in %s, of %j', (protocol, json, outputTokens, choices) => {
    expect(readBounds(protocol, json)).toEqual({ outputTokens, choices });
  });
});
