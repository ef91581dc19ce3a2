/** Hosts of those who make the models. */

import { openaiEmbeddings } from '../../protocols/embeddings/openai.ts';
import { openaiTranscription } from '../../protocols/transcription/openai.ts';
import { alibaba, deepseek, minimax, mistral, moonshot, perplexity, xai, zai } from './maker-dialects.ts';
import type { Preset } from './preset.ts';

export const makers: readonly Preset[] = [
  {
    kind: 'mistral',
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
    baseUrl: 'https://api.deepseek.com/v1',
    keyVariable: 'DEEPSEEK_API_KEY',
    dialect: deepseek,
    responses: 'on demand',
  },
  {
    kind: 'xai',
    baseUrl: 'https://api.x.ai/v1',
    keyVariable: 'XAI_API_KEY',
    dialect: xai,
    responses: 'offered',
  },
  {
    kind: 'moonshot',
    baseUrl: 'https://api.moonshot.ai/v1',
    keyVariable: 'MOONSHOT_API_KEY',
    dialect: moonshot,
    responses: 'none',
  },
  {
    kind: 'alibaba',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    keyVariable: 'DASHSCOPE_API_KEY',
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
    baseUrl: 'https://api.perplexity.ai',
    keyVariable: 'PERPLEXITY_API_KEY',
    dialect: perplexity,
    responses: 'none',
  },
  {
    kind: 'zai',
    baseUrl: 'https://api.z.ai/api/paas/v4',
    keyVariable: 'ZAI_API_KEY',
    dialect: zai,
    responses: 'none',
  },
  {
    kind: 'minimax',
    baseUrl: 'https://api.minimax.io/v1',
    keyVariable: 'MINIMAX_API_KEY',
    dialect: minimax,
    responses: 'offered',
  },
];
