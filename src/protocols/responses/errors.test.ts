import { afterEach, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { AppError, type ErrorCode } from '../../base/errors.ts';
import { readResponsesComplaint, responsesErrors } from './errors.ts';
import { created, responsesFrames, textDelta } from './testing/frames.ts';

const errorOf = (code: ErrorCode) => new AppError({ code, public: 'why' });

let server: ReturnType<typeof Bun.serve> | undefined;
afterEach(() => server?.stop(true));

function clientOf(answer: () => Response): OpenAI {
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
  return new OpenAI({ apiKey: 'k', baseURL: server.url.href, maxRetries: 0 });
}

const streamed = (text: string) => () =>
  new Response(text, { headers: { 'content-type': 'text/event-stream' } });
const caught = (error: unknown) => error;
const ask = { model: 'm', input: 'hi' };

describe('errors for Responses clients', () => {
  test('have the shape of the vendor, with the detail and the fields that failed', () => {
    const fields = [{ loc: ['model'], msg: 'is required', type: 'missing' }];
    const error = new AppError({
      code: 'validation_failed',
      public: 'model: is required',
      fields,
      param: 'model',
    });
    expect(JSON.parse(responsesErrors.writeBody(error, 'r'))).toEqual({
      error: {
        message: 'model: is required',
        type: 'invalid_request_error',
        param: 'model',
        code: 'validation_failed',
        fields,
      },
      detail: 'model: is required',
    });
  });

  test('are thrown by the official client, as an answer', async () => {
    const body = responsesErrors.writeBody(errorOf('insufficient_funds'), 'r');
    const client = clientOf(() => new Response(body, { status: 402 }));
    const error = await client.responses.create(ask).catch(caught);
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect(error).toMatchObject({ status: 402, code: 'insufficient_funds' });
  });

  test('are thrown by the official client in the middle of a stream, however it reads', async () => {
    const frames =
      responsesFrames(
        created,
        {
          type: 'response.output_item.added',
          output_index: 0,
          item: { type: 'message', id: 'msg_0', content: [] },
        },
        {
          type: 'response.content_part.added',
          output_index: 0,
          content_index: 0,
          item_id: 'msg_0',
          part: { type: 'output_text', text: '', annotations: [] },
        },
        textDelta(0, 'a'),
      ) + responsesErrors.writeFrames(errorOf('upstream_overloaded'), 'r');
    const client = clientOf(streamed(frames));
    const helped = await client.responses.stream(ask).finalResponse().catch(caught);
    expect(helped).toBeInstanceOf(OpenAI.APIError);
    expect(helped).toMatchObject({ code: 'upstream_overloaded' });
    expect(String(helped)).toContain('why');
    const events: string[] = [];
    const read = async () => {
      for await (const event of await client.responses.create({ ...ask, stream: true })) {
        events.push(event.type);
      }
    };
    expect(await read().catch(caught)).toMatchObject({ code: 'upstream_overloaded' });
    expect(events.at(-1)).toBe('response.output_text.delta');
  });

  test('go on with the number and the id of the stream that they end', () => {
    const position = { id: 'resp_up', nextNumber: 7 };
    const frames = responsesErrors
      .writeFrames(errorOf('upstream_timeout'), 'r', position)
      .trim()
      .split('\n\n');
    const events = frames.map((frame) => JSON.parse(frame.split('\n')[1]?.slice('data: '.length) ?? ''));
    expect(events).toMatchObject([
      { type: 'error', sequence_number: 7 },
      { type: 'response.failed', sequence_number: 8, response: { id: 'resp_up' } },
    ]);
  });

  test.each<[ErrorCode, string]>([
    ['context_length_exceeded', 'context_length_exceeded'],
    ['rate_limited', 'rate_limit_exceeded'],
    ['insufficient_funds', 'insufficient_quota'],
    ['upstream_timeout', 'server_error'],
  ])('%s makes a response that failed with %s', (code, word) => {
    const [, last] = responsesErrors.writeFrames(errorOf(code), 'r').trim().split('\n\n');
    const data = JSON.parse(last?.split('\n')[1]?.slice('data: '.length) ?? '');
    expect(data).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: word, message: 'why' } },
    });
  });
});

describe('errors of Responses upstreams', () => {
  test.each([
    [
      '{"error":{"message":"no","type":"t","param":"input","code":"c"}}',
      { code: 'c', param: 'input', status: null },
    ],
    ['{"error":{"message":"no","code":"context_length_exceeded"}}', { status: 400 }],
    ['{"type":"error","code":"server_error","message":"no"}', { status: 500 }],
    ['{"response":{"error":{"message":"no","code":"rate_limit_exceeded"}}}', { status: 429 }],
    ['{"detail":"no"}', { status: null }],
    ['[{"error":{"message":"no","code":503}}]', { status: 503 }],
  ])('are read: %s', (body, fields) => {
    expect(readResponsesComplaint(body)).toMatchObject({ message: 'no', ...fields });
  });

  test.each(['<html>', '', '[]', '{"id":"r","error":null,"output":[]}'])('are not seen in %p', (body) => {
    expect(readResponsesComplaint(body)).toBeNull();
  });
});
