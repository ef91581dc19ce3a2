/** Hosts of models that others make. */
import { hostDialect } from '../../protocols/chat-completions/dialect.ts';
import { openaiEmbeddings } from '../../protocols/embeddings/openai.ts';
import { vllmRerank } from '../../protocols/rerank/vllm.ts';
import { openaiSpeech } from '../../protocols/speech/openai.ts';
import { openaiTranscription } from '../../protocols/transcription/openai.ts';
import {
  cerebras,
  deepinfra,
  fireworks,
  groq,
  huggingface,
  openrouter,
  sambanova,
  together,
} from './host-dialects.ts';
import type { Preset } from './preset.ts';

const plainEmbeddings = openaiEmbeddings({ tokenIds: false });

export const hosts: readonly Preset[] = [
  {
    kind: 'groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    keyVariable: 'GROQ_API_KEY',
    dialect: groq,
    responses: 'on demand',
    transcription: openaiTranscription(),
    speech: openaiSpeech({ defaultVoice: 'autumn', formats: ['wav'] }),
  },
  {
    kind: 'openrouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyVariable: 'OPENROUTER_API_KEY',
    dialect: openrouter,
    responses: 'on demand',
    embeddings: plainEmbeddings,
  },
  {
    kind: 'together',
    baseUrl: 'https://api.together.xyz/v1',
    keyVariable: 'TOGETHER_API_KEY',
    dialect: together,
    responses: 'none',
    embeddings: openaiEmbeddings({ tokenIds: false, dimensionsField: null, base64Field: null }),
    rerank: vllmRerank,
  },
  {
    kind: 'fireworks',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    keyVariable: 'FIREWORKS_API_KEY',
    dialect: fireworks,
    responses: 'on demand',
    embeddings: plainEmbeddings,
  },
  {
    kind: 'cerebras',
    baseUrl: 'https://api.cerebras.ai/v1',
    keyVariable: 'CEREBRAS_API_KEY',
    dialect: cerebras,
    responses: 'none',
  },
  {
    kind: 'sambanova',
    baseUrl: 'https://api.sambanova.ai/v1',
    keyVariable: 'SAMBANOVA_API_KEY',
    dialect: sambanova,
    responses: 'none',
    embeddings: plainEmbeddings,
  },
  {
    kind: 'nvidia',
    baseUrl: 'https://integrate.api.nvidia.com/v1',
    keyVariable: 'NVIDIA_API_KEY',
    dialect: { ...hostDialect, user: false },
    responses: 'none',
  },
  {
    kind: 'huggingface',
    baseUrl: 'https://router.huggingface.co/v1',
    keyVariable: 'HUGGINGFACE_API_KEY',
    dialect: huggingface,
    responses: 'on demand',
  },
  {
    kind: 'github',
    baseUrl: 'https://models.github.ai/inference',
    keyVariable: 'GITHUB_API_KEY',
    dialect: hostDialect,
    responses: 'none',
    embeddings: plainEmbeddings,
  },
  {
    kind: 'deepinfra',
    baseUrl: 'https://api.deepinfra.com/v1/openai',
    keyVariable: 'DEEPINFRA_API_KEY',
    dialect: deepinfra,
    responses: 'none',
    embeddings: plainEmbeddings,
  },
  {
    kind: 'novita',
    baseUrl: 'https://api.novita.ai/v3/openai',
    keyVariable: 'NOVITA_API_KEY',
    dialect: { ...hostDialect, topK: true },
    responses: 'none',
    embeddings: plainEmbeddings,
  },
];
