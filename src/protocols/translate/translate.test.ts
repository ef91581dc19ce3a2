import { describe, expect, test } from 'bun:test';
import { FrameSplitter } from '../../base/sse.ts';
import { chatPassthrough } from '../chat-completions/passthrough.ts';
import { chatClient, chatUpstream } from '../chat-completions/protocol.ts';
import { readChatRequest } from '../chat-completions/request.ts';
import { messagesPassthrough } from '../messages/passthrough.ts';
import { messagesClient, messagesUpstream } from '../messages/protocol.ts';
import { readMessagesRequest } from '../messages/request.ts';
import {
  blockDelta,
  blockStart,
  chatFrames,
  delta,
  messageDelta,
  messageStart,
  messageStop,
  messagesFrames,
} from '../testing/frames.ts';
import { ComplaintError, UnreadableAnswerError } from '../translator.ts';
import { translate } from './translate.ts';

const toChat = translate({ client: messagesClient, upstream: chatUpstream() });
const toMessages = translate({ client: chatClient(), upstream: messagesUpstream });
const user = { role: 'user', content: 'hi' };
const messagesRequest = readMessagesRequest(
  JSON.stringify({ model: 'm', max_tokens: 5, stream: true, messages: [user] }),
);
const chatRequest = readChatRequest(JSON.stringify({ model: 'm', stream: true, messages: [user] }));

test('equal protocols pass their bytes through, others go through the turn', () => {
  expect(translate({ client: chatClient(), upstream: chatUpstream() })).toBe(chatPassthrough);
  expect(translate({ client: messagesClient, upstream: messagesUpstream })).toBe(messagesPassthrough);
  expect(JSON.parse(toChat.writeRequest(messagesRequest, 'up'))).toMatchObject({
    model: 'up',
    messages: [user],
  });
  expect(JSON.parse(toMessages.writeRequest(chatRequest, 'up', { maxOutputTokens: 7 }))).toMatchObject({
    model: 'up',
    max_tokens: 7,
  });
});

describe('a whole answer', () => {
  test('that is an error is a complaint; what is no answer cannot be read', () => {
    expect(() => toChat.readAnswer('{"error":{"message":"quota"}}', messagesRequest)).toThrow(ComplaintError);
    expect(() =>
      toMessages.readAnswer('{"type":"error","error":{"type":"api_error","message":"x"}}', chatRequest),
    ).toThrow(ComplaintError);
    for (const body of ['<html>', '', '[]', '{}', '{"choices":[]}', '{"id":"x"}']) {
      expect(() => toChat.readAnswer(body, messagesRequest)).toThrow(UnreadableAnswerError);
      expect(() => toMessages.readAnswer(body, chatRequest)).toThrow(UnreadableAnswerError);
    }
  });

  test('without counts has its text to be counted', () => {
    const answer = toChat.readAnswer(
      '{"id":"c","choices":[{"message":{"content":"12345","reasoning_content":"678"},"finish_reason":"stop"}]}',
      messagesRequest,
    );
    expect(answer).toMatchObject({
      usage: null,
      generated: expect.stringMatching(/^(?:12345678|67812345)$/),
    });
  });
});

describe('a stream', () => {
  test('has content from the first that the client sees, not from its opening', () => {
    const stream = toMessages.openStream(chatRequest);
    stream.push(
      Buffer.from(
        messagesFrames(messageStart(), { type: 'ping' }, blockStart(0, { type: 'text', text: '' })),
      ),
    );
    expect(stream.hasContent).toBe(false);
    stream.push(Buffer.from(messagesFrames(blockDelta(0, { type: 'text_delta', text: 'a' }))));
    expect(stream.hasContent).toBe(true);
    const other = toChat.openStream(messagesRequest);
    other.push(Buffer.from(chatFrames(delta({ role: 'assistant', content: '' }))));
    expect(other.hasContent).toBe(false);
    other.push(Buffer.from(chatFrames(delta({}, 'stop'))));
    expect(other.hasContent).toBe(true);
  });

  test('an error or a broken frame is a complaint, and the stream is not complete', () => {
    for (const frame of ['data: {"error":{"message":"busy"}}\n\n', 'data: {"id":"c","choi\n\n']) {
      const stream = toChat.openStream(messagesRequest);
      stream.push(Buffer.from(chatFrames(delta({ content: 'a' })) + frame));
      expect(stream).toMatchObject({ isComplete: false, hasContent: true });
      expect(stream.complaint).not.toBeNull();
    }
    const busy = { type: 'error', error: { type: 'overloaded_error', message: 'busy' } };
    for (const events of [
      [busy],
      [messageStart(), busy],
      [messageStart(), messageStart()],
      [blockDelta(0, {})],
    ]) {
      const stream = toMessages.openStream(chatRequest);
      stream.push(Buffer.from(messagesFrames(...events)));
      expect(stream.complaint).not.toBeNull();
      expect(stream.isComplete).toBe(false);
    }
  });

  test('that ends without the upstream’s last word is ended for the client', () => {
    const toClient = toChat.openStream(messagesRequest);
    toClient.push(Buffer.from(chatFrames(delta({ content: 'a' }), delta({}, 'stop'))));
    expect(toClient.isComplete).toBe(true);
    const end = Buffer.from(toClient.end()).toString();
    expect(end).toContain('"stop_reason":"end_turn"');
    expect(end).toEndWith(messagesFrames(messageStop));
    expect(toClient.end()).toHaveLength(0);
    const other = toMessages.openStream(chatRequest);
    other.push(Buffer.from(messagesFrames(messageStart(), messageDelta('end_turn', { output_tokens: 1 }))));
    expect(Buffer.from(other.end()).toString()).toEndWith('data: [DONE]\n\n');
  });

  test('that breaks off is counted by what it told at its start and by its text', () => {
    const stream = toMessages.openStream(chatRequest);
    stream.push(
      Buffer.from(
        messagesFrames(
          messageStart({ input_tokens: 10, output_tokens: 1 }),
          blockStart(0, { type: 'text', text: '' }),
        ),
      ),
    );
    stream.push(Buffer.from(messagesFrames(blockDelta(0, { type: 'text_delta', text: 'x'.repeat(40) }))));
    expect(stream.usage).toBeNull();
    expect(stream.usageSoFar).toMatchObject({ inputTokens: 10, outputTokens: 1 });
    expect(stream.sampleGenerated()).toEqual({ texts: ['x'.repeat(40)], times: 1, showsThoughts: false });
    expect(stream.isComplete).toBe(false);
  });

  test('says the same wherever its bytes are cut, with either line end', () => {
    const text = chatFrames(
      delta({ content: 'Grüß ' }),
      ': c',
      delta({ content: '🦥' }),
      delta({}, 'stop'),
      '[DONE]',
    ).replace('data: : c', ': c');
    const whole = said(text, text.length);
    expect(whole).toContain('🦥');
    for (const bytes of [text, text.replaceAll('\n', '\r\n')]) {
      for (let size = 1; size < 40; size += 1) expect(said(bytes, size)).toBe(whole);
    }
  });
});

function said(text: string, size: number): string {
  const stream = toChat.openStream(messagesRequest);
  const splitter = new FrameSplitter(100_000);
  const bytes = Buffer.from(text);
  let out = '';
  for (let at = 0; at < bytes.length; at += size) {
    out += Buffer.from(stream.push(splitter.push(bytes.subarray(at, at + size)))).toString();
  }
  return out + Buffer.from(stream.end()).toString();
}
