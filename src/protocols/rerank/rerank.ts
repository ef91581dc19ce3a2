/** Reranking in a form between the protocols. */
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

export interface RerankUpstream {
  readonly name: string;
  /** The most documents in one call. */
  readonly maxDocuments: number;
  writeRequest(request: RerankRequest, documents: readonly string[], model: string): string;
  /** @throws UnreadableAnswerError also when scores are missing or out of range; ComplaintError. */
  readAnswer(json: unknown, count: number): RerankAnswer;
  readComplaint(body: string): UpstreamComplaint | null;
}
