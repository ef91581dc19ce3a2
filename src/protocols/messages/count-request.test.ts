import { describe, expect, test } from 'bun:test';
import { AppError } from '../../base/errors.ts';
import { readCountRequest } from './count-request.ts';
import { readMessagesRequest } from './request.ts';

const valid = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };

function refusalOf(read: (text: string) => unknown, body: unknown): AppError {
  try {
    read(typeof body === 'string' ? body : JSON.stringify(body));
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('it was accepted');
}

describe('readCountRequest', () => {
  test('needs no bound for an answer, and keeps the text as it came', () => {
    const text = JSON.stringify({ ...valid, output_config: { effort: 'low' }, unknown: { kept: 1 } });
    expect(readCountRequest(text)).toEqual({
      text,
      json: JSON.parse(text),
      model: 'm',
      stream: false,
      wantsStreamUsage: true,
    });
  });

  test.each([
    { system: 'be kind' },
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }], tool_choice: { type: 'any' } },
    { thinking: { type: 'enabled', budget_tokens: 2048 } },
    // Not of this endpoint, but of the body that a client is about to send.
    { max_tokens: 10, stream: true },
    { max_tokens: 0 },
  ])('accepts %j', (fields) => {
    const text = JSON.stringify({ ...valid, ...fields });
    expect(readCountRequest(text)).toMatchObject({ text, stream: false });
  });

  test.each([
    [{ model: undefined }, 'model'],
    [{ model: '' }, 'model'],
    [{ messages: undefined }, 'messages'],
    [{ messages: [] }, 'messages'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].role'],
    [{ system: 5 }, 'system'],
    [{ tools: [{ name: '' }] }, 'tools[0].name'],
    [{ tool_choice: 'auto' }, 'tool_choice'],
    [{ thinking: { type: 'enabled', budget_tokens: 'many' } }, 'thinking.budget_tokens'],
  ])('refuses %j as the messages endpoint does', (fields, param) => {
    const refusal = refusalOf(readCountRequest, { ...valid, ...fields });
    const {
      code,
      message,
      fields: issues,
    } = refusalOf(readMessagesRequest, { ...valid, max_tokens: 1, ...fields });
    expect(refusal).toMatchObject({ code, message, param });
    expect(refusal.fields).toEqual(issues);
  });

  test('400 for a body that is no JSON object', () => {
    for (const body of ['', '{', '[]', 'null', '{"model": }'])
      expect(refusalOf(readCountRequest, body)).toMatchObject({ code: 'malformed_json' });
  });
});
