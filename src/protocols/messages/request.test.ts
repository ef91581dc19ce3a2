import { describe, expect, test } from 'bun:test';
import { AppError } from '../../base/errors.ts';
import { readMessagesRequest } from './request.ts';

const valid = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] };

function refusalOf(body: unknown): AppError {
  try {
    readMessagesRequest(typeof body === 'string' ? body : JSON.stringify(body));
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('it was accepted');
}

describe('readMessagesRequest', () => {
  test('keeps the text as it came and reads the control fields', () => {
    const text = JSON.stringify({ ...valid, stream: true, unknown: { kept: 1 } });
    expect(readMessagesRequest(text)).toMatchObject({
      text,
      model: 'm',
      stream: true,
      json: { unknown: { kept: 1 } },
    });
  });

  test.each([
    { model: 'auto' },
    { system: 'be kind' },
    { system: [{ type: 'text', text: 'be kind', cache_control: { type: 'ephemeral' } }] },
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'image', source: { type: 'url', url: 'https://example.test/a.png' } }],
        },
      ],
    },
    {
      messages: [
        { role: 'user', content: 'a' },
        { role: 'system', content: 'b' },
      ],
    },
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    { temperature: 1, top_p: 0, top_k: 0, stop_sequences: [], metadata: { user_id: null } },
    { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
  ])('accepts %j', (fields) => {
    expect(readMessagesRequest(JSON.stringify({ ...valid, ...fields })).stream).toBe(false);
  });

  test.each([
    [{ model: 5 }, 'model'],
    [{ max_tokens: undefined }, 'max_tokens'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ max_tokens: '10' }, 'max_tokens'],
    [{ messages: [] }, 'messages'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].role'],
    [{ messages: [{ role: 'user' }] }, 'messages[0].content'],
    [{ system: 5 }, 'system'],
    [{ temperature: 1.1 }, 'temperature'],
    [{ top_p: 2 }, 'top_p'],
    [{ top_k: -1 }, 'top_k'],
    [{ stop_sequences: 'END' }, 'stop_sequences'],
    [{ stream: 1 }, 'stream'],
    [{ metadata: { sticky_key: 5 } }, 'metadata.sticky_key'],
    [{ tool_choice: 'auto' }, 'tool_choice'],
  ])('422 for %j, and says where', (fields, param) => {
    const refusal = refusalOf({ ...valid, ...fields });
    expect(refusal).toMatchObject({ code: 'validation_failed', status: 422, param });
  });

  test('400 for a body that is no JSON object', () => {
    for (const body of ['', '{', '[]', 'null'])
      expect(refusalOf(body)).toMatchObject({ code: 'malformed_json' });
  });
});
