import { describe, expect, test } from 'bun:test';
import { AppError } from '../../base/errors.ts';
import { shapeLaws } from '../testing/shape-laws.ts';
import { isSoundResponsesRequest, readResponsesRequest, responsesSchemaFor } from './request.ts';

const valid = { model: 'm', input: 'hi' };

function refusalOf(body: unknown): AppError {
  try {
    readResponsesRequest(typeof body === 'string' ? body : JSON.stringify(body));
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('it was accepted');
}

describe('readResponsesRequest', () => {
  test('keeps the text as it came and reads the control fields', () => {
    const text = JSON.stringify({ ...valid, stream: true, unknown: [1] });
    expect(readResponsesRequest(text)).toMatchObject({ text, model: 'm', stream: true });
  });

  test.each([
    { instructions: null, stream: null, temperature: null, tools: null, text: null, reasoning: null },
    { input: [{ role: 'user', content: 'hi' }] },
    { input: [{ type: 'function_call_output', call_id: 'c', output: 'x' }] },
    { input: undefined, previous_response_id: 'resp_1' },
    { input: null, prompt: { id: 'p' } },
    { temperature: 2, top_p: 0, top_logprobs: 20, max_output_tokens: 1 },
    { tool_choice: 'auto', tools: [{ type: 'web_search' }] },
    { text: { format: { type: 'text' } }, reasoning: { effort: 'high', summary: 'auto' } },
  ])('accepts %j', (fields) => {
    expect(readResponsesRequest(JSON.stringify({ ...valid, ...fields })).stream).toBe(false);
  });

  test.each([
    [{ model: undefined }, 'model'],
    [{ model: '' }, 'model'],
    [{ input: undefined }, 'input'],
    [{ input: 7 }, 'input'],
    [{ input: {} }, 'input'],
    [{ instructions: [] }, 'instructions'],
    [{ stream: 'yes' }, 'stream'],
    [{ temperature: 2.1 }, 'temperature'],
    [{ top_p: -0.1 }, 'top_p'],
    [{ top_logprobs: 21 }, 'top_logprobs'],
    [{ max_output_tokens: 0 }, 'max_output_tokens'],
    [{ max_output_tokens: 1.5 }, 'max_output_tokens'],
    [{ tools: [{ name: 'x' }] }, 'tools[0].type'],
    [{ text: { format: 'json' } }, 'text.format'],
    [{ reasoning: 'high' }, 'reasoning'],
    [{ include: 'x' }, 'include'],
    [{ store: 1 }, 'store'],
    [{ metadata: { session_id: 5 } }, 'metadata.session_id'],
  ])('422 for %j, and says where', (fields, param) => {
    const refusal = refusalOf({ ...valid, ...fields });
    expect(refusal).toMatchObject({ code: 'validation_failed', status: 422, param });
    expect(refusal.fields.length).toBeGreaterThan(0);
  });

  test('422 lists every field that is wrong', () => {
    const refusal = refusalOf({ input: 5, temperature: 9 });
    expect(refusal.fields.map(({ loc }) => loc.join('.'))).toEqual(['model', 'input', 'temperature']);
  });

  test.each(['', '{', '[]', 'null', '"text"'])('400 for a body of %p', (body) => {
    expect(refusalOf(body)).toMatchObject({ code: 'malformed_json', status: 400 });
  });
});

describe('the check before the schema', () => {
  shapeLaws({
    isSound: isSoundResponsesRequest,
    isTaken: (json) => responsesSchemaFor(json).safeParse(json).success,
    usual: [
      { model: 'm', input: 'hi' },
      {
        model: 'm',
        input: [
          { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
          { type: 'reasoning', summary: [], encrypted_content: 'e' },
          { type: 'function_call_output', call_id: 'c', output: 'o' },
        ],
        instructions: 'be brief',
        previous_response_id: null,
        metadata: { session_id: 's', sticky_key: 'k' },
        stream: true,
        store: false,
        background: false,
        parallel_tool_calls: true,
        temperature: 1,
        top_p: 0.5,
        top_logprobs: 20,
        max_output_tokens: 16,
        tools: [{ type: 'function', name: 'f', parameters: {} }],
        tool_choice: { type: 'function', name: 'f' },
        text: { format: { type: 'json_object' }, verbosity: 'low' },
        reasoning: { effort: 'low', summary: 'auto' },
        include: ['reasoning.encrypted_content'],
        user: 'u',
      },
    ],
  });
});
