/** Jina's reranking. */
import { asObject } from '../json/fields.ts';
import { rerankUpstream } from './host.ts';

export const jinaRerank = rerankUpstream({
  name: 'jina-rerank',
  maxDocuments: 1000,
  documentsField: 'documents',
  scoreField: 'relevance_score',
  // It would send all texts back.
  fixed: { return_documents: false },
  passes: [],
  findScores: (json) => asObject(json)?.['results'],
  readTokens: (json) => asObject(asObject(json)?.['usage'])?.['total_tokens'],
});
