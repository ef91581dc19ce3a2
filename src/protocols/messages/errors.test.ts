import { describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { AppError, type ErrorCode } from '../../base/errors.ts';
import { messagesErrors, readMessagesComplaint } from './errors.ts';

const errorOf = (code: ErrorCode) => new AppError({ code, public: 'why' });

describe('errors for messages clients', () => {
  test.each<[ErrorCode, string]>([
    ['malformed_json', 'invalid_request_error'],
    ['validation_failed', 'invalid_request_error'],
    ['invalid_token', 'authentication_error'],
    ['insufficient_funds', 'billing_error'],
    ['model_not_allowed', 'permission_error'],
    ['model_not_found', 'not_found_error'],
    ['body_too_large', 'request_too_large'],
    ['rate_limited', 'rate_limit_error'],
    ['internal_error', 'api_error'],
    ['upstream_failed', 'api_error'],
    ['upstream_overloaded', 'overloaded_error'],
    ['upstream_timeout', 'timeout_error'],
  ])('%s is a %s', (code, type) => {
    const body: unknown = JSON.parse(messagesErrors.writeBody(errorOf(code), 'req_1'));
    expect(body).toEqual({
      type: 'error',
      error: { type, message: 'why', code },
      request_id: 'req_1',
      detail: 'why',
    });
  });

  test('list the fields that failed', () => {
    const fields = [{ loc: ['model'], msg: 'is required', type: 'missing' }];
    const error = new AppError({ code: 'validation_failed', public: 'model: is required', fields });
    expect(JSON.parse(messagesErrors.writeBody(error, 'r')).error.fields).toEqual(fields);
  });

  test('are thrown by the official client, as an answer and inside a stream', async () => {
    let inStream = false;
    const server = Bun.serve({
      port: 0,
      fetch: () =>
        inStream
          ? new Response(messagesErrors.writeFrames(errorOf('upstream_overloaded'), 'r'), {
              headers: { 'content-type': 'text/event-stream' },
            })
          : new Response(messagesErrors.writeBody(errorOf('insufficient_funds'), 'r'), { status: 402 }),
    });
    const client = new Anthropic({ apiKey: 'k', baseURL: server.url.href, maxRetries: 0 });
    const ask = { model: 'm', max_tokens: 5, messages: [{ role: 'user' as const, content: 'hi' }] };
    const caught = (error: unknown) => error;
    const whole = await client.messages.create(ask).catch(caught);
    expect(whole).toMatchObject({ status: 402, type: 'billing_error' });
    inStream = true;
    const streamed = await client.messages.stream(ask).finalMessage().catch(caught);
    expect(streamed).toMatchObject({ type: 'overloaded_error' });
    await server.stop(true);
  });
});

describe('errors of messages upstreams', () => {
  test('say what they are, with the status that their type stands for', () => {
    const body = '{"type":"error","error":{"type":"overloaded_error","message":"busy"},"request_id":"r"}';
    expect(readMessagesComplaint(body)).toEqual({
      message: 'busy',
      code: null,
      type: 'overloaded_error',
      param: null,
      status: 529,
    });
  });

  test('are understood from hosts that leave out the frame', () => {
    expect(readMessagesComplaint('{"message":"no access"}')).toMatchObject({
      message: 'no access',
      status: null,
    });
  });

  test('are not seen in an answer, nor in what is no JSON', () => {
    const answer = '{"type":"message","role":"assistant","content":[],"message":"x"}';
    for (const body of [answer, '<html>', '', '[]']) expect(readMessagesComplaint(body)).toBeNull();
  });
});

describe('complaints of hosts that answer here as they do for chats', () => {
  test.each([
    [
      'xAI’s',
      { code: 'no permission', error: 'Content violates usage guidelines.' },
      'Content violates usage guidelines.',
    ],
    [
      'a list of fields',
      { detail: [{ loc: ['body', 'top_k'], msg: 'is no number' }] },
      'top_k: is no number',
    ],
    ['one word', { detail: 'no' }, 'no'],
  ])('%s is read', (_, body, message) => {
    expect(readMessagesComplaint(JSON.stringify(body))).toMatchObject({ message });
  });

  test('the code of a detail is told, and an answer is none', () => {
    const error = {
      type: 'rate_limit_error',
      message: 'no',
      details: { error_code: 'enforced_spend_limit_reached' },
    };
    expect(readMessagesComplaint(JSON.stringify({ type: 'error', error }))).toMatchObject({
      ...{ code: 'enforced_spend_limit_reached', status: 429 },
    });
    const answer = { type: 'message', role: 'assistant', content: [], error: 'a field of the host' };
    expect(readMessagesComplaint(JSON.stringify(answer))).toBeNull();
  });
});
