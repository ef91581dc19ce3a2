import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import type { AppError } from '../../base/errors.ts';
import { readChatRequest } from '../chat-completions/request.ts';
import { readGoogleRequest } from '../google/request.ts';
import { readMessagesRequest } from '../messages/request.ts';
import { readRerankRequest } from '../rerank/request.ts';
import { readResponsesRequest } from '../responses/request.ts';
import { asFieldIssues, listOf } from './body.ts';

function refusalOf(schema: z.ZodType, value: unknown): AppError {
  const { error } = schema.safeParse(value);
  if (error === undefined) throw new Error('it was accepted');
  return asFieldIssues(error, value);
}

describe('a list that is checked', () => {
  test('is looked at no further than its error can tell, and the rest is counted', () => {
    let looked = 0;
    const entry = z.number().refine(() => {
      looked += 1;
      return false;
    }, 'is wrong');
    const refusal = refusalOf(z.object({ list: listOf(entry) }), { list: Array(100_000).fill(1) });
    expect(looked).toBe(20);
    expect(refusal.fields.map(({ loc }) => loc)).toEqual(Array.from({ length: 20 }, (_, at) => ['list', at]));
    expect(refusal.message).toBe('list[0]: is wrong (and 19 more; 99980 further entries were not checked)');
  });

  test('stops for what is wrong in the lists inside it', () => {
    const inner = listOf(z.string());
    const list = Array(1000).fill({ inner: Array(1000).fill(1) });
    const refusal = refusalOf(z.object({ list: listOf(z.object({ inner })) }), { list });
    expect(refusal.fields).toHaveLength(20);
    expect(refusal.fields[19]?.loc).toEqual(['list', 0, 'inner', 19]);
    expect(refusal.message).toEndWith('(and 19 more; 1979 further entries were not checked)');
  });

  test('names 20 fields of several lists, and says how many more there are', () => {
    const lists = z.object({ a: listOf(z.string()), b: listOf(z.string()) });
    const refusal = refusalOf(lists, { a: Array(15).fill(1), b: Array(15).fill(1) });
    expect(refusal.fields).toHaveLength(20);
    expect(refusal.message).toEndWith('(and 29 more)');
  });

  test('is taken as it came', () => {
    const list = [{ type: 'text', text: 'x' }];
    expect(z.object({ list: listOf(z.object({ type: z.string() })) }).parse({ list }).list).toBe(list);
  });

  test('says what is missing in an entry, and what a list must be', () => {
    const schema = z.object({ list: listOf(z.object({ name: z.string() }), { least: 1, most: 2 }) });
    expect(refusalOf(schema, { list: [{}] }).fields).toEqual([
      { loc: ['list', 0, 'name'], msg: 'is required', type: 'missing' },
    ]);
    expect(refusalOf(schema, {}).fields[0]).toMatchObject({ loc: ['list'], type: 'missing' });
    expect(refusalOf(schema, { list: 'a' }).fields[0]).toMatchObject({ type: 'invalid_type' });
    expect(refusalOf(schema, { list: [] }).fields[0]).toMatchObject({ type: 'too_small' });
    expect(refusalOf(schema, { list: [1, 2, 3] }).fields).toMatchObject([{ loc: ['list'], type: 'too_big' }]);
  });
});

describe('what is wrong with a request of very many wrong parts is told briefly', () => {
  const wrong = Array(50_000).fill(1);
  const user = { role: 'user', content: 'x' };
  const google = (text: string) => readGoogleRequest(text, { model: 'm', stream: false });

  test.each([
    ['chat messages', readChatRequest, { model: 'm', messages: wrong }],
    ['chat parts', readChatRequest, { model: 'm', messages: [{ role: 'user', content: wrong }] }],
    ['messages', readMessagesRequest, { model: 'm', max_tokens: 1, messages: wrong }],
    ['blocks', readMessagesRequest, { model: 'm', max_tokens: 1, messages: [{ ...user, content: wrong }] }],
    ['system blocks', readMessagesRequest, { model: 'm', max_tokens: 1, messages: [user], system: wrong }],
    ['tools', readMessagesRequest, { model: 'm', max_tokens: 1, messages: [user], tools: wrong }],
    ['stops', readMessagesRequest, { model: 'm', max_tokens: 1, messages: [user], stop_sequences: wrong }],
    ['items', readResponsesRequest, { model: 'm', input: wrong }],
    ['tools of responses', readResponsesRequest, { model: 'm', input: 'x', tools: wrong }],
    ['includes', readResponsesRequest, { model: 'm', input: 'x', include: wrong }],
    ['contents', google, { contents: wrong }],
    ['parts of a content', google, { contents: [{ parts: wrong }] }],
    ['tools of Gemini', google, { contents: [{ parts: [{ text: 'x' }] }], tools: wrong }],
    ['documents', readRerankRequest, { model: 'm', query: 'x', documents: wrong.slice(0, 1000) }],
  ])('%s', (_name, read, body) => {
    try {
      read(JSON.stringify(body));
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: 'validation_failed', fields: { length: 20 } });
      expect(thrown).toHaveProperty(
        'message',
        expect.stringMatching(/[0-9]+ further entries were not checked/),
      );
      return;
    }
    throw new Error('it was accepted');
  });
});
