import { describe, expect, test } from 'bun:test';
import { readClaudeModel, readClaudeVersion } from './models.ts';

describe('versions', () => {
  test.each([
    ['claude-3-7-sonnet-latest', 'sonnet', 307],
    ['claude-sonnet-4-20250514', 'sonnet', 400],
    ['claude-sonnet-4-5-20250929', 'sonnet', 405],
    ['eu.anthropic.claude-opus-4-6-v1', 'opus', 406],
    ['anthropic/claude-opus-4.7', 'opus', 407],
    ['anthropic/claude-4.7-opus-20260416', 'opus', 407],
    ['claude-fable-5', 'fable', 500],
    ['claude-mythos-preview', 'mythos', 500],
    ['claude-haiku-5-5', 'haiku', 505],
    ['minimax-m2', '', 0],
  ])('of %s: %s, %p', (id, family, version) => {
    expect(readClaudeVersion(id)).toEqual({ family, version });
  });
});

describe('what a model takes', () => {
  const shown = (id: string) => {
    const { thinking, thinkingOff, efforts, sampling, forcedTools, prefill, schemas, tokenizer } =
      readClaudeModel(id);
    const off = thinkingOff === null ? 'never off' : `${thinkingOff.type} up to ${thinkingOff.mostEffort}`;
    const takes = Object.entries({ sampling, forcedTools, prefill, schemas }).filter(([, does]) => does);
    return [thinking, off, efforts.join(' '), takes.map(([name]) => name).join(' '), tokenizer];
  };
  const all = 'low medium high xhigh max';

  test.each([
    ['minimax-m2', ['budget', 'disabled up to max', '', 'sampling forcedTools prefill', 'older']],
    [
      'claude-3-7-sonnet-latest',
      ['budget', 'disabled up to max', '', 'sampling forcedTools prefill', 'older'],
    ],
    [
      'claude-opus-4-5',
      ['budget', 'disabled up to max', '', 'sampling forcedTools prefill schemas', 'older'],
    ],
    [
      'claude-sonnet-4-6',
      ['adaptive', 'disabled up to max', 'low medium high max', 'sampling forcedTools schemas', 'older'],
    ],
    ['claude-opus-4-8', ['adaptive', 'unasked up to max', all, 'forcedTools schemas', 'newer']],
    ['claude-opus-5', ['adaptive', 'disabled up to high', all, 'forcedTools schemas', 'newer']],
    ['claude-fable-5', ['adaptive', 'never off', all, 'forcedTools schemas', 'newer']],
    ['claude-fable-5-1', ['adaptive', 'never off', all, 'schemas', 'newer']],
    ['claude-opus-5-5', ['adaptive', 'never off', all, 'schemas', 'newer']],
    ['claude-sonnet-5-5', ['adaptive', 'between_tools up to high', all, 'schemas', 'newer']],
    ['claude-haiku-5-5', ['adaptive', 'disabled up to high', all, 'forcedTools schemas', 'newer']],
    ['claude-saga-6', ['adaptive', 'never off', all, 'schemas', 'newer']],
  ])('%s: %p', (id, expected) => {
    expect(shown(id)).toEqual(expected);
  });
});
