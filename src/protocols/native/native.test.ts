import { describe, expect, test } from 'bun:test';
import { AppError } from '../../base/errors.ts';
import { responsesFrames } from '../responses/testing/frames.ts';
import { translate } from '../translate/translate.ts';
import { nativeErrors, nativeUpstream, readNativeRequest } from './protocol.ts';
import { nativeClient } from './testing/native-client.ts';

const valid = { model: 'm', input: [], stream: true };
const native = translate({ client: nativeClient, upstream: nativeUpstream });

function refusalOf(text: string): AppError {
  try {
    readNativeRequest(text);
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('it was accepted');
}

describe('a native request', () => {
  test('goes on byte for byte, its model, its spelling and unknown fields included', () => {
    const text =
      ' {"store" : false,"model":"alias","input":[{"n":12345678901234567890}],\n"stream":true,"metadata":{"session_id":"s"}}\n';
    expect(native.writeRequest(readNativeRequest(text), 'other')).toBe(text);
  });

  test.each([
    ['Input must be a list', { ...valid, input: 'hi' }],
    ['Input must be a list', { model: 'm' }],
    ['Input must be a list', { ...valid, input: {}, stream: false }],
    ['Stream must be set to true', { ...valid, stream: false }],
    ['Stream must be set to true', { ...valid, stream: 'true' }],
    ['Stream must be set to true', { model: 'm', input: [] }],
  ])('is refused: %s', (detail, body) => {
    const refusal = refusalOf(JSON.stringify(body));
    expect(refusal.status).toBe(400);
    expect(JSON.parse(nativeErrors.writeBody(refusal, 'r'))).toEqual({ detail });
  });

  test('needs a model and a JSON object', () => {
    expect(refusalOf('{"input":[],"stream":true}')).toMatchObject({ status: 422, param: 'model' });
    expect(refusalOf('[]')).toMatchObject({ status: 400, code: 'malformed_json' });
  });
});

describe('a native stream', () => {
  test('passes byte for byte; usage, end and errors are read', () => {
    const stream = native.openStream(readNativeRequest(JSON.stringify(valid)));
    const response = { id: 'r', status: 'completed', usage: { input_tokens: 7, output_tokens: 2 } };
    const bytes = responsesFrames(
      { type: 'response.created', response: { id: 'r' } },
      { type: 'response.output_text.delta', output_index: 0, delta: 'hi' },
      { type: 'response.completed', response },
    );
    expect(Buffer.from(stream.push(Buffer.from(bytes))).toString()).toBe(bytes);
    expect(stream).toMatchObject({ isComplete: true, usage: { inputTokens: 7, outputTokens: 2 } });
    expect(stream.end()).toHaveLength(0);
    const failing = native.openStream(readNativeRequest(JSON.stringify(valid)));
    failing.push(Buffer.from('data: {"detail":"The token has expired."}\n\n'));
    expect(failing.complaint).toMatchObject({ message: 'The token has expired.' });
  });

  test('tells an error as a response that failed', () => {
    const error = new AppError({ code: 'upstream_failed', public: 'The provider failed.' });
    const frames = nativeErrors.writeFrames(error, 'req_1');
    expect(frames).toContain('event: response.failed\n');
    expect(frames).toContain('"error":{"code":"server_error","message":"The provider failed."}');
  });

  test('the body of a refusal is understood', () => {
    expect(native.readComplaint('{"detail":"Unsupported model"}')).toMatchObject({
      message: 'Unsupported model',
    });
  });
});
