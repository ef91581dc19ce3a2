import { describe, expect, test } from 'bun:test';
import { readMessagesUsage } from './outcome.ts';

const whole = { input_tokens: 300, output_tokens: 40, cache_read_input_tokens: 5 };
const answer = { type: 'message', ...whole };
const compaction = {
  type: 'compaction',
  input_tokens: 9000,
  output_tokens: 700,
  cache_read_input_tokens: 80,
  cache_creation_input_tokens: 60,
  cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 40 },
};
const counts = {
  inputTokens: 300,
  cacheReadTokens: 5,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  outputTokens: 40,
  reasoningTokens: 0,
  estimated: false,
};

describe('the counts of an answer in several steps', () => {
  test('are those of all the steps, the compaction too', () => {
    expect(readMessagesUsage({ ...whole, iterations: [compaction, answer] })).toEqual({
      inputTokens: 9300,
      cacheReadTokens: 85,
      cacheWrite5mTokens: 20,
      cacheWrite1hTokens: 40,
      outputTokens: 740,
      reasoningTokens: 0,
      estimated: false,
    });
  });

  test.each([
    ['no list of steps', undefined],
    ['nothing for one', null],
    ['an empty one', []],
    ['one step', [answer]],
    ['steps from before the end', [{ ...answer, output_tokens: 1 }]],
  ])('are those of the whole with %s', (_, iterations) => {
    expect(readMessagesUsage({ ...whole, iterations })).toEqual(counts);
  });
});
