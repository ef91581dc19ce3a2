/** How the hosts of those who make the models are written to. */
import { type ChatDialect, hostDialect } from '../../protocols/chat-completions/dialect.ts';

/** Refuses what it does not know, so it gets nothing but what it documents. */
export const mistral: ChatDialect = {
  ...hostDialect,
  replay: 'content',
  streamUsage: 'always',
  seedField: 'random_seed',
  logprobs: false,
  user: false,
  shortToolIds: true,
  vendorFields: ['metadata', 'prompt_cache_key'],
  reasoning: {
    style: 'effort',
    words: {
      none: 'none',
      minimal: 'none',
      low: 'high',
      medium: 'high',
      high: 'high',
      xhigh: 'high',
      max: 'high',
    },
    off: 'none',
  },
  reasoningByModel: [
    { models: /^magistral/, reasoning: { style: 'none' } },
    {
      models: /glm/,
      reasoning: {
        style: 'effort',
        words: { minimal: 'low', low: 'low', medium: 'high', high: 'high', xhigh: 'max', max: 'max' },
      },
    },
  ],
};

export const deepseek: ChatDialect = {
  ...hostDialect,
  replay: 'reasoning_content',
  emptyThinking: '',
  seedField: null,
  severalChoices: false,
  parallelToolCalls: false,
  strictTools: false,
  user: false,
  jsonSchema: false,
  reasoning: {
    style: 'thinking',
    on: 'enabled',
    canStop: true,
    words: { minimal: 'low', low: 'low', medium: 'high', high: 'high', xhigh: 'high', max: 'max' },
  },
};

export const xai: ChatDialect = {
  ...hostDialect,
  maxTokensFields: ['max_completion_tokens', 'max_tokens'],
  replay: 'reasoning_content',
  plainModels: /grok-(3-mini|[4-9]|code)/,
  reasoning: {
    style: 'effort',
    words: {
      none: 'none',
      minimal: 'low',
      low: 'low',
      medium: 'medium',
      high: 'high',
      xhigh: 'xhigh',
      max: 'xhigh',
    },
  },
  reasoningByModel: [
    {
      models: /^grok-3-mini/,
      reasoning: {
        style: 'effort',
        words: { minimal: 'low', low: 'low', medium: 'low', high: 'high', xhigh: 'high', max: 'high' },
      },
    },
    { models: /^grok-(4($|-|\.20)|code)/, reasoning: { style: 'none' } },
  ],
};

export const moonshot: ChatDialect = {
  ...hostDialect,
  maxTokensFields: ['max_completion_tokens', 'max_tokens'],
  replay: 'reasoning_content',
  emptyThinking: ' ',
  seedField: null,
  strictTools: false,
  imageUrls: false,
  fixedSampling: /^kimi-/,
  reasoning: { style: 'thinking', on: 'enabled', canStop: true },
  reasoningByModel: [
    {
      models: /^kimi-k3/,
      reasoning: {
        style: 'effort',
        words: { minimal: 'low', low: 'low', medium: 'high', high: 'high', xhigh: 'max', max: 'max' },
      },
    },
    { models: /^kimi-k2\.7/, reasoning: { style: 'thinking', on: 'enabled', canStop: false } },
    { models: /^moonshot-v1/, reasoning: { style: 'none' } },
  ],
};

export const alibaba: ChatDialect = {
  ...hostDialect,
  cacheMarks: true,
  replay: 'reasoning_content',
  topK: true,
  user: false,
  strictTools: false,
  reasoning: { style: 'enable_thinking' },
};

/** Searches the web instead of calling tools. */
export const perplexity: ChatDialect = {
  ...hostDialect,
  streamUsage: 'always',
  topK: true,
  seedField: null,
  stop: false,
  logprobs: false,
  severalChoices: false,
  user: false,
  tools: false,
  reasoning: { style: 'none' },
  reasoningByModel: [{ models: /reasoning|deep-research/, reasoning: hostDialect.reasoning }],
};

export const zai: ChatDialect = {
  ...hostDialect,
  cacheMarks: true,
  replay: 'reasoning_content',
  seedField: null,
  penalties: false,
  logprobs: false,
  severalChoices: false,
  user: false,
  parallelToolCalls: false,
  strictTools: false,
  toolChoices: [],
  jsonSchema: false,
  reasoning: { style: 'thinking', on: 'enabled', canStop: true },
};

export const minimax: ChatDialect = {
  ...hostDialect,
  maxTokensFields: ['max_completion_tokens', 'max_tokens'],
  cacheMarks: true,
  replay: 'reasoning_details',
  seedField: null,
  penalties: false,
  logprobs: false,
  severalChoices: false,
  user: false,
  strictTools: false,
  toolChoices: ['none'],
  reasoning: { style: 'thinking', on: 'adaptive', canStop: true },
  // Thinking would stand inside the text otherwise.
  extra: { reasoning_split: true },
};
