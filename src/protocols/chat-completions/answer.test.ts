import { describe, expect, test } from 'bun:test';
import { readChatAnswer } from './answer.ts';
import { type ChatDialect, compatibleDialect, openaiDialect } from './dialect.ts';
import { chatClient, chatUpstream } from './protocol.ts';
import { readChatTurn } from './read-request.ts';
import { readChatRequest } from './request.ts';

const call = { type: 'function', function: { name: 'f', arguments: '{"a":1}' } };

function contentOf(message: object, id: string | undefined = 'a-1') {
  return (
    readChatAnswer({ id, choices: [{ message, finish_reason: 'tool_calls' }] }).choices[0]?.content ?? []
  );
}

const idsOf = (message: object, id?: string) =>
  contentOf(message, id).flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));

describe('calls without ids', () => {
  test('get one each, and keep those that they have', () => {
    const tool_calls = [call, { ...call, id: '' }, { ...call, id: 'mine' }];
    expect(idsOf({ tool_calls })).toEqual(['call_a-1_0_0', 'call_a-1_0_1', 'mine']);
  });

  test('get another one in each answer that has no id itself', () => {
    const message = { tool_calls: [call, call] };
    expect(new Set([...idsOf(message, ''), ...idsOf(message, '')]).size).toBe(4);
  });
});

test('what is encrypted signs the call with its id, and is thinking otherwise', () => {
  const encrypted = { type: 'reasoning.encrypted', data: 'zz', format: 'openai-responses-v1' };
  const message = {
    tool_calls: [{ ...call, id: 'c' }],
    reasoning_details: [
      { ...encrypted, id: 'rs_1' },
      { ...encrypted, data: 'yy', id: 'c', format: 'google-gemini-v1' },
    ],
  };
  expect(contentOf(message)).toMatchObject([
    { type: 'redacted_thinking', signature: { origin: 'openai', value: 'zz' } },
    { type: 'tool_use', id: 'c', signature: { origin: 'google', value: 'yy' } },
  ]);
});

test('texts that had something else between them are kept apart, neighbours are one', () => {
  const text = (said: string) => ({ type: 'text', text: said }) as const;
  const call = { type: 'tool_use', id: 'c', name: 'look', input: '' } as const;
  const answer = {
    id: 'a',
    model: 'm',
    choices: [
      { content: [text('I '), text('look.'), call, text('Done.')], stop: { reason: 'end' } as const },
    ],
    usage: null,
  };
  const request = readChatRequest('{"model":"m","messages":[{"role":"user","content":"hi"}]}');
  const { message } = JSON.parse(chatClient().writeAnswer(answer, request)).choices[0];
  expect(message.content).toBe('I look.\n\nDone.');
});

test('the signature of a call stands where Google’s clients look for it, and is read there', () => {
  const signature = { origin: 'google', value: 'c2ln' } as const;
  const call = { type: 'tool_use', id: 'c', name: 'look', input: '{"a":1}', signature } as const;
  const answer = {
    id: 'a',
    model: 'm',
    createdS: 1,
    choices: [{ content: [call], stop: { reason: 'tool_use' } as const }],
    usage: null,
  };
  const request = readChatRequest('{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}');
  const written = JSON.parse(chatClient().writeAnswer(answer, request));
  const [sent] = written.choices[0].message.tool_calls;
  expect(sent.extra_content).toEqual({ google: { thought_signature: 'c2ln' } });
  // Clients that keep no field of the message keep those of a call.
  written.choices[0].message.reasoning_details = undefined;
  expect(readChatAnswer(written).choices[0]?.content).toMatchObject([{ signature }]);
  const history = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', tool_calls: [sent] },
    { role: 'tool', tool_call_id: 'c', content: 'x' },
  ];
  const turn = readChatTurn({ messages: history });
  expect(turn.messages[1]?.content).toMatchObject([{ signature }]);
  const sentTo = (dialect: ChatDialect) => chatUpstream(dialect).writeRequest(turn, { id: 'gemini-3-flash' });
  expect(sentTo(compatibleDialect)).toContain('"extra_content":{"google":{"thought_signature":"c2ln"}}');
  expect(sentTo(openaiDialect)).not.toContain('extra_content');
});
