/** Servers that one runs oneself; a key is needed only where one was set. */
import { type ChatDialect, hostDialect, openaiDialect } from '../../protocols/chat-completions/dialect.ts';
import { openaiEmbeddings } from '../../protocols/embeddings/openai.ts';
import { vllmRerank } from '../../protocols/rerank/host.ts';
import { openaiSpeech } from '../../protocols/speech/openai.ts';
import { openaiTranscription } from '../../protocols/transcription/openai.ts';
import {
  litellmMembers,
  llamacppMembers,
  localMembers,
  sglangMembers,
  vllmMembers,
} from '../closed-members.ts';
import { cohereRerank } from '../cohere/vectors.ts';
import type { Preset } from './compatible-adapter.ts';

const vllm: ChatDialect = {
  ...hostDialect,
  maxTokensFields: ['max_tokens', 'max_completion_tokens'],
  textParts: true,
  replay: 'reasoning',
  topK: true,
};

const llamacpp: ChatDialect = { ...hostDialect, replay: 'reasoning_content', topK: true };

const sglang: ChatDialect = {
  ...hostDialect,
  maxTokensFields: ['max_tokens', 'max_completion_tokens'],
  replay: 'reasoning_content',
  topK: true,
};

const ollama: ChatDialect = {
  ...hostDialect,
  replay: 'reasoning',
  severalChoices: false,
  user: false,
  parallelToolCalls: false,
  strictTools: false,
};

/** Translates itself, from OpenAI's words to those of whatever stands behind it. */
const litellm: ChatDialect = { ...openaiDialect, cacheMarks: true, customTools: false };

const plainEmbeddings = openaiEmbeddings({ tokenIds: false });

export const servers: readonly Preset[] = [
  {
    kind: 'vllm',
    source: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server',
    asOf: '2026-11',
    baseUrl: 'http://127.0.0.1:8000/v1',
    keyVariable: null,
    dialect: vllm,
    closedMembers: vllmMembers,
    responses: 'on demand',
    embeddings: openaiEmbeddings(),
    rerank: vllmRerank,
    transcription: openaiTranscription(),
    translates: true,
  },
  {
    kind: 'ollama',
    source: 'https://docs.ollama.com/api/openai-compatibility',
    asOf: '2026-11',
    baseUrl: 'http://127.0.0.1:11434/v1',
    keyVariable: null,
    dialect: ollama,
    closedMembers: localMembers,
    responses: 'on demand',
    embeddings: plainEmbeddings,
  },
  {
    kind: 'lmstudio',
    source: 'https://lmstudio.ai/docs/developer/openai-compat',
    asOf: '2026-11',
    baseUrl: 'http://127.0.0.1:1234/v1',
    keyVariable: null,
    dialect: { ...hostDialect, replay: 'reasoning_content', topK: true, user: false },
    closedMembers: localMembers,
    responses: 'on demand',
    embeddings: plainEmbeddings,
  },
  {
    kind: 'llamacpp',
    source: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
    asOf: '2026-11',
    // Its own port is the one that Sluice listens on by default.
    baseUrl: null,
    keyVariable: null,
    dialect: llamacpp,
    closedMembers: llamacppMembers,
    responses: 'on demand',
    embeddings: openaiEmbeddings({ dimensionsField: null }),
    rerank: vllmRerank,
  },
  {
    kind: 'sglang',
    source: 'https://docs.sglang.ai/basic_usage/openai_api.html',
    asOf: '2026-11',
    baseUrl: 'http://127.0.0.1:30000/v1',
    keyVariable: null,
    dialect: sglang,
    closedMembers: sglangMembers,
    responses: 'on demand',
    embeddings: openaiEmbeddings({ dimensionsField: null }),
  },
  {
    kind: 'litellm',
    source: 'https://docs.litellm.ai/docs/providers/litellm_proxy',
    asOf: '2026-11',
    baseUrl: null,
    keyVariable: null,
    dialect: litellm,
    closedMembers: litellmMembers,
    responses: 'on demand',
    embeddings: openaiEmbeddings(),
    rerank: cohereRerank,
    transcription: openaiTranscription(),
    speech: openaiSpeech(),
  },
];
