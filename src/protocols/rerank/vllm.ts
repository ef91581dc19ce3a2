/** Reranking of vLLM and of the hosts with its mixture of Jina's and Cohere's form. */
import { asObject } from '../json/fields.ts';
import { rerankUpstream } from './host.ts';

export const vllmRerank = rerankUpstream({
  name: 'vllm-rerank',
  maxDocuments: 1000,
  documentsField: 'documents',
  scoreField: 'relevance_score',
  fixed: {},
  passes: ['truncate_prompt_tokens', 'use_activation', 'priority'],
  findScores: (json) => asObject(json)?.['results'],
  readTokens: (json) => asObject(asObject(json)?.['usage'])?.['total_tokens'],
});
