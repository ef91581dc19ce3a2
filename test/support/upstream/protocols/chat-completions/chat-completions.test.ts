/** The double as a chat completions host: what it refuses. Its answers are seen in the tests of the whole double. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startUpstream, type Upstream } from '../../index.ts';

let upstream: Upstream;

beforeAll(() => {
  upstream = startUpstream();
});
afterAll(() => upstream.stop());

const user = (content: unknown) => ({ role: 'user', content });
const call = { id: 'call_1', type: 'function', function: { name: 'tide', arguments: '{}' } };
const calling = { role: 'assistant', content: null, tool_calls: [call] };
const answer = { role: 'tool', tool_call_id: 'call_1', content: 'high' };
const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
const strict = { type: 'json_schema', json_schema: { name: 'a', strict: true, schema } };

const post = (fields: object): Promise<Response> =>
  fetch(`${upstream.url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'barge-1', messages: [user('Hi')], ...fields }),
  });

test.each([
  ['a role of another protocol', { messages: [{ role: 'model', content: 'Hi' }] }],
  ['a message without content', { messages: [{ role: 'user' }] }],
  ['a call without an answer', { messages: [user('Hi'), calling, user('And?')] }],
  ['a call that is the last word', { messages: [user('Hi'), calling] }],
  ['an answer without a call', { messages: [user('Hi'), answer] }],
  ['an empty list of calls', { messages: [user('Hi'), { ...calling, tool_calls: [] }] }],
  [
    'arguments as an object',
    {
      messages: [
        user('Hi'),
        { ...calling, tool_calls: [{ ...call, function: { name: 'tide', arguments: {} } }] },
        answer,
      ],
    },
  ],
  ['an image as bare base64', { messages: [user([{ type: 'image_url', image_url: { url: 'AAAA' } }])] }],
  ['a file as bare base64', { messages: [user([{ type: 'file', file: { file_data: 'AAAA' } }])] }],
  ['an open schema that calls itself strict', { response_format: strict }],
])('it refuses %s', async (_name, fields) => {
  const response = await post(fields);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
});

test('it takes calls with their answers, in any order', async () => {
  const calls = { ...calling, tool_calls: [call, { ...call, id: 'call_2' }] };
  const answers = [{ ...answer, tool_call_id: 'call_2' }, answer];
  expect((await post({ messages: [user('Hi'), calls, ...answers, user('And?')] })).status).toBe(200);
});
