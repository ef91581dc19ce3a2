import { expect, test } from 'bun:test';
import { googleUpstream } from '../../protocols/google/protocol.ts';
import { messagesClient } from '../../protocols/messages/protocol.ts';
import { googleCount } from './google.ts';

const count = googleCount(googleUpstream);

test('the whole request is counted, instructions and tools included', () => {
  const turn = messagesClient.readRequest({
    system: 'Answer in rhymes.',
    messages: [{ role: 'user', content: 'What is a sonnet?' }],
    tools: [{ name: 'rhyme', input_schema: { type: 'object', properties: {} } }],
  });
  const chatBody = googleUpstream.writeRequest(turn, { id: 'gemini-3-flash' });
  const asked: unknown = JSON.parse(count.writeRequest(chatBody, 'gemini-3-flash'));
  const chat: unknown = JSON.parse(chatBody);
  expect(asked).toEqual({
    generateContentRequest: { ...Object(chat), model: 'models/gemini-3-flash' },
  });
  expect(chat).toHaveProperty('systemInstruction');
  expect(chat).toHaveProperty('tools');
});

test('a model that is named in full keeps its name', () => {
  const asked = count.writeRequest('{"contents":[]}', 'tunedModels/mine');
  expect(JSON.parse(asked)).toEqual({ generateContentRequest: { contents: [], model: 'tunedModels/mine' } });
});

test.each([
  [{ totalTokens: 31, promptTokensDetails: [] }, 31],
  [{ promptTokensDetails: [] }, null],
  [{ error: { code: 400, message: 'no' } }, null],
  [{ totalTokens: '31' }, null],
  [{ totalTokens: -1 }, null],
  [[], null],
  [undefined, null],
])('of the answer %j the count is %p', (answer, tokens) => {
  expect(count.readCount(answer)).toBe(tokens);
});
