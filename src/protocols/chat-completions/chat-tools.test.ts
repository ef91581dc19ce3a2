/** Function tools that OpenAI's newer models refuse in chat completions while they reason. */
import { describe, expect, spyOn, test } from 'bun:test';
import { readMessagesTurn } from '../messages/read-request.ts';
import { compatibleDialect, hostDialect } from './dialect.ts';
import { chatUpstream } from './protocol.ts';
import { readChatRequest } from './request.ts';

const tools = [
  { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } },
];
const asked = (fields: object) =>
  readChatRequest(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...fields }));

describe('a request that the model would refuse', () => {
  test.each([
    ['gpt-5.2', { tools, reasoning_effort: 'high' }, false],
    ['gpt-5.4', { tools, reasoning_effort: 'high' }, true],
    ['gpt-5.4-mini', { tools, reasoning_effort: 'low' }, true],
    ['gpt-5.4', { tools, reasoning_effort: 'none' }, false],
    ['gpt-5.4', { tools, reasoning_effort: 'minimal' }, false],
    ['gpt-5.4', { tools }, false],
    ['gpt-5.4', { reasoning_effort: 'high' }, false],
    ['gpt-5.4', { functions: [{ name: 'look' }], reasoning_effort: 'high' }, true],
    ['gpt-5.5', { tools }, false],
    ['gpt-5.6-terra', { tools }, true],
    ['gpt-5.6-terra', { tools, reasoning_effort: 'none' }, false],
    ['gpt-5.6-terra', {}, false],
    ['llama-4', { tools, reasoning_effort: 'high' }, false],
  ])('is known for %s: %j, %p', (id, fields, expected) => {
    expect(chatUpstream().refuses?.(asked(fields), id, false)).toBe(expected);
    expect(chatUpstream(compatibleDialect).refuses?.(asked(fields), id, false)).toBe(expected);
  });

  test('is no question of the model where no tool is declared', () => {
    const looked = spyOn(RegExp.prototype, 'test');
    try {
      for (const fields of [{}, { tools: [] }, { functions: null, reasoning_effort: 'high' }]) {
        expect(chatUpstream().refuses?.(asked(fields), 'gpt-5.6-terra', false)).toBe(false);
      }
      expect(looked).not.toHaveBeenCalledWith('gpt-5.6-terra');
    } finally {
      looked.mockRestore();
    }
  });

  test('is for hosts with a manner of their own to answer', () => {
    expect(chatUpstream(hostDialect)).not.toHaveProperty('refuses');
  });
});

describe('where chat completions are all that is offered', () => {
  const passed = (id: string, fields: object, upstream = chatUpstream()) =>
    JSON.parse(upstream.passthrough.writeRequest(asked(fields), id)).reasoning_effort;

  test('a passed request asks such a model not to reason', () => {
    expect(passed('gpt-5.4', { tools, reasoning_effort: 'high' })).toBe('none');
    expect(passed('gpt-5.6', { tools })).toBe('none');
    expect(passed('gpt-5.4', { tools })).toBeUndefined();
    expect(passed('gpt-5.6', { reasoning_effort: 'high' })).toBe('high');
    expect(passed('gpt-5.6', { tools, reasoning_effort: 'high' }, chatUpstream(compatibleDialect))).toBe(
      'high',
    );
  });

  test('so does a converted one', () => {
    const turn = (effort: string | undefined, declared: boolean) =>
      readMessagesTurn({
        messages: [{ role: 'user', content: 'hi' }],
        output_config: { effort },
        temperature: 0.5,
        ...(declared ? { tools: [{ name: 'look', input_schema: { type: 'object' } }] } : {}),
      });
    const written = (id: string, effort: string | undefined, declared: boolean) =>
      JSON.parse(chatUpstream().writeRequest(turn(effort, declared), { id }));
    expect(written('gpt-5.4', 'high', true)).toMatchObject({ reasoning_effort: 'none', temperature: 0.5 });
    expect(written('gpt-5.6', undefined, true)).toMatchObject({ reasoning_effort: 'none' });
    expect(written('gpt-5.4', undefined, true)).not.toHaveProperty('reasoning_effort');
    expect(written('gpt-5.4', 'high', false)).toMatchObject({ reasoning_effort: 'high' });
    expect(written('gpt-5.2', 'high', true)).toMatchObject({ reasoning_effort: 'high' });
  });
});
