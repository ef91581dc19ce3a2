/** Hosts of those who make the models. */
import { type ChatDialect, hostDialect } from '../../protocols/chat-completions/dialect.ts';
import { openaiEmbeddings } from '../../protocols/embeddings/openai.ts';
import { openaiTranscription } from '../../protocols/transcription/openai.ts';
import { alibabaMembers, perplexityMembers, xaiMembers } from '../closed-members.ts';
import type { Preset } from './compatible-adapter.ts';
import { perplexityAgent } from './perplexity.ts';

/** Refuses what it does not know, so it gets nothing but what it documents. */
const mistral: ChatDialect = {
  ...hostDialect,
  replay: 'content',
  streamUsage: 'always',
  seedField: 'random_seed',
  logprobs: false,
  user: false,
  shortToolIds: true,
  ownShape: true,
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

const deepseek: ChatDialect = {
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

const xai: ChatDialect = {
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

const moonshot: ChatDialect = {
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

const alibaba: ChatDialect = {
  ...hostDialect,
  cacheMarks: true,
  replay: 'reasoning_content',
  topK: true,
  user: false,
  strictTools: false,
  reasoning: { style: 'enable_thinking' },
};

const zai: ChatDialect = {
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

const minimax: ChatDialect = {
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

export const makers: readonly Preset[] = [
  {
    kind: 'mistral',
    source: 'https://docs.mistral.ai/api',
    asOf: '2026-11',
    baseUrl: 'https://api.mistral.ai/v1',
    keyVariable: 'MISTRAL_API_KEY',
    dialect: mistral,
    responses: 'none',
    embeddings: openaiEmbeddings({
      name: 'mistral-embeddings',
      maxInputs: 32,
      tokenIds: false,
      dimensionsField: 'output_dimension',
      passes: ['output_dtype', 'metadata'],
    }),
    transcription: openaiTranscription(),
  },
  {
    kind: 'deepseek',
    source: 'https://api-docs.deepseek.com',
    asOf: '2026-11',
    baseUrl: 'https://api.deepseek.com/v1',
    keyVariable: 'DEEPSEEK_API_KEY',
    dialect: deepseek,
    responses: 'on demand',
  },
  {
    kind: 'xai',
    source: 'https://docs.x.ai/docs/api-reference',
    asOf: '2026-11',
    baseUrl: 'https://api.x.ai/v1',
    keyVariable: 'XAI_API_KEY',
    dialect: xai,
    closedMembers: xaiMembers,
    responses: 'offered',
  },
  {
    kind: 'moonshot',
    source: 'https://platform.moonshot.ai/docs',
    asOf: '2026-11',
    baseUrl: 'https://api.moonshot.ai/v1',
    keyVariable: 'MOONSHOT_API_KEY',
    dialect: moonshot,
    responses: 'none',
  },
  {
    kind: 'alibaba',
    source: 'https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope',
    asOf: '2026-11',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    keyVariable: 'DASHSCOPE_API_KEY',
    closedMembers: alibabaMembers,
    dialect: alibaba,
    responses: 'none',
    embeddings: openaiEmbeddings({
      name: 'alibaba-embeddings',
      maxInputs: 10,
      tokenIds: false,
      base64Field: null,
      passes: ['user'],
    }),
  },
  {
    kind: 'perplexity',
    // Its chat completions were supported until 2026-09-27, and are refused since.
    source: 'https://docs.perplexity.ai/docs/agent-api/migrate-from-sonar/overview',
    asOf: '2026-11',
    baseUrl: 'https://api.perplexity.ai/v1',
    keyVariable: 'PERPLEXITY_API_KEY',
    // Everybody is shown the list, whatever the key.
    listsModels: false,
    dialect: hostDialect,
    closedMembers: perplexityMembers,
    responses: 'alone',
    responsesProtocol: perplexityAgent,
  },
  {
    kind: 'zai',
    source: 'https://docs.z.ai/api-reference',
    asOf: '2026-11',
    baseUrl: 'https://api.z.ai/api/paas/v4',
    keyVariable: 'ZAI_API_KEY',
    dialect: zai,
    responses: 'none',
  },
  {
    kind: 'minimax',
    source: 'https://platform.minimax.io/docs/api-reference',
    asOf: '2026-11',
    baseUrl: 'https://api.minimax.io/v1',
    keyVariable: 'MINIMAX_API_KEY',
    dialect: minimax,
    responses: 'offered',
  },
];
