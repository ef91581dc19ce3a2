/** Reranking in the form between client and upstream: the request, the scores of its calls, and the result that clients get. */
import type { UpstreamComplaint } from '../translator.ts';

export interface RerankRequest {
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly query: string;
  /** At least one. */
  readonly documents: readonly string[];
  /** How many results; absent means all. */
  readonly topN?: number | undefined;
  readonly returnDocuments: boolean;
}

export interface RerankScore {
  /** Of the document among those of the call. */
  readonly index: number;
  readonly score: number;
}

export interface RerankAnswer {
  /** One for each document of the call, in any order. */
  readonly scores: readonly RerankScore[];
  /** Null when the upstream gave no count. */
  readonly inputTokens: number | null;
  /** What upstreams that bill by the search call it; null where they do not. */
  readonly searchUnits: number | null;
}

export interface BilledChunks {
  /** Of the document and the query that is read with it. */
  readonly tokens: number;
  /** What is longer is cut off before it is read, unless the request names another bound. */
  readonly mostTokensPerDocument: number;
}

export interface RerankUpstream {
  readonly name: string;
  /** The most documents in one call. */
  readonly maxDocuments: number;
  /** Where a long document is billed as several. */
  readonly billedChunks?: BilledChunks;
  writeRequest(request: RerankRequest, documents: readonly string[], model: string): string;
  /** @throws UnreadableAnswerError also when scores are missing or out of range; ComplaintError. */
  readAnswer(json: unknown, count: number): RerankAnswer;
  readComplaint(body: string): UpstreamComplaint | null;
}

/**
 * @param answers in the order of their documents.
 * @param perCall how many documents each call had, the last one excepted.
 */
export function mergeScores(
  answers: readonly Pick<RerankAnswer, 'scores'>[],
  perCall: number,
): readonly RerankScore[] {
  return answers.flatMap(({ scores }, call) =>
    scores.map(({ index, score }) => ({ index: call * perCall + index, score })),
  );
}

/** What Cohere's clients find in an answer beside its results. */
export interface RerankTold {
  readonly id: string;
  /** Of the address that was asked. */
  readonly version: '1' | '2';
  readonly searchUnits: number;
  readonly inputTokens: number;
}

/** The best first; among equals the one that came first in the request, so that the same scores give the same bytes. */
export function writeRerank(
  request: RerankRequest,
  scores: readonly RerankScore[],
  told: RerankTold,
): string {
  const ranked = scores.toSorted((a, b) => b.score - a.score || a.index - b.index).slice(0, request.topN);
  const { id, version, searchUnits, inputTokens } = told;
  return JSON.stringify({
    id,
    model: request.model,
    results: ranked.map(({ index, score }) => ({
      index,
      relevance_score: score,
      ...(request.returnDocuments ? { document: { text: request.documents[index] } } : {}),
    })),
    meta: {
      api_version: { version },
      billed_units: {
        ...(searchUnits > 0 ? { search_units: searchUnits } : {}),
        ...(inputTokens > 0 ? { input_tokens: inputTokens } : {}),
      },
    },
  });
}
