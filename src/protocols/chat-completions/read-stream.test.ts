import { describe, expect, test } from 'bun:test';
import { checkEvents } from '../testing/check-events.ts';
import { delta } from '../testing/frames.ts';
import { unfinishedAnswer } from '../translator.ts';
import type { TurnAnswer } from '../turn/answer.ts';
import type { AssistantBlock } from '../turn/blocks.ts';
import type { TurnEvent } from '../turn/events.ts';
import { collectAnswer } from '../turn/testing/collect-answer.ts';
import { ChatEventReader } from './read-stream.ts';

const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };

function open() {
  const reader = new ChatEventReader();
  const events: TurnEvent[] = [];
  const read = (...chunks: readonly (object | string)[]) => {
    for (const chunk of chunks) {
      reader.read(typeof chunk === 'string' ? chunk : JSON.stringify({ ...head, ...chunk }), events);
    }
  };
  return { reader, events, read };
}

function answerOf(...chunks: readonly (object | string)[]): TurnAnswer {
  const { events, read } = open();
  read(...chunks, '[DONE]');
  return collectAnswer(events);
}

const contentOf = (...chunks: readonly object[]) => answerOf(...chunks).choices[0]?.content;
const call = (fields: object) => delta({ tool_calls: [fields] });
const named = (id: string) => call({ index: 0, id, function: { name: 'f', arguments: '{}' } });

const encrypted = (id: string, format: string) => ({
  type: 'reasoning.encrypted',
  data: 'zz',
  id,
  format,
});

describe('reasoning details', () => {
  test.each([
    ['of a reasoning item before text', 'rs_1', 'openai-responses-v1', 'openai', delta({ content: 'a' }), 0],
    ['of a reasoning item before a call', 'rs_1', 'anthropic-claude-v1', 'anthropic', named('c'), 0],
    ['of Gemini without its call', 'other', 'google-gemini-v1', 'google', named('c'), 1],
  ] as const)('that are encrypted, %s, are thinking', (_, id, format, origin, next, at) => {
    const content = contentOf(
      delta({ reasoning_details: [encrypted(id, format)] }),
      next,
      delta({}, 'tool_calls'),
    );
    expect(content).toHaveLength(2);
    expect(content?.[at]).toEqual({ type: 'redacted_thinking', signature: { origin, value: 'zz' } });
  });

  test('that are encrypted sign the call whose id they have', () => {
    const content = contentOf(
      delta({ reasoning_details: [encrypted('c', 'google-gemini-v1')] }),
      named('c'),
      delta({}, 'tool_calls'),
    );
    expect(content).toMatchObject([{ type: 'tool_use', signature: { origin: 'google', value: 'zz' } }]);
  });

  test('that are encrypted for a call that has begun are no thinking', () => {
    const details = delta({ reasoning_details: [encrypted('c', 'google-gemini-v1')] });
    expect(contentOf(named('c'), details, delta({}, 'tool_calls'))).toMatchObject([{ type: 'tool_use' }]);
  });

  test('that come again with more behind them are told once', () => {
    const signed = (text: string) => ({ text, signature: `s-${text}`, format: 'anthropic-claude-v1' });
    const chunks = [['a'], ['a', 'b'], ['a', 'b', 'c']].map((texts) =>
      delta({ reasoning_details: texts.map(signed) }),
    );
    expect(contentOf(...chunks, delta({}, 'stop'))).toMatchObject([
      { text: 'a' },
      { text: 'b' },
      { text: 'c' },
    ]);
  });

  test.each([
    ['in pieces', ['He', 'llo', ' you']],
    ['all of it again each time', ['He', 'Hello', 'Hello you', 'Hello you']],
  ])('alone are the thinking: %s', (_, texts) => {
    const chunks = texts.map((text) => delta({ reasoning_details: [{ type: 'reasoning.text', text }] }));
    expect(contentOf(...chunks, delta({ content: 'a' }), delta({}, 'stop'))).toEqual([
      { type: 'thinking', text: 'Hello you' },
      { type: 'text', text: 'a' },
    ]);
  });

  test('only repeat thinking that has a field of its own', () => {
    const repeated = [{ type: 'reasoning.summary', summary: 'Hello you' }];
    const content = contentOf(
      delta({ reasoning: 'Hello', reasoning_details: [{ type: 'reasoning.summary', summary: 'Hello' }] }),
      delta({ reasoning: ' you' }),
      delta({ reasoning_details: repeated }),
      delta({}, 'stop'),
    );
    expect(content).toEqual([{ type: 'thinking', text: 'Hello you' }]);
  });
});

describe('what hosts do differently', () => {
  test('the first chunk has no choices and no id yet', () => {
    expect(answerOf({ id: '', choices: [] }, delta({ content: 'a' }), delta({}, 'stop'))).toMatchObject({
      id: 'c',
    });
  });

  test('reasoning is called reasoning, reasoning_content, or a part of the content', () => {
    const expected: AssistantBlock[] = [
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'a' },
    ];
    const part = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] };
    for (const field of [{ reasoning: 'hm' }, { reasoning_content: 'hm' }, { content: [part] }]) {
      expect(
        contentOf(delta(field), delta({ content: [{ type: 'text', text: 'a' }] }), delta({}, 'stop')),
      ).toEqual(expected);
    }
  });

  test('details repeat the text of the reasoning and end with its signature', () => {
    const detail = (fields: object) => ({
      reasoning_details: [{ type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0, ...fields }],
    });
    const chunks = [
      delta({ reasoning: 'h', ...detail({ text: 'h' }) }),
      delta({ reasoning: 'm', ...detail({ text: 'm' }) }),
      delta(detail({ signature: 's' })),
      delta({ content: 'a', ...detail({ text: 'hm', signature: 's' }) }),
      delta({}, 'stop'),
    ];
    expect(contentOf(...chunks)).toEqual([
      { type: 'thinking', text: 'hm', signature: { origin: 'anthropic', value: 's' } },
      { type: 'text', text: 'a' },
    ]);
  });

  test('every call has the index 0, or none', () => {
    for (const index of [0, undefined]) {
      const content = contentOf(
        call({ index, id: 'a', function: { name: 'x', arguments: '{"n":1}' } }),
        call({ index, id: 'b', function: { name: 'y', arguments: '{"n":2}' } }),
        delta({}, 'tool_calls'),
      );
      expect(content).toMatchObject([
        { id: 'a', name: 'x', input: '{"n":1}' },
        { id: 'b', name: 'y', input: '{"n":2}' },
      ]);
    }
  });

  test('a call has no id, its name comes late and is empty afterwards, its arguments are an object', () => {
    const content = contentOf(
      call({ index: 0, id: '', function: { arguments: '' } }),
      call({ index: 0, function: { name: 'x' } }),
      call({ index: 0, function: { name: '', arguments: { n: 1 } } }),
      delta({}, 'stop'),
    );
    expect(content).toMatchObject([{ id: 'call_c_0_0', name: 'x', input: '{"n":1}' }]);
  });

  test('calls end with the reason stop', () => {
    const answer = answerOf(
      call({ index: 0, id: 'a', function: { name: 'x', arguments: '{}' } }),
      delta({}, 'stop'),
    );
    expect(answer.choices[0]?.stop).toEqual({ reason: 'tool_use' });
  });

  test('text comes again after a call', () => {
    const content = contentOf(
      delta({ content: 'a' }),
      call({ index: 0, id: 'i', function: { name: 'x', arguments: '{"n":1}' } }),
      delta({ content: 'b' }),
      delta({}, 'stop'),
    );
    expect(content).toMatchObject([{ text: 'a' }, { name: 'x' }, { text: 'b' }]);
  });

  test('an error comes as a chunk, and what follows an end is not listened to', () => {
    const { reader, read } = open();
    read(delta({ content: 'a' }), { error: { message: 'busy', code: 503 } });
    expect(reader.complaint).toMatchObject({ message: 'busy', status: 503 });
    expect(contentOf(delta({ content: 'a' }), delta({}, 'stop'), delta({ content: 'b' }))).toEqual([
      { type: 'text', text: 'a' },
    ]);
  });
});

describe('the end', () => {
  test('is a reason for every choice; [DONE] alone is none, and a cut stream has neither', () => {
    const { reader, read } = open();
    read(delta({ content: 'a' }));
    expect(reader.isComplete).toBe(false);
    read(delta({}, 'stop'));
    expect(reader.isComplete).toBe(true);
    const other = open();
    other.read({
      choices: [
        { index: 0, delta: {}, finish_reason: 'stop' },
        { index: 1, delta: { content: 'a' } },
      ],
    });
    expect(other.reader.isComplete).toBe(false);
    other.read('[DONE]');
    expect(other.reader.isComplete).toBe(false);
    expect(other.reader.complaint).toBe(unfinishedAnswer);
  });

  test('a chunk that is no JSON is a complaint', () => {
    const { reader, read } = open();
    read(delta({ content: 'a' }), '{"id":"c","choi');
    expect(reader.complaint).not.toBeNull();
  });
});

test('a call is passed on while it comes, as long as no other is open', () => {
  const { events, read } = open();
  read(call({ index: 0, id: 'a', function: { name: 'x', arguments: '{"n":' } }));
  expect(events.map(({ type }) => type)).toEqual(['start', 'open', 'delta']);
  read(
    call({ index: 0, function: { arguments: '1}' } }),
    call({ index: 1, id: 'b', function: { name: 'y', arguments: '' } }),
  );
  expect(events.map(({ type }) => type)).toEqual(['start', 'open', 'delta', 'delta', 'close', 'open']);
});

test('a call among interleaved ones ends as soon as its arguments are whole, not with the answer', () => {
  const { events, read } = open();
  read(call({ index: 0, id: 'a', function: { name: 'x', arguments: '{"n":' } }));
  read(call({ index: 1, id: 'b', function: { name: 'y', arguments: '{"m":' } }));
  expect(events.filter(({ type }) => type === 'close')).toEqual([]);
  read(call({ index: 0, function: { arguments: '1}' } }));
  expect(events.at(-1)).toEqual({ type: 'close', choice: 0, block: 0 });
});

test('a call whose arguments are whole before its name comes is opened by the name, and closed', () => {
  const frames = [
    call({ index: 0, id: 'a', function: { arguments: { city: 'Ulm' } } }),
    call({ index: 1, id: 'b', function: { name: 'g', arguments: '{}' } }),
    call({ index: 0, function: { name: 'f' } }),
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ].map((chunk) => JSON.stringify({ ...head, ...chunk }));
  expect(() => checkEvents(new ChatEventReader(), [...frames, '[DONE]'])).not.toThrow();
});
