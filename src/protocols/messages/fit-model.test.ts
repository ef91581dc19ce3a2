import { describe, expect, test } from 'bun:test';
import { readChatTurn } from '../chat-completions/read-request.ts';
import { writeMessagesTurn } from './write-request.ts';

const user = { role: 'user', content: 'hi' };
const tools = ['look', 'find'].map((name) => ({
  type: 'function',
  function: { name, strict: true, parameters: { type: 'object', properties: {} } },
}));
const written = (id: string, fields: object): Record<string, unknown> =>
  JSON.parse(writeMessagesTurn(readChatTurn({ model: 'm', messages: [user], ...fields }), { id }));

describe('thinking that is turned off', () => {
  test.each([
    ['claude-opus-5', { type: 'disabled' }, undefined],
    ['claude-opus-5-5', undefined, { effort: 'low' }],
    ['claude-sonnet-5-5', { type: 'between_tools' }, undefined],
  ])('%s: %p', (id, thinking, output_config) => {
    const sent = written(id, { reasoning_effort: 'none' });
    expect({ thinking: sent['thinking'], output_config: sent['output_config'] }).toEqual({
      thinking,
      output_config,
    });
  });
});

test.each([
  ['claude-opus-4-6', 'high'],
  ['claude-opus-4-7', 'xhigh'],
])('the effort xhigh is for %s %s', (id, effort) => {
  expect(written(id, { reasoning_effort: 'xhigh' })['output_config']).toEqual({ effort });
});

describe('a tool that must be used', () => {
  test('is asked for in words where the model refuses a forced choice', () => {
    const required = written('claude-opus-5-5', { tools, tool_choice: 'required' });
    expect(required).toMatchObject({
      system: 'Do not answer in text: call one of the tools.',
      tools: [{ name: 'look' }, { name: 'find' }],
    });
    expect(required).not.toHaveProperty('tool_choice');
  });

  test('is then the only one that is offered', () => {
    const tool_choice = { type: 'function', function: { name: 'find' } };
    expect(written('claude-fable-5-1', { tools, tool_choice })).toMatchObject({
      system: 'Do not answer in text: call "find".',
      tools: [{ name: 'find' }],
      tool_choice: { type: 'auto' },
    });
    expect(written('claude-opus-5', { tools, tool_choice })).toMatchObject({
      tools: [{}, {}],
      tool_choice: { type: 'tool', name: 'find' },
    });
  });
});

test('a model that cannot be held to schemas is told of them in words', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const response_format = { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } };
  const sent = written('claude-3-7-sonnet-latest', { tools, response_format });
  expect(sent).not.toHaveProperty('output_config');
  expect(JSON.stringify(sent['system'])).toContain('JSON schema');
  expect(JSON.stringify(sent['tools'])).not.toContain('strict');
});

describe('a conversation that the assistant ends', () => {
  const messages = [user, { role: 'assistant', content: 'Once' }];

  test('goes on as it stands where the model takes a prefill', () => {
    expect(written('claude-sonnet-4-5', { messages })['messages']).toEqual(messages);
  });

  test('ends with a word of the user where it does not', () => {
    expect(written('claude-sonnet-4-6', { messages })['messages']).toEqual([
      ...messages,
      { role: 'user', content: 'Go on exactly where your last message ends.' },
    ]);
  });
});
