import { describe, expect, test } from 'bun:test';
import { type ChatDialect, compatibleDialect, hostDialect, openaiDialect } from './dialect.ts';
import { chatPassthroughIn } from './passthrough.ts';
import { readChatRequest } from './request.ts';

/** As Claude was shown to a chat client by another host, and sent back by it. */
const answered = {
  role: 'assistant',
  content: null,
  refusal: null,
  annotations: [],
  reasoning_content: 'Let me look.',
  reasoning_details: [{ type: 'reasoning.text', text: 'Let me look.', index: 0 }],
  tool_calls: [
    {
      id: 'toolu_0123',
      type: 'function',
      function: { name: 'look', arguments: '{"n":1.0}' },
      extra_content: { google: { thought_signature: 'c2ln' } },
    },
  ],
};
const conversation = [
  { role: 'user', content: 'Look, please.' },
  answered,
  { role: 'tool', tool_call_id: 'toolu_0123', content: 'It is there.' },
];

function writtenBy(dialect: Partial<ChatDialect>, messages: readonly object[] = conversation) {
  const text = JSON.stringify({ model: 'm', messages, big: 1 });
  const written = chatPassthroughIn({ ...hostDialect, ...dialect }).writeRequest(readChatRequest(text), 'm');
  return { written, isAsSent: written === text, messages: JSON.parse(written).messages };
}

describe('what another host said earlier', () => {
  test('loses what only answers have, and its signatures', () => {
    const { messages } = writtenBy({ replay: 'none' });
    const { refusal: _refusal, annotations: _annotations, tool_calls, ...said } = answered;
    const calls = tool_calls.map(({ extra_content: _signature, ...call }) => call);
    expect(messages).toEqual([conversation[0], { ...said, tool_calls: calls }, conversation[2]]);
  });

  test('has its thoughts under the name that the host has for them', () => {
    const [, one] = writtenBy({ replay: 'reasoning' }).messages;
    expect(one).toMatchObject({ reasoning: 'Let me look.' });
    expect(one).not.toHaveProperty('reasoning_content');
    expect(one).not.toHaveProperty('reasoning_details');
    const [, other] = writtenBy({ replay: 'reasoning_content' }).messages;
    expect(other).toMatchObject({ reasoning_content: 'Let me look.' });
    expect(other).not.toHaveProperty('reasoning_details');
  });

  test('has its thoughts as a part of the content where the host has them there, and out of it for others', () => {
    const parts = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Four.' },
    ];
    const plain = { role: 'assistant', content: 'Four.', reasoning_content: 'Hm.' };
    expect(writtenBy({ replay: 'content' }, [plain]).messages).toEqual([
      { role: 'assistant', content: parts },
    ]);
    const listed = { role: 'assistant', content: parts };
    expect(writtenBy({ replay: 'content' }, [listed]).isAsSent).toBe(true);
    expect(writtenBy({ replay: 'reasoning_content' }, [listed]).messages).toEqual([plain]);
  });

  test('has empty thoughts beside calls for a host that refuses the message without', () => {
    const call = { id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    const dialect = { replay: 'reasoning_content', emptyThinking: ' ' } as const;
    expect(writtenBy(dialect, [message]).messages).toEqual([{ ...message, reasoning_content: ' ' }]);
    expect(writtenBy(dialect, [{ role: 'assistant', content: 'Well.' }]).isAsSent).toBe(true);
  });

  test('has ids that the host takes, the same for a call and its result', () => {
    const [, call, result] = writtenBy({ replay: 'content', shortToolIds: true }).messages;
    expect(call.tool_calls[0].id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(result.tool_call_id).toBe(call.tool_calls[0].id);
    expect(call.tool_calls[0].function.arguments).toBe('{"n":1.0}');
    expect(call).not.toHaveProperty('reasoning_content');
  });

  test.each([
    ['OpenAI itself', openaiDialect],
    ['a host of which nothing is known', compatibleDialect],
  ])('is as it was sent for %s', (_name, dialect) => {
    expect(writtenBy(dialect).isAsSent).toBe(true);
  });

  test('is as it was sent where the host said it itself', () => {
    const call = { id: 'a1B2c3D4e', type: 'function', function: { name: 'look', arguments: '{}' } };
    const own = { role: 'assistant', content: 'Well.', reasoning: 'Hm.', tool_calls: [call] };
    const result = { role: 'tool', tool_call_id: 'a1B2c3D4e', content: 'x' };
    expect(writtenBy({ replay: 'reasoning', shortToolIds: true }, [own, result]).isAsSent).toBe(true);
    const detailed = { role: 'assistant', content: 'Well.', reasoning_details: [{}], annotations: [{}] };
    expect(writtenBy({ replay: 'reasoning_details' }, [detailed]).isAsSent).toBe(true);
  });

  test.each(['null', '5', '"text"', '{"id":"x"}', '[7]', '[null]'])(
    'of a name that stands there twice is changed where it can be: %s',
    (first) => {
      const text = `{"model":"m","messages":[{"role":"assistant","tool_calls":${first},"tool_calls":[{"id":"a","extra_content":{}}]}]}`;
      const written = chatPassthroughIn({ ...hostDialect, shortToolIds: true }).writeRequest(
        readChatRequest(text),
        'm',
      );
      expect(written).not.toContain('extra_content');
      expect(written).toContain(`"tool_calls":${first},`);
      expect(() => JSON.parse(written)).not.toThrow();
    },
  );
});
