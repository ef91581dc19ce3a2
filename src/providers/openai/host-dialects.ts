/** How the hosts of models that others make are written to. */
import {
  type ChatDialect,
  type EffortWords,
  hostDialect,
  openaiDialect,
} from '../../protocols/chat-completions/dialect.ts';

const threeEfforts: EffortWords = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

export const groq: ChatDialect = {
  ...hostDialect,
  maxTokensFields: ['max_completion_tokens', 'max_tokens'],
  replay: 'reasoning',
  logprobs: false,
  severalChoices: false,
  vendorFields: ['service_tier'],
  // Knows only whether, not how much.
  reasoningByModel: [
    {
      models: /qwen/,
      reasoning: {
        style: 'effort',
        words: {
          none: 'none',
          minimal: 'default',
          low: 'default',
          medium: 'default',
          high: 'default',
          xhigh: 'default',
          max: 'default',
        },
        off: 'none',
      },
    },
  ],
};

export const openrouter: ChatDialect = {
  ...hostDialect,
  maxTokensFields: ['max_tokens', 'max_completion_tokens'],
  cacheMarks: true,
  textParts: true,
  replay: 'reasoning_details',
  developerRole: true,
  topK: true,
  vendorFields: openaiDialect.vendorFields,
  reasoning: {
    style: 'object',
    words: { minimal: 'minimal', low: 'low', medium: 'medium', high: 'high', xhigh: 'xhigh', max: 'xhigh' },
  },
};

export const together: ChatDialect = {
  ...hostDialect,
  topK: true,
  replay: 'reasoning_content',
  user: false,
  strictTools: false,
  reasoning: { style: 'enabled', words: threeEfforts },
  // Cannot be switched off.
  reasoningByModel: [{ models: /gpt-oss/, reasoning: { style: 'effort', words: threeEfforts } }],
};

export const fireworks: ChatDialect = {
  ...hostDialect,
  replay: 'reasoning_content',
  topK: true,
  strictTools: false,
  vendorFields: ['prompt_cache_key', 'service_tier'],
  reasoning: { style: 'effort', words: { none: 'none', ...threeEfforts }, off: 'none' },
};

export const cerebras: ChatDialect = {
  ...hostDialect,
  maxTokensFields: ['max_completion_tokens', 'max_tokens'],
  replay: 'reasoning',
  penalties: false,
  severalChoices: false,
  parallelToolCalls: false,
};

export const sambanova: ChatDialect = {
  ...hostDialect,
  topK: true,
  seedField: null,
  penalties: false,
  logprobs: false,
  severalChoices: false,
  user: false,
  strictTools: false,
};

export const deepinfra: ChatDialect = {
  ...hostDialect,
  topK: true,
  logprobs: false,
  strictTools: false,
  toolChoices: ['none'],
};

/** Speaks for many providers, so that only what all of them know can be relied on. */
export const huggingface: ChatDialect = { ...hostDialect, user: false, parallelToolCalls: false };
