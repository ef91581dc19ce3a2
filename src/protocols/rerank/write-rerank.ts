/** The rerank result that clients get. */
import type { RerankRequest, RerankScore } from './rerank.ts';

/** The best first; among equals the one that came first in the request, so that the same scores give the same bytes. */
export function writeRerank(request: RerankRequest, scores: readonly RerankScore[]): string {
  const ranked = scores.toSorted((a, b) => b.score - a.score || a.index - b.index).slice(0, request.topN);
  return JSON.stringify({
    model: request.model,
    results: ranked.map(({ index, score }) => ({
      index,
      relevance_score: score,
      ...(request.returnDocuments ? { document: { text: request.documents[index] } } : {}),
    })),
  });
}
