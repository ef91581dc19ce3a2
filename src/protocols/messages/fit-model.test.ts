import { describe, expect, test } from 'bun:test';
import { readChatTurn } from '../chat-completions/read-request.ts';
import { readMessagesTurn } from './read-request.ts';
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
    ['claude-3-5-haiku-latest', undefined, undefined],
    ['claude-opus-4-6', { type: 'disabled' }, undefined],
    ['claude-opus-4-7', undefined, undefined],
    ['claude-fable-5', undefined, { effort: 'low' }],
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

describe('thinking that is asked for', () => {
  const thinkingOf = (id: string, fields: object) => written(id, fields)['thinking'];

  test.each([
    ['claude-3-5-haiku-latest', undefined],
    ['claude-opus-4-6', { type: 'adaptive' }],
    ['claude-opus-4-7', { type: 'adaptive', display: 'summarized' }],
    ['claude-sonnet-5-5', { type: 'adaptive', display: 'summarized' }],
  ])('is shown by %s: %p', (id, thinking) => {
    expect(thinkingOf(id, { reasoning_effort: 'high' })).toEqual(thinking);
  });

  test('is not asked for where the catalogue says that the model does not reason', () => {
    const turn = readChatTurn({ model: 'm', messages: [user], reasoning_effort: 'high' });
    const model = { id: 'claude-opus-4-6', reasons: false };
    expect(JSON.parse(writeMessagesTurn(turn, model))).not.toHaveProperty('thinking');
  });

  test('leaves half of the bound to the answer, unless a budget within it was named', () => {
    const id = 'claude-sonnet-4-5';
    const effort = { reasoning_effort: 'high', max_tokens: 4096 };
    expect(thinkingOf(id, effort)).toEqual({ type: 'enabled', budget_tokens: 2048 });
    expect(thinkingOf(id, { ...effort, max_tokens: 2000 })).toBeUndefined();
    const named = (max_tokens: number) =>
      readMessagesTurn({
        messages: [user],
        max_tokens,
        thinking: { type: 'enabled', budget_tokens: 3000 },
      });
    const budgetOf = (max: number) => JSON.parse(writeMessagesTurn(named(max), { id }))['thinking'];
    expect(budgetOf(3001)).toEqual({ type: 'enabled', budget_tokens: 3000 });
    expect(budgetOf(3000)).toEqual({ type: 'enabled', budget_tokens: 1500 });
  });
});

describe('a budget for thinking', () => {
  const sent = (fields: object, facts: object = {}) => {
    const turn = readChatTurn({ model: 'm', messages: [user], reasoning_effort: 'max', ...fields });
    return JSON.parse(writeMessagesTurn(turn, { id: 'claude-opus-4-1', ...facts }));
  };

  test('stays below the most that the model can write', () => {
    expect(sent({}, { maxOutputTokens: 32_000 })).toMatchObject({
      max_tokens: 32_000,
      thinking: { type: 'enabled', budget_tokens: 16_000 },
    });
    expect(sent({}, { maxOutputTokens: 1500 })).not.toHaveProperty('thinking');
    expect(sent({})).toMatchObject({ max_tokens: 8192 + 32_000, thinking: { budget_tokens: 32_000 } });
  });

  test('is not set beside an answer that was begun without thinking', () => {
    const begun = [user, { role: 'assistant', content: 'Once' }];
    expect(sent({ messages: begun })).not.toHaveProperty('thinking');
    expect(sent({ messages: [...begun, { role: 'system', content: 'Be brief.' }] })).not.toHaveProperty(
      'thinking',
    );
    expect(sent({ messages: [...begun, user] })).toHaveProperty('thinking');
    const details = [
      { type: 'reasoning.text', text: 'Hm.', signature: 'real', format: 'anthropic-claude-v1' },
    ];
    const thought = [user, { role: 'assistant', content: 'Once', reasoning_details: details }];
    expect(sent({ messages: thought })).toHaveProperty('thinking');
  });
});

test.each([
  ['claude-opus-4-6', 'high'],
  ['claude-sonnet-4-6', 'high'],
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

test.each(['claude-3-7-sonnet-latest', 'minimax-m2'])('%s is told of schemas in words', (id) => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const response_format = { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } };
  const sent = written(id, { tools, response_format });
  expect(sent).not.toHaveProperty('output_config');
  expect(JSON.stringify(sent['system'])).toContain('JSON schema');
  expect(JSON.stringify(sent['tools'])).not.toContain('strict');
});

describe('a conversation that the assistant ends', () => {
  const messages = [user, { role: 'assistant', content: 'Once' }];

  test('goes on as it stands where the model takes a prefill', () => {
    expect(written('claude-sonnet-4-5', { messages })['messages']).toEqual(messages);
  });

  test('does not end in a blank, which is refused', () => {
    const blank = [user, { role: 'assistant', content: 'Once \n' }];
    expect(written('claude-sonnet-4-5', { messages: blank })['messages']).toEqual(messages);
    expect(written('claude-sonnet-4-5', { messages: [...blank, user] })['messages']).toEqual([
      ...blank,
      user,
    ]);
    const empty = [user, { role: 'assistant', content: ' \n' }];
    expect(written('claude-sonnet-4-5', { messages: empty })['messages']).toEqual([user]);
  });

  test('ends with a word of the user where it does not', () => {
    expect(written('claude-sonnet-4-6', { messages })['messages']).toEqual([
      ...messages,
      { role: 'user', content: 'Go on exactly where your last message ends.' },
    ]);
  });
});

describe('instructions in the middle of a conversation', () => {
  const system = (content: string) => ({ role: 'system', content });
  const messages = [system('head'), user, system('be brief'), { role: 'assistant', content: 'Yes?' }];
  const placed = (id: string, all: readonly object[]) => {
    const sent = written(id, { messages: all });
    return [sent['system'], sent['messages']];
  };

  test('keep their place behind the user where the model takes them', () => {
    expect(placed('claude-opus-4-8', [...messages, user])).toEqual([
      'head',
      [user, system('be brief'), { role: 'assistant', content: 'Yes?' }, user],
    ]);
  });

  test('in front of the user stand behind what is said there', () => {
    expect(placed('claude-opus-5', [user, messages[3] ?? {}, system('be brief'), user])).toEqual([
      undefined,
      [user, { role: 'assistant', content: 'Yes?' }, user, system('be brief')],
    ]);
  });

  test('join those at the head where the model does not take them, or no user speaks', () => {
    const [head] = placed('claude-sonnet-5', [...messages, user]);
    expect(head).toEqual([
      { type: 'text', text: 'head' },
      { type: 'text', text: 'be brief' },
    ]);
    expect(placed('claude-opus-4-8', [user, messages[3] ?? {}, system('be brief')])[0]).toBe('be brief');
  });
});
