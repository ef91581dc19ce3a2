/** Reranking of Text Embeddings Inference, by its own path: a bare list for an answer, and no counts. */

import { rerankUpstream } from './host.ts';
import type { RerankUpstream } from './rerank.ts';

/** @param maxDocuments what the server was started with as --max-client-batch-size. */
export function teiRerank(maxDocuments: number): RerankUpstream {
  return rerankUpstream({
    name: 'tei-rerank',
    maxDocuments,
    documentsField: 'texts',
    scoreField: 'score',
    fixed: {},
    passes: ['raw_scores', 'truncate', 'truncation_direction'],
    findScores: (json) => json,
  });
}
