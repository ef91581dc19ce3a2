import { expect, test } from 'bun:test';
import { messagesUpstream } from '../../protocols/messages/protocol.ts';
import { converseCount } from './bedrock.ts';

/** What is written does not depend on it. */
const count = converseCount(messagesUpstream);

test('what makes up the input is sent, and nothing of how to answer', () => {
  const input = {
    messages: [{ role: 'user', content: [{ text: 'What is a sonnet?' }] }],
    system: [{ text: 'Answer in rhymes.' }],
    toolConfig: { tools: [{ toolSpec: { name: 'rhyme', inputSchema: { json: { type: 'object' } } } }] },
    additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 2048 } },
  };
  const chatBody = JSON.stringify({
    ...input,
    inferenceConfig: { maxTokens: 9, temperature: 1 },
    outputConfig: { textFormat: {} },
    additionalModelResponseFieldPaths: ['/delta/stop_sequence'],
    requestMetadata: { user_id: 'u' },
    performanceConfig: { latency: 'optimized' },
    guardrailConfig: {},
  });
  expect(JSON.parse(count.writeRequest(chatBody, 'm'))).toEqual({ input: { converse: input } });
});

test('what the request does not have is left out', () => {
  const asked = count.writeRequest('{"messages":[],"inferenceConfig":{}}', 'm');
  expect(asked).toBe('{"input":{"converse":{"messages":[]}}}');
});

test.each([
  [{ inputTokens: 31 }, 31],
  [{ inputTokens: 0 }, 0],
  [{ inputTokens: 1.5 }, null],
  [{ message: 'The model cannot count.' }, null],
  ['', null],
])('of the answer %j the count is %p', (answer, tokens) => {
  expect(count.readCount(answer)).toBe(tokens);
});
