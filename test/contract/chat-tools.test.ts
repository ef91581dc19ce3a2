/** Clients of chat completions with function tools, over a model that refuses them there while it reasons. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { startTestSluice, type TestSluice, usualModel, usualProvider } from '../support/sluice.ts';

const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { name: 'clock' } }];
const messages = [{ role: 'user' as const, content: 'What time is it?' }];

describe('function tools beside an effort', () => {
  let sluice: TestSluice;

  beforeAll(async () => {
    const model = { ...usualModel, aliases: [], capabilities: ['tools', 'thinking'] };
    const at = (id: string, upstream_id: string) => ({
      ...{ ...model, id, providers: [{ provider: 'main', upstream_id }] },
    });
    sluice = await startTestSluice({
      file: (url) => ({
        providers: [{ ...usualProvider(url), settings: { protocols: ['chat-completions', 'responses'] } }],
        models: [at('newer', 'gpt-5.4'), at('older', 'gpt-5.2')],
      }),
    });
  });
  afterAll(() => sluice.stop());
  beforeEach(() => sluice.upstream.forget());

  test.each([
    ['newer', { tools, reasoning_effort: 'high' }, '/v1/responses'],
    ['newer', { tools }, '/v1/chat/completions'],
    ['newer', { reasoning_effort: 'high' }, '/v1/chat/completions'],
    ['older', { tools, reasoning_effort: 'high' }, '/v1/chat/completions'],
  ] as const)('to the %s model, %j, go to %s', async (model, fields, path) => {
    const { completions } = sluice.client().chat;
    const whole = await completions.create({ model, messages, ...fields });
    expect(whole.object).toBe('chat.completion');
    const streamed = await completions.stream({ model, messages, ...fields }).finalChatCompletion();
    expect(streamed.choices).toHaveLength(1);
    expect(sluice.upstream.requests.map((request) => request.path)).toEqual([path, path]);
    if (path === '/v1/responses') {
      expect(sluice.upstream.requests[0]?.body).toMatchObject({
        reasoning: { effort: 'high' },
        tools: [{ type: 'function', name: 'clock' }],
      });
    }
  });

  test.each([
    ['newer', true, '/v1/responses'],
    ['newer', false, '/v1/chat/completions'],
    ['older', true, '/v1/chat/completions'],
  ] as const)(
    'of a messages client, to the %s model, tools: %p, think where they may',
    async (model, hasTools, path) => {
      const client = new Anthropic({ baseURL: sluice.url, apiKey: sluice.token, maxRetries: 0 });
      await client.messages.create({
        ...{ model, max_tokens: 9000, messages, thinking: { type: 'enabled', budget_tokens: 8000 } },
        ...(hasTools ? { tools: [{ name: 'clock', input_schema: { type: 'object' } }] } : {}),
      });
      expect(sluice.upstream.requests.map((request) => request.path)).toEqual([path]);
      const { reasoning, reasoning_effort } = Object(sluice.upstream.requests[0]?.body);
      expect(reasoning?.effort ?? reasoning_effort).toBe('medium');
    },
  );
});
