/** Hosts of models that others make. */
import {
  type ChatDialect,
  type EffortWords,
  hostDialect,
  openaiDialect,
} from '../../protocols/chat-completions/dialect.ts';
import { openaiEmbeddings } from '../../protocols/embeddings/openai.ts';
import { vllmRerank } from '../../protocols/rerank/host.ts';
import { openaiSpeech } from '../../protocols/speech/openai.ts';
import { openaiTranscription } from '../../protocols/transcription/openai.ts';
import { groqMembers, openrouterMembers } from '../closed-members.ts';
import type { Preset } from './compatible-adapter.ts';

const threeEfforts: EffortWords = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

const groq: ChatDialect = {
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

const openrouter: ChatDialect = {
  ...hostDialect,
  maxTokensFields: ['max_tokens', 'max_completion_tokens'],
  cacheMarks: true,
  webSearch: /./,
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

const together: ChatDialect = {
  ...hostDialect,
  topK: true,
  replay: 'reasoning_content',
  user: false,
  strictTools: false,
  reasoning: { style: 'enabled', words: threeEfforts },
  // Cannot be switched off.
  reasoningByModel: [{ models: /gpt-oss/, reasoning: { style: 'effort', words: threeEfforts } }],
};

const fireworks: ChatDialect = {
  ...hostDialect,
  replay: 'reasoning_content',
  topK: true,
  strictTools: false,
  vendorFields: ['prompt_cache_key', 'service_tier'],
  reasoning: { style: 'effort', words: { none: 'none', ...threeEfforts }, off: 'none' },
};

const cerebras: ChatDialect = {
  ...hostDialect,
  maxTokensFields: ['max_completion_tokens', 'max_tokens'],
  replay: 'reasoning',
  penalties: false,
  severalChoices: false,
  parallelToolCalls: false,
};

const sambanova: ChatDialect = {
  ...hostDialect,
  topK: true,
  seedField: null,
  penalties: false,
  logprobs: false,
  severalChoices: false,
  user: false,
  strictTools: false,
};

const deepinfra: ChatDialect = {
  ...hostDialect,
  topK: true,
  logprobs: false,
  strictTools: false,
  toolChoices: ['none'],
};

/** Speaks for many providers, so that only what all of them know can be relied on. */
const huggingface: ChatDialect = { ...hostDialect, user: false, parallelToolCalls: false };

const plainEmbeddings = openaiEmbeddings({ tokenIds: false });

export const hosts: readonly Preset[] = [
  {
    kind: 'groq',
    source: 'https://console.groq.com/docs/api-reference',
    asOf: '2026-11',
    baseUrl: 'https://api.groq.com/openai/v1',
    keyVariable: 'GROQ_API_KEY',
    dialect: groq,
    closedMembers: groqMembers,
    responses: 'on demand',
    transcription: openaiTranscription(),
    translates: true,
    speech: openaiSpeech({ defaultVoice: 'autumn', formats: ['wav'] }),
  },
  {
    kind: 'openrouter',
    source: 'https://openrouter.ai/docs/api-reference',
    asOf: '2026-11',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyVariable: 'OPENROUTER_API_KEY',
    dialect: openrouter,
    closedMembers: openrouterMembers,
    responses: 'on demand',
    embeddings: plainEmbeddings,
  },
  {
    kind: 'together',
    source: 'https://docs.together.ai/reference',
    asOf: '2026-11',
    baseUrl: 'https://api.together.xyz/v1',
    keyVariable: 'TOGETHER_API_KEY',
    dialect: together,
    responses: 'none',
    embeddings: openaiEmbeddings({ tokenIds: false, dimensionsField: null, base64Field: null }),
    rerank: vllmRerank,
  },
  {
    kind: 'fireworks',
    source: 'https://docs.fireworks.ai/api-reference',
    asOf: '2026-11',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    keyVariable: 'FIREWORKS_API_KEY',
    dialect: fireworks,
    responses: 'on demand',
    embeddings: plainEmbeddings,
  },
  {
    kind: 'cerebras',
    source: 'https://inference-docs.cerebras.ai/api-reference',
    asOf: '2026-11',
    baseUrl: 'https://api.cerebras.ai/v1',
    keyVariable: 'CEREBRAS_API_KEY',
    dialect: cerebras,
    responses: 'none',
  },
  {
    kind: 'sambanova',
    source: 'https://docs.sambanova.ai/docs/en/api-reference',
    asOf: '2026-11',
    baseUrl: 'https://api.sambanova.ai/v1',
    keyVariable: 'SAMBANOVA_API_KEY',
    dialect: sambanova,
    responses: 'none',
    embeddings: plainEmbeddings,
  },
  {
    kind: 'nvidia',
    source: 'https://docs.api.nvidia.com/nim/reference',
    asOf: '2026-11',
    baseUrl: 'https://integrate.api.nvidia.com/v1',
    keyVariable: 'NVIDIA_API_KEY',
    dialect: { ...hostDialect, user: false },
    responses: 'none',
  },
  {
    kind: 'huggingface',
    source: 'https://huggingface.co/docs/inference-providers',
    asOf: '2026-11',
    baseUrl: 'https://router.huggingface.co/v1',
    keyVariable: 'HUGGINGFACE_API_KEY',
    dialect: huggingface,
    responses: 'on demand',
  },
  {
    kind: 'deepinfra',
    source: 'https://docs.deepinfra.com/chat',
    asOf: '2026-11',
    baseUrl: 'https://api.deepinfra.com/v1/openai',
    keyVariable: 'DEEPINFRA_API_KEY',
    dialect: deepinfra,
    responses: 'none',
    embeddings: plainEmbeddings,
  },
  {
    kind: 'novita',
    source: 'https://novita.ai/docs/api-reference',
    asOf: '2026-11',
    baseUrl: 'https://api.novita.ai/v3/openai',
    keyVariable: 'NOVITA_API_KEY',
    dialect: { ...hostDialect, topK: true },
    responses: 'none',
    embeddings: plainEmbeddings,
  },
];
