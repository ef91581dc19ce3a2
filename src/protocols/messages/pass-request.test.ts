import { describe, expect, spyOn, test } from 'bun:test';
import type { JsonObject } from '../json/fields.ts';
import { messagesPassthrough } from './passthrough.ts';
import { readMessagesRequest } from './request.ts';

const user = { role: 'user', content: 'hi' };

const passed = (id: string, fields: object): JsonObject => {
  const body = { model: 'alias', max_tokens: 8000, messages: [user], ...fields };
  return JSON.parse(messagesPassthrough.writeRequest(readMessagesRequest(JSON.stringify(body)), id));
};

const adaptive = { type: 'adaptive' };
const budget = (budget_tokens: number) => ({ type: 'enabled', budget_tokens });

describe('a way of thinking that the model behind an alias refuses', () => {
  test.each([
    [
      'claude-opus-4-7',
      3000,
      { thinking: { ...adaptive, display: 'summarized' }, output_config: { effort: 'low' } },
    ],
    [
      'claude-opus-5-5',
      7000,
      { thinking: { ...adaptive, display: 'summarized' }, output_config: { effort: 'medium' } },
    ],
    ['claude-opus-4-6', 7000, { thinking: budget(7000) }],
    ['claude-sonnet-4-5', 7000, { thinking: budget(7000) }],
    ['claude-3-5-haiku-latest', 7000, {}],
    ['another-model', 7000, { thinking: budget(7000) }],
  ])('%s is told of a budget of %p: %j', (id, tokens, expected) => {
    const { thinking, output_config } = passed(id, { thinking: budget(tokens) });
    expect({ thinking, output_config }).toEqual({
      thinking: undefined,
      output_config: undefined,
      ...expected,
    });
  });

  test('keeps the effort and the display that were asked for beside a budget', () => {
    const thinking = { ...budget(3000), display: 'omitted' };
    const written = passed('claude-opus-4-8', { thinking, output_config: { effort: 'max' } });
    expect(written).toMatchObject({
      thinking: { type: 'adaptive', display: 'omitted' },
      output_config: { effort: 'max' },
    });
  });

  test.each([
    ['claude-sonnet-4-5', {}, budget(4000)],
    ['claude-opus-4-5', { output_config: { effort: 'low' } }, budget(2048)],
    ['claude-sonnet-4-5', { max_tokens: 2000 }, undefined],
    ['claude-3-5-haiku-latest', {}, undefined],
    ['claude-sonnet-5', {}, adaptive],
    ['another-model', {}, adaptive],
  ])(
    '%s, asked to think as it finds right with %j, does so within a budget that fits: %j',
    (id, fields, thinking) => {
      expect(passed(id, { thinking: adaptive, ...fields })['thinking']).toEqual(thinking);
    },
  );

  test('is left out where a budget could not stand', () => {
    const call = { type: 'tool_use', id: 't', name: 'look', input: {} };
    const result = { type: 'tool_result', tool_use_id: 't', content: 'x' };
    const messages = [user, { role: 'assistant', content: [call] }, { role: 'user', content: [result] }];
    expect(passed('claude-sonnet-4-5', { thinking: adaptive, messages })).not.toHaveProperty('thinking');
    const prefill = [user, { role: 'assistant', content: 'Once' }];
    expect(passed('claude-sonnet-4-5', { thinking: adaptive, messages: prefill })).not.toHaveProperty(
      'thinking',
    );
  });

  test.each([
    [{ type: 'any' }, undefined],
    [{ type: 'tool', name: 'look' }, undefined],
    [{ type: 'auto' }, budget(4000)],
  ])('is no budget beside a choice that forces a tool: %j, %j', (tool_choice, thinking) => {
    const tools = [{ name: 'look', input_schema: { type: 'object' } }];
    const context_management = { edits: [{ type: 'clear_thinking_20251015' }] };
    const asked = { thinking: adaptive, tools, tool_choice, temperature: 0.3, context_management };
    const written = passed('claude-sonnet-4-5', asked);
    expect(written['thinking']).toEqual(thinking);
    expect(written['tool_choice']).toEqual(tool_choice);
    expect(written['temperature']).toBe(thinking === undefined ? 0.3 : undefined);
    expect(written['context_management']).toEqual(thinking && context_management);
    expect(passed('claude-opus-4-6', asked)).toMatchObject(asked);
  });

  test('takes no sampling beside a budget that was set here', () => {
    const sampling = { temperature: 0.3, top_p: 0.9, top_k: 4 };
    const written = passed('claude-sonnet-4-5', { thinking: adaptive, ...sampling });
    expect(written['thinking']).toEqual(budget(4000));
    for (const name of Object.keys(sampling)) expect(written).not.toHaveProperty(name);
    expect(passed('claude-sonnet-4-5', { thinking: budget(2000), ...sampling })).toMatchObject(sampling);
    expect(passed('claude-3-5-haiku-latest', { thinking: adaptive, ...sampling })).toMatchObject(sampling);
  });

  test('is told as thinking to those that never stop, where it was to be done between tools', () => {
    const thinking = { type: 'between_tools' };
    expect(passed('claude-sonnet-5-5', { thinking })['thinking']).toEqual(thinking);
    expect(passed('claude-opus-4-6', { thinking })['thinking']).toEqual(adaptive);
  });
});

test('an effort is left out where the model knows none, and what stands beside it stays', () => {
  const format = { type: 'json_schema', schema: { type: 'object' } };
  const config = (id: string, output_config: object) => passed(id, { output_config })['output_config'];
  expect(config('claude-haiku-4-5', { effort: 'high', format })).toEqual({ format });
  expect(config('claude-haiku-4-5', { effort: 'high' })).toBeUndefined();
  expect(config('claude-opus-4-5', { effort: 'high' })).toEqual({ effort: 'high' });
});

test('sampling is left out where the model refuses it', () => {
  const sampling = { temperature: 0.5, top_p: 0.9, top_k: 4 };
  const { model, max_tokens, messages, ...others } = passed('claude-opus-4-7', sampling);
  expect(others).toEqual({});
  expect(passed('claude-opus-4-6', sampling)).toMatchObject(sampling);
});

describe('of a request that says nothing of it', () => {
  const id = 'claude-sonnet-4-5';
  const writeUnread = (fields: object) => {
    const request = readMessagesRequest(
      JSON.stringify({ model: 'm', max_tokens: 8000, messages: [user], ...fields }),
    );
    const json = Object.defineProperty({ ...request.json }, 'messages', {
      get: () => {
        throw new Error('The messages were looked through.');
      },
    });
    return JSON.parse(messagesPassthrough.writeRequest({ ...request, json }, id));
  };

  test('the messages are not looked through', () => {
    expect(writeUnread({})).toMatchObject({ model: id, messages: [user] });
    expect(writeUnread({ temperature: 0.5, thinking: budget(2000) })).toMatchObject({ messages: [user] });
  });

  test('the model is not looked up', () => {
    const looked = spyOn(RegExp.prototype, 'exec');
    try {
      expect(passed(id, { tools: [] })).toMatchObject({ model: id });
      expect(looked).not.toHaveBeenCalledWith(id);
    } finally {
      looked.mockRestore();
    }
  });
});

describe('edits that clear thinking', () => {
  const clearing = { type: 'clear_thinking_20251015', keep: 'all' };
  const other = { type: 'clear_tool_uses_20250919' };
  const left = (id: string, context_management: object, thinking: object = { type: 'disabled' }) =>
    passed(id, { thinking, context_management })['context_management'];

  test('go where thinking was turned off here', () => {
    expect(left('claude-opus-4-7', { edits: [clearing] })).toBeUndefined();
    expect(left('claude-3-5-haiku-latest', { edits: [clearing, other] }, adaptive)).toEqual({
      edits: [other],
    });
    expect(left('claude-opus-4-7', { edits: [clearing], more: 1 })).toEqual({ more: 1 });
  });

  test('stay where the model thinks, or nothing was changed', () => {
    expect(left('claude-opus-4-7', { edits: [clearing] }, budget(2000))).toEqual({ edits: [clearing] });
    expect(left('claude-opus-4-6', { edits: [clearing] })).toEqual({ edits: [clearing] });
    expect(left('claude-opus-4-7', { edits: [other] })).toEqual({ edits: [other] });
  });

  test('go where another model thought in the midst of using tools', () => {
    const foreign = { type: 'thinking', thinking: 'b', signature: '' };
    const call = { type: 'tool_use', id: 't', name: 'look', input: {} };
    const result = { type: 'tool_result', tool_use_id: 't', content: 'x' };
    const messages = [
      user,
      { role: 'assistant', content: [foreign, call] },
      { role: 'user', content: [result] },
    ];
    const written = passed('claude-sonnet-4-5', {
      ...{ messages, thinking: budget(2000), context_management: { edits: [clearing] } },
    });
    expect(written['thinking']).toEqual({ type: 'disabled' });
    expect(written).not.toHaveProperty('context_management');
  });
});
