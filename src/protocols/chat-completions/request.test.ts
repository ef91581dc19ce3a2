import { describe, expect, test } from 'bun:test';
import { AppError } from '../../base/errors.ts';
import { shapeLaws } from '../testing/shape-laws.ts';
import { chatRequestSchema, isSoundChatRequest, readChatRequest } from './request.ts';

const valid = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };

function refusalOf(body: unknown): AppError {
  try {
    readChatRequest(typeof body === 'string' ? body : JSON.stringify(body));
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('it was accepted');
}

describe('readChatRequest', () => {
  test('keeps the text as it came and reads the control fields', () => {
    const text = JSON.stringify({ ...valid, stream: true, stream_options: { include_usage: true }, seed: 1 });
    const request = readChatRequest(text);
    expect(request).toMatchObject({ text, model: 'm', stream: true, wantsStreamUsage: true });
  });

  test.each([
    { temperature: null, max_tokens: null, top_p: null, stream: null, metadata: null, stream_options: null },
    { temperature: 0, top_p: 0, max_tokens: 1 },
    { temperature: 2, top_p: 1 },
    { messages: [{ role: 'developer', content: [{ type: 'text', text: 'x' }] }] },
    { messages: [{ role: 'assistant', tool_calls: [] }] },
    { messages: [{ role: 'tool', tool_call_id: 'c', content: 'x' }] },
    { anything: { unknown: true } },
  ])('accepts %j', (fields) => {
    expect(readChatRequest(JSON.stringify({ ...valid, ...fields })).model).toBe('m');
  });

  test.each([
    [{ model: 5 }, 'model'],
    [{ model: '' }, 'model'],
    [{ messages: 'hi' }, 'messages'],
    [{ messages: [] }, 'messages'],
    [{ messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role'],
    [{ messages: [{ role: 'user' }] }, 'messages[0].content'],
    [{ messages: [{ role: 'user', content: 7 }] }, 'messages[0].content'],
    [{ stream: 'yes' }, 'stream'],
    [{ temperature: 2.1 }, 'temperature'],
    [{ temperature: '1' }, 'temperature'],
    [{ top_p: -0.1 }, 'top_p'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ max_tokens: 1.5 }, 'max_tokens'],
    [{ metadata: { session_id: 5 } }, 'metadata.session_id'],
  ])('422 for %j, and says where', (fields, param) => {
    const refusal = refusalOf({ ...valid, ...fields });
    expect(refusal).toMatchObject({ code: 'validation_failed', status: 422, param });
    expect(refusal.fields.length).toBeGreaterThan(0);
  });

  test('422 lists every field that is wrong', () => {
    const refusal = refusalOf({ temperature: 9, top_p: 9 });
    expect(refusal.fields.map(({ loc, type }) => [loc.join('.'), type])).toEqual([
      ['model', 'missing'],
      ['messages', 'missing'],
      ['temperature', 'too_big'],
      ['top_p', 'too_big'],
    ]);
  });

  test.each(['', '{', '[]', 'null', '"text"', '{"model":"m",}'])('400 for a body of %p', (body) => {
    expect(refusalOf(body)).toMatchObject({ code: 'malformed_json', status: 400 });
  });

  test('400 for stream_options without stream', () => {
    expect(refusalOf({ ...valid, stream_options: { include_usage: true } })).toMatchObject({
      code: 'invalid_parameter',
      param: 'stream_options',
    });
  });
});

describe('the check before the schema', () => {
  const user = { role: 'user', content: 'hi' };
  shapeLaws({
    isSound: isSoundChatRequest,
    isTaken: (json) => chatRequestSchema.safeParse(json).success,
    usual: [
      { model: 'm', messages: [user] },
      {
        model: 'm',
        stream: true,
        stream_options: { include_usage: true },
        metadata: { session_id: 's', sticky_key: null, own: 1 },
        temperature: 0.7,
        top_p: 1,
        max_tokens: 9,
        max_completion_tokens: null,
        messages: [
          { role: 'developer', content: 'be brief' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'hi' },
              { type: 'image_url', image_url: { url: 'u' } },
            ],
          },
          { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: {} }] },
          { role: 'tool', tool_call_id: 'c', content: '' },
        ],
      },
    ],
  });
});
