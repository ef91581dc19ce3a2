import { describe, expect, test } from 'bun:test';
import { writeConverseTurn } from '../converse/write-request.ts';
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

describe('a cache mark of the whole request', () => {
  const cache_control = { type: 'ephemeral', ttl: '1h' };
  const said = (...all: readonly object[]) => readMessagesTurn({ messages: all, cache_control }).messages;

  test('stands on the last block that can have one', () => {
    const text = (value: string) => ({ type: 'text', text: value }) as const;
    expect(
      said(...messages, { role: 'assistant', content: 'yes' }, { role: 'user', content: 'go on' }),
    ).toEqual([
      { role: 'user', content: [text('hi')] },
      { role: 'assistant', content: [text('yes')] },
      { role: 'user', content: [{ ...text('go on'), cache: { ttl: '1h' } }] },
    ]);
    const result = { type: 'tool_result', tool_use_id: 't', content: 'x' };
    expect(said({ role: 'user', content: [result] })).toMatchObject([
      { content: [{ cache: { ttl: '1h' } }] },
    ]);
  });

  test('leaves alone what is marked itself', () => {
    const content = [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '5m' } }];
    expect(said({ role: 'user', content })).toMatchObject([{ content: [{ cache: { ttl: '5m' } }] }]);
    expect(readMessagesTurn({ messages: [], cache_control }).messages).toEqual([]);
  });

  test('goes on to hosts that take marks', () => {
    const turn = readMessagesTurn({ messages, cache_control });
    const written = JSON.parse(writeConverseTurn(turn, { id: 'anthropic.claude-sonnet-4-5' }));
    expect(written.messages[0].content[1]).toEqual({ cachePoint: { type: 'default', ttl: '1h' } });
  });
});
