/** A conversation that asks for everything in which hosts differ, and still is one that each of them could take. */
import type { TurnRequest } from '../../protocols/turn/request.ts';

const schema = { type: 'object', properties: { hour: { type: 'integer' } }, required: ['hour'] };

export const conversation: TurnRequest = {
  system: [
    { type: 'text', text: 'You keep the lock.' },
    { type: 'text', text: 'Be brief.', cache: {} },
  ],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'When does the tide turn?' }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'The gauge knows.' },
        { type: 'tool_use', id: 'toolu_01FeedTheGauge', name: 'read_gauge', input: '{"post":4}' },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          toolUseId: 'toolu_01FeedTheGauge',
          content: [{ type: 'text', text: 'falling' }],
          isError: false,
        },
      ],
    },
  ],
  tools: [
    {
      kind: 'function',
      name: 'read_gauge',
      schema: { ...schema, additionalProperties: false },
      strict: true,
    },
    { kind: 'function', name: 'ring_bell', schema },
  ],
  toolChoice: { type: 'allowed', names: ['read_gauge'], required: false },
  parallelToolUse: false,
  maxOutputTokens: 900,
  stopSequences: [],
  sampling: { temperature: 0.4, topP: 0.9, topK: 20, seed: 7, frequencyPenalty: 0.1, presencePenalty: 0.2 },
  reasoning: { thinking: 'on', effort: 'medium', budgetTokens: 9000 },
  responseFormat: { type: 'json_schema', name: 'turn_of_tide', schema, strict: false },
  userId: 'keeper-4',
  stream: true,
  vendor: { openai: { prompt_cache_key: 'lock', service_tier: 'auto' } },
};

/** For hosts without tools. */
export const plainConversation: TurnRequest = {
  ...conversation,
  messages: conversation.messages.slice(0, 1),
  tools: [],
  toolChoice: undefined,
};
