import { describe, expect, test } from 'bun:test';
import {
  blockDelta,
  blockStart,
  blockStop,
  messageDelta,
  messageStart,
  messageStop,
  messagesFrames,
} from '../testing/frames.ts';
import { ComplaintError, UnreadableAnswerError } from '../translator.ts';
import { messagesPassthrough } from './passthrough.ts';
import { readMessagesRequest } from './request.ts';

const request = (fields: object = {}) =>
  readMessagesRequest(
    JSON.stringify({ model: 'alias', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }], ...fields }),
  );

function openStream() {
  const stream = messagesPassthrough.openStream(request({ stream: true }));
  const push = (...events: readonly { type: string }[]) => pushText(messagesFrames(...events));
  const pushText = (text: string) => Buffer.from(stream.push(Buffer.from(text))).toString('utf8');
  return { stream, push, pushText };
}

const counts = {
  input_tokens: 10,
  cache_creation_input_tokens: 7,
  cache_read_input_tokens: 40,
  output_tokens: 1,
};
const text = (value: string) => blockDelta(0, { type: 'text_delta', text: value });

describe('the request', () => {
  test('keeps every byte but the model', () => {
    const body =
      '{"model":"alias","max_tokens":5, "messages":[{"role":"user","content":"hi"}],"seed":12345678901234567890}';
    expect(messagesPassthrough.writeRequest(readMessagesRequest(body), 'claude-x')).toBe(
      body.replace('"alias"', '"claude-x"'),
    );
  });

  test.each([
    ['claude-opus-4-7', { thinking: { type: 'disabled' } }, {}],
    ['claude-opus-4-6', { thinking: { type: 'disabled' } }, { thinking: { type: 'disabled' } }],
    ['claude-fable-5', { thinking: { type: 'disabled' } }, { output_config: { effort: 'low' } }],
    ['claude-sonnet-5-5', { thinking: { type: 'disabled' } }, { thinking: { type: 'between_tools' } }],
    [
      'claude-opus-4-6',
      { output_config: { effort: 'xhigh', other: 1 } },
      { output_config: { effort: 'high', other: 1 } },
    ],
    [
      'claude-opus-5',
      { thinking: { type: 'disabled' }, output_config: { effort: 'max' } },
      { thinking: { type: 'disabled' }, output_config: { effort: 'high' } },
    ],
    [
      'claude-opus-5',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
    ],
    [
      'claude-sonnet-4-5',
      { thinking: { type: 'enabled', budget_tokens: 2000 }, output_config: { effort: 'max' } },
      { thinking: { type: 'enabled', budget_tokens: 2000 } },
    ],
    [
      'another-model',
      { thinking: { type: 'disabled' }, output_config: { effort: 'odd' } },
      { thinking: { type: 'disabled' }, output_config: { effort: 'odd' } },
    ],
  ])('asks %s to think as it can be asked: %j', (upstreamId, given, expected) => {
    const written = JSON.parse(messagesPassthrough.writeRequest(request(given), upstreamId));
    const { thinking, output_config } = written;
    expect({ thinking, output_config }).toEqual({
      thinking: undefined,
      output_config: undefined,
      ...expected,
    });
  });

  test('does not tell the upstream of the session', () => {
    const written = messagesPassthrough.writeRequest(
      request({ metadata: { user_id: 'u', session_id: 's', sticky_key: 'k' } }),
      'up',
    );
    expect(JSON.parse(written).metadata).toEqual({ user_id: 'u' });
    const alone = messagesPassthrough.writeRequest(request({ metadata: { session_id: 's' } }), 'up');
    expect(JSON.parse(alone)).not.toHaveProperty('metadata');
  });

  test('leaves out thinking that another vendor signed, or nobody', () => {
    const mine = { type: 'thinking', thinking: 'c', signature: 'real==' };
    const content = [
      { type: 'thinking', thinking: 'a', signature: '' },
      { type: 'thinking', thinking: 'b', signature: 'sluice:google:zzz' },
      { type: 'redacted_thinking', data: 'sluice-tool:google:t1:zzz' },
      mine,
      { type: 'text', text: 'the word "sluice" alone changes nothing' },
    ];
    const written = messagesPassthrough.writeRequest(
      request({
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content },
        ],
      }),
      'up',
    );
    expect(JSON.parse(written).messages[1].content).toEqual([mine, content[4]]);
  });

  test('keeps the spelling of every number where it leaves something out', () => {
    const call = '{"type":"tool_use","id":"t","name":"n","input":{"id":9007199254740993,"at":1.0,"by":-0}}';
    const thinking = '{"type":"thinking","thinking":"a","signature":""}';
    const body = `{"model":"m","max_tokens":5,"temperature":1.0,"metadata":{"session_id":"s","n":1e3},"messages":[{"role":"assistant","content":[${thinking},${call}]}]}`;
    expect(messagesPassthrough.writeRequest(readMessagesRequest(body), 'm')).toBe(
      body.replace(`${thinking},`, '').replace('"session_id":"s",', ''),
    );
  });

  test('leaves out a message that held nothing but such thinking, and joins what stands around it', () => {
    const foreign = { type: 'thinking', thinking: 'a', signature: '' };
    const image = { type: 'image', source: { type: 'url', url: 'https://example.test/a.png' } };
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [foreign] },
      { role: 'user', content: [image] },
      { role: 'assistant', content: [foreign] },
    ];
    const written = messagesPassthrough.writeRequest(request({ messages }), 'up');
    expect(JSON.parse(written).messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'a' }, image] },
    ]);
  });

  test('leaves out any number of such messages', () => {
    const foreign = { type: 'thinking', thinking: 'a', signature: '' };
    const messages = Array.from({ length: 80_000 }, (_, at) =>
      at % 2 === 0 ? { role: 'user', content: 'a' } : { role: 'assistant', content: [foreign] },
    );
    const written = messagesPassthrough.writeRequest(request({ messages }), 'up');
    const [joined, ...others] = JSON.parse(written).messages;
    expect(joined.content).toHaveLength(40_000);
    expect(others).toEqual([]);
  });

  test.each([
    ['a result alone', [], 'disabled'],
    ['a reminder beside the result', [{ type: 'text', text: 'Mind the time.' }], 'disabled'],
  ])('thinks no more about tools that another model used, after %s', (_, beside, type) => {
    const messages = [
      { role: 'user', content: 'a' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'b', signature: '' },
          { type: 'tool_use', id: 't', name: 'look', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }, ...beside] },
    ];
    const thinking = { type: 'enabled', budget_tokens: 1024 };
    const written = messagesPassthrough.writeRequest(request({ messages, thinking }), 'up');
    expect(JSON.parse(written).thinking).toEqual({ type });
  });
});

describe('a whole answer', () => {
  test('passes untouched; its counts are read', () => {
    const usage = {
      ...counts,
      cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 },
      output_tokens: 9,
    };
    const body = JSON.stringify({ type: 'message', content: [], usage });
    const answer = messagesPassthrough.readAnswer(body, request());
    expect(answer.body).toBe(body);
    expect(answer.usage).toEqual({
      inputTokens: 10,
      cacheReadTokens: 40,
      cacheWrite5mTokens: 3,
      cacheWrite1hTokens: 4,
      outputTokens: 9,
      reasoningTokens: 0,
      estimated: false,
    });
  });

  test('an error in spite of status 200 is a complaint; anything else cannot be read', () => {
    const error = '{"type":"error","error":{"type":"api_error","message":"x"}}';
    expect(() => messagesPassthrough.readAnswer(error, request())).toThrow(ComplaintError);
    for (const body of ['<html>', '', '[]', '{"id":"x"}']) {
      expect(() => messagesPassthrough.readAnswer(body, request())).toThrow(UnreadableAnswerError);
    }
  });
});

describe('a stream that is silent', () => {
  const framed = (event: { readonly type: string; readonly [field: string]: unknown }) =>
    messagesFrames(event);
  const start = (index: number, content_block: object) =>
    framed({ type: 'content_block_start', index, content_block });
  const piece = (index: number, delta: object) => framed({ type: 'content_block_delta', index, delta });
  const text = piece(0, { type: 'text_delta', text: 'Hi' });
  const pinged = framed({ type: 'ping' });
  const toolBlock = { type: 'tool_use', id: 't', name: 'n', input: {} };

  test.each<[string, string, object]>([
    ['text', text, { type: 'text_delta', text: '' }],
    [
      'text behind pings and a comment',
      `${text}${pinged}: still there\n\n`,
      { type: 'text_delta', text: '' },
    ],
    [
      'thoughts',
      piece(0, { type: 'thinking_delta', thinking: 'Hm' }),
      { type: 'thinking_delta', thinking: '' },
    ],
    ['a call that begins', start(0, toolBlock), { type: 'input_json_delta', partial_json: '' }],
    [
      'a call’s input',
      piece(0, { type: 'input_json_delta', partial_json: '{"type":"ping"' }),
      { type: 'input_json_delta', partial_json: '' },
    ],
  ])('gets a delta of nothing inside a block of %s', (_, frames, delta) => {
    const { stream } = openStream();
    stream.push(Buffer.from(start(0, { type: 'text', text: '' }) + frames));
    stream.push(Buffer.from(pinged));
    stream.push(Buffer.from(''));
    expect(Buffer.from(stream.idle?.() ?? '').toString()).toBe(
      framed({ type: 'content_block_delta', index: 0, delta }),
    );
  });

  test.each([
    ['between blocks', text + framed({ type: 'content_block_stop', index: 0 })],
    ['behind a signature', piece(0, { type: 'signature_delta', signature: 's' })],
    ['in a block that has no pieces', text + start(1, { type: 'web_search_tool_result', content: [] })],
    [
      'behind its end',
      text + framed({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} }),
    ],
  ])('gets a ping %s', (_, frames) => {
    const { stream } = openStream();
    stream.push(Buffer.from(frames));
    expect(Buffer.from(stream.idle?.() ?? '').toString()).toBe(pinged);
  });
});

describe('a stream', () => {
  test('passes byte for byte, with comments and pings', () => {
    const { pushText } = openStream();
    const bytes = `: hello\r\n\r\n${messagesFrames(messageStart(counts), { type: 'ping' }, text('é'))}`;
    expect(pushText(bytes)).toBe(bytes);
  });

  test.each([
    ['text', text('a')],
    ['thinking', blockDelta(0, { type: 'thinking_delta', thinking: 'a' })],
    ['a signature', blockDelta(0, { type: 'signature_delta', signature: 'a' })],
    ['a tool use', blockStart(0, { type: 'tool_use', id: 't', name: 'n', input: {} })],
    ['redacted thinking', blockStart(0, { type: 'redacted_thinking', data: 'a' })],
    ['an end', messageDelta('end_turn', counts)],
  ])('has content from %s on, not from its opening', (_, event) => {
    const { stream, push } = openStream();
    push(messageStart(counts), { type: 'ping' }, blockStart(0, { type: 'text', text: '' }), text(''));
    expect(stream.hasContent).toBe(false);
    push(event);
    expect(stream.hasContent).toBe(true);
  });

  test('reads its counts from the start and from the last delta, which is for the whole answer', () => {
    const { stream, push } = openStream();
    push(messageStart(counts), text('a'), blockStop(0));
    push(messageDelta('end_turn', { output_tokens: 9, cache_read_input_tokens: null }), messageStop);
    expect(stream.usage).toMatchObject({
      inputTokens: 10,
      cacheReadTokens: 40,
      cacheWrite5mTokens: 7,
      outputTokens: 9,
      estimated: false,
    });
    expect(stream.isComplete).toBe(true);
    expect(stream.end()).toHaveLength(0);
  });

  test('has its text to be counted when it breaks off before its counts', () => {
    const { stream, push } = openStream();
    push(messageStart(counts), text('a'));
    push(text('x'.repeat(400)));
    expect(stream.usage).toBeNull();
    expect(stream.usageSoFar).toMatchObject({ inputTokens: 10, cacheReadTokens: 40 });
    expect(stream.sampleGenerated()).toEqual({
      texts: [`a${'x'.repeat(400)}`],
      times: 1,
      showsThoughts: false,
    });
    expect(stream.isComplete).toBe(false);
  });

  test('counts nothing of what opens the message, in one block with the first content or before it', () => {
    const opening = [messageStart(counts), { type: 'ping' }, blockStart(0, { type: 'text', text: '' })];
    for (const blocks of [[[...opening, text('abcd')]], [opening, [text('abcd')]]]) {
      const { stream, push } = openStream();
      for (const block of blocks) push(...block);
      expect(stream.sampleGenerated().texts).toEqual(['abcd']);
      expect(stream.generatedCharacters).toBeWithin(1, 20);
    }
  });

  test('counts no pings, alone or beside text', () => {
    const { stream, push, pushText } = openStream();
    push(messageStart(counts), text('abcdefg'));
    const known = stream.generatedCharacters;
    push({ type: 'ping' });
    pushText('event: ping\ndata: {"type": "ping"}\n\n');
    expect(stream.generatedCharacters).toBe(known);
    push(text('"type":"ping"'), text('he said "ping'), { type: 'ping' });
    expect(stream.generatedCharacters).toBeGreaterThan(known + 2);
  });

  test('is complete with its stop reason, and the client gets the end that is missing', () => {
    const { stream, push } = openStream();
    push(messageStart(counts), text('a'), messageDelta('end_turn', counts));
    expect(stream.isComplete).toBe(true);
    expect(Buffer.from(stream.end()).toString()).toBe(messagesFrames(messageStop));
  });

  test('has its content when its start brings a whole call, and the counts of the start are its own', () => {
    const { stream, push } = openStream();
    const { type, message } = messageStart({ input_tokens: 8, output_tokens: 20 });
    const call = { type: 'tool_use', id: 't', name: 'look', input: { at: 1 } };
    const start = { type, message: { ...message, content: [call], stop_reason: 'tool_use' } };
    expect(push(start)).toBe(messagesFrames(start));
    expect(stream.hasContent).toBe(true);
    expect(stream.isComplete).toBe(false);
    push(messageStop);
    expect(stream.isComplete).toBe(true);
    expect(stream.usage).toMatchObject({ inputTokens: 8, outputTokens: 20, estimated: false });
  });

  test('generated text that looks like events changes nothing', () => {
    const { stream, push } = openStream();
    push(messageStart(counts), text('a'));
    push(text('{"type":"message_stop"} {"type": "error"} event: error'));
    push(
      blockDelta(0, {
        type: 'input_json_delta',
        partial_json: '{"type":"message_delta","usage":{"output_tokens":99999}}',
      }),
    );
    expect(stream.isComplete).toBe(false);
    expect(stream.complaint).toBeNull();
    expect(stream.usage).toBeNull();
    expect(stream.usageSoFar?.outputTokens).toBeLessThan(1000);
  });

  test('an error before or after the first content is a complaint', () => {
    const busy = { type: 'error', error: { type: 'overloaded_error', message: 'busy' } };
    const early = openStream();
    early.push(messageStart(counts), busy);
    expect(early.stream).toMatchObject({ hasContent: false, complaint: { message: 'busy', status: 529 } });
    const late = openStream();
    late.push(messageStart(counts), text('a'));
    late.push(busy);
    expect(late.stream).toMatchObject({ hasContent: true, complaint: { message: 'busy' } });
  });

  test('a frame cut short is a complaint, a comment is not', () => {
    const { stream, push, pushText } = openStream();
    push(messageStart(counts), text('a'));
    pushText(': keep-alive\n\n');
    expect(stream.complaint).toBeNull();
    pushText('event: content_block_delta\ndata: {"type":"content_blo\n\n');
    expect(stream.complaint).not.toBeNull();
  });
});
