/** Cohere's reranking, second version of its API. */
import { asObject } from '../json/fields.ts';
import { rerankUpstream } from './host.ts';

export const cohereRerank = rerankUpstream({
  name: 'cohere-rerank',
  maxDocuments: 1000,
  documentsField: 'documents',
  scoreField: 'relevance_score',
  fixed: {},
  passes: ['max_tokens_per_doc', 'priority'],
  findScores: (json) => asObject(json)?.['results'],
  readSearchUnits: (json) => asObject(asObject(asObject(json)?.['meta'])?.['billed_units'])?.['search_units'],
});
