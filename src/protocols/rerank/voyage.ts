/** Voyage's reranking. */
import { asObject } from '../json/fields.ts';
import { rerankUpstream } from './host.ts';

export const voyageRerank = rerankUpstream({
  name: 'voyage-rerank',
  maxDocuments: 1000,
  documentsField: 'documents',
  scoreField: 'relevance_score',
  fixed: {},
  passes: ['truncation'],
  findScores: (json) => asObject(json)?.['data'],
  readTokens: (json) => asObject(asObject(json)?.['usage'])?.['total_tokens'],
});
