import { describe, expect, test } from 'bun:test';
import { googleUpstream } from '../google/protocol.ts';
import { messagesUpstream } from '../messages/protocol.ts';
import type { UpstreamProtocol } from '../protocol.ts';
import { responsesUpstream } from '../responses/protocol.ts';
import {
  blockDelta,
  blockStart,
  blockStop,
  messageDelta,
  messageStart,
  messageStop,
  messagesFrames,
} from '../testing/frames.ts';
import { translate } from '../translate/translate.ts';
import { readChatAnswer } from './answer.ts';
import { chatClient, chatUpstream } from './protocol.ts';
import { readChatTurn } from './read-request.ts';
import { readChatRequest } from './request.ts';

const parameters = { type: 'object', properties: {} };
const functions = [{ name: 'look', description: 'Looks.', parameters }];
const asked = {
  model: 'm',
  functions,
  function_call: { name: 'look' },
  messages: [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{"at":1.0}' } },
    { role: 'function', name: 'look', content: 'a gate' },
  ],
};
const request = readChatRequest(JSON.stringify(asked));
const overMessages = translate({ client: chatClient(), upstream: messagesUpstream });
const call = { type: 'tool_use', id: 't', name: 'look', input: {} };

describe('functions from before there were tools', () => {
  test('are tools, their calls and results find each other, and one may be used at a time', () => {
    const turn = readChatTurn(asked);
    expect(turn).toMatchObject({
      tools: [{ kind: 'function', name: 'look', description: 'Looks.', schema: parameters }],
      toolChoice: { type: 'tool', name: 'look' },
      parallelToolUse: false,
    });
    expect(turn.messages.slice(1)).toMatchObject([
      { content: [{ type: 'tool_use', id: 'call_1', name: 'look', input: '{"at":1.0}' }] },
      { content: [{ type: 'tool_result', toolUseId: 'call_1', content: [{ text: 'a gate' }] }] },
    ]);
    expect(readChatTurn({ ...asked, function_call: 'none' }).toolChoice).toEqual({ type: 'none' });
    expect(readChatTurn({ ...asked, function_call: 'auto' }).toolChoice).toBeUndefined();
  });

  test('are called in a whole answer as they were declared', () => {
    const answer = { id: 'a', content: [call, { ...call, id: 'u' }], stop_reason: 'tool_use' };
    const { choices } = JSON.parse(overMessages.readAnswer(JSON.stringify(answer), request).body);
    expect(choices).toMatchObject([
      { message: { function_call: { name: 'look', arguments: '{}' } }, finish_reason: 'function_call' },
    ]);
    expect(choices[0].message).not.toHaveProperty('tool_calls');
  });

  test('are called in a stream as they were declared, one of them', () => {
    const piece = (partial_json: string) => ({ type: 'input_json_delta', partial_json });
    const stream = overMessages.openStream(request);
    const frames = messagesFrames(
      messageStart(),
      blockStart(0, call),
      blockDelta(0, piece('{"at":')),
      blockDelta(0, piece('2}')),
      blockStop(0),
      blockStart(1, { ...call, id: 'u' }),
      blockStop(1),
      messageDelta('tool_use', { output_tokens: 5 }),
      messageStop,
    );
    const told = Buffer.from(stream.push(Buffer.from(frames))).toString();
    const deltas = told
      .split('\n\n')
      .filter((frame) => frame.startsWith('data: {'))
      .map((frame) => JSON.parse(frame.slice(6)).choices[0]);
    expect(deltas.map(({ delta }) => delta.function_call).filter((one) => one !== undefined)).toEqual([
      { name: 'look', arguments: '' },
      { arguments: '{"at":' },
      { arguments: '2}' },
    ]);
    expect(told).not.toContain('tool_calls');
    expect(deltas.at(-1).finish_reason).toBe('function_call');
  });

  test('are called by hosts that know only them', () => {
    const message = { role: 'assistant', function_call: { name: 'look', arguments: '{}' } };
    const answer = readChatAnswer({ id: 'a', choices: [{ message, finish_reason: 'function_call' }] });
    expect(answer.choices).toMatchObject([
      { content: [{ type: 'tool_use', name: 'look', input: '' }], stop: { reason: 'tool_use' } },
    ]);
    expect(answer.choices[0]?.content[0]).toHaveProperty('id', expect.stringMatching(/^call_/));
  });
});

describe('what clients of public routers send', () => {
  const reasoningOf = (fields: object) => readChatTurn({ messages: [], ...fields }).reasoning;

  test.each([
    [{ reasoning: { effort: 'high' } }, { effort: 'high', thinking: 'adaptive' }],
    [{ reasoning: { max_tokens: 2000 } }, { thinking: 'on', budgetTokens: 2000 }],
    [{ reasoning: { enabled: true } }, { thinking: 'adaptive' }],
    [{ reasoning: { enabled: false } }, { thinking: 'off' }],
    [{ reasoning: { effort: 'none' } }, { effort: 'none', thinking: 'off' }],
    [{ reasoning: { effort: 'low', exclude: true } }, { effort: 'low' }],
    [{ thinking: { type: 'enabled', budget_tokens: 3000 } }, { thinking: 'on', budgetTokens: 3000 }],
    [{ thinking: { type: 'disabled' } }, { thinking: 'off' }],
    [
      { thinking: { type: 'adaptive' }, reasoning_effort: 'max' },
      { effort: 'max', thinking: 'adaptive' },
    ],
    [{ thinking: { type: 'what' } }, undefined],
  ])('%j is the wish %j', (fields, expected) => {
    expect(reasoningOf(fields)).toEqual(expected as ReturnType<typeof reasoningOf>);
  });

  test('the search of the web is asked for in each protocol’s words', () => {
    const place = { country: 'DE', city: 'Husum' };
    const turn = readChatTurn({
      messages: [{ role: 'user', content: 'hi' }],
      web_search_options: {
        search_context_size: 'low',
        user_location: { type: 'approximate', approximate: place },
      },
    });
    const sent = (upstream: UpstreamProtocol, id: string) => JSON.parse(upstream.writeRequest(turn, { id }));
    const user_location = { type: 'approximate', ...place };
    expect(sent(responsesUpstream, 'gpt-5').tools).toEqual([
      { type: 'web_search', search_context_size: 'low', user_location },
    ]);
    expect(sent(messagesUpstream, 'claude-opus-4-6').tools).toEqual([
      { type: 'web_search_20250305', name: 'web_search', user_location },
    ]);
    expect(sent(googleUpstream, 'gemini-2.5-flash').tools).toEqual([{ googleSearch: {} }]);
    expect(sent(chatUpstream(), 'gpt-5-search-api')).toMatchObject({
      web_search_options: {
        search_context_size: 'low',
        user_location: { type: 'approximate', approximate: place },
      },
    });
    for (const [upstream, id] of [
      [chatUpstream(), 'gpt-4o'],
      [messagesUpstream, 'minimax-m2'],
    ] as const) {
      expect(() => sent(upstream, id)).toThrow('the tool type web_search');
    }
  });

  test('a search that the model cannot do beside functions is left out', () => {
    const text = JSON.stringify({ ...asked, function_call: undefined, web_search_options: {} });
    const toGoogle = translate({ client: chatClient(), upstream: googleUpstream });
    const namesAt = (id: string) =>
      JSON.parse(toGoogle.writeRequest(readChatRequest(text), id)).tools.flatMap(Object.keys);
    expect(namesAt('gemini-2.5-flash')).toEqual(['functionDeclarations']);
    expect(namesAt('gemini-3-flash')).toEqual(['functionDeclarations']);
  });

  test('the name of who speaks is told in words', () => {
    const { system, messages } = readChatTurn({
      messages: [
        { role: 'system', name: 'house', content: 'Be brief.' },
        { role: 'user', name: 'Ada', content: 'hi' },
        {
          role: 'user',
          name: 'Bo',
          content: [{ type: 'image_url', image_url: { url: 'https://x.test/a' } }],
        },
        { role: 'assistant', name: 'Cy', content: 'yes' },
      ],
    });
    expect(system).toMatchObject([{ text: 'house: Be brief.' }]);
    expect(messages).toMatchObject([
      { content: [{ text: 'Ada: hi' }, { text: 'Bo:' }, { type: 'image' }] },
      { content: [{ text: 'Cy: yes' }] },
    ]);
  });
});
