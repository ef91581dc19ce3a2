import { describe, expect, test } from 'bun:test';
import { readMessagesTurn } from './read-request.ts';

const schema = { type: 'object', properties: { a: { type: 'string' } } };
const format = { type: 'json_schema', schema };
const otherFormat = { type: 'json_schema', schema: { type: 'object' } };
const messages = [{ role: 'user', content: 'hi' }];

describe('the form of the answer', () => {
  test.each([
    ['the name it has now', { output_config: { format } }],
    ['the name it had in the beta', { output_format: format }],
    ['both', { output_config: { format }, output_format: otherFormat }],
  ])('is read under %s', (_, fields) => {
    expect(readMessagesTurn({ messages, ...fields }).responseFormat).toEqual({
      type: 'json_schema',
      schema,
      strict: true,
    });
  });
});

test('an image of another name for JPEG is a JPEG', () => {
  const source = { type: 'base64', media_type: 'image/jpg', data: 'AAAA' };
  const [message] = readMessagesTurn({
    messages: [{ role: 'user', content: [{ type: 'image', source }] }],
  }).messages;
  expect(message?.content).toMatchObject([{ source: { mediaType: 'image/jpeg' } }]);
});
