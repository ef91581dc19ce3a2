/** What all rerank upstreams have in common; each one states its own as data. */
import { notAnAnswer, passFields, readVectorComplaint, sortByIndex } from '../embeddings/wire.ts';
import { asObject, asTokenCount, type JsonObject } from '../json/fields.ts';
import { UnreadableAnswerError } from '../translator.ts';
import type { BilledChunks, RerankAnswer, RerankRequest, RerankUpstream } from './rerank.ts';

export interface RerankHost {
  readonly name: string;
  /** The most documents in one call. */
  readonly maxDocuments: number;
  /** As `RerankUpstream` has it. */
  readonly billedChunks?: BilledChunks;
  /** What the field with the documents is called. */
  readonly documentsField: string;
  /** What the field with a score is called. */
  readonly scoreField: string;
  /** Members of every request. */
  readonly fixed: JsonObject;
  /** Which of the client's further fields go along. */
  readonly passes: readonly string[];
  /** Where the scores stand in an answer; anything but a list when there are none. */
  findScores(json: unknown): unknown;
  readTokens?(json: unknown): unknown;
  readSearchUnits?(json: unknown): unknown;
}

export function rerankUpstream(host: RerankHost): RerankUpstream {
  return {
    name: host.name,
    maxDocuments: host.maxDocuments,
    ...(host.billedChunks === undefined ? {} : { billedChunks: host.billedChunks }),
    writeRequest: (request, documents, model) => writeRequest({ host, request, documents, model }),
    readAnswer: (json, count) => readAnswer(host, json, count),
    readComplaint: readVectorComplaint,
  };
}

interface HostCall {
  readonly host: RerankHost;
  readonly request: RerankRequest;
  readonly documents: readonly string[];
  readonly model: string;
}

/** All scores are asked for and no documents: choosing the best is for after the calls are merged, and is done here. */
function writeRequest({ host, request, documents, model }: HostCall): string {
  return JSON.stringify({
    ...passFields(request.json, host.passes),
    ...host.fixed,
    model,
    query: request.query,
    [host.documentsField]: documents,
  });
}

function readAnswer(host: RerankHost, json: unknown, count: number): RerankAnswer {
  const list = host.findScores(json);
  if (!Array.isArray(list)) throw notAnAnswer(json, 'the answer has no list of scores');
  const scores = sortByIndex(list, count).map(({ index, entry }) => {
    const score = entry[host.scoreField];
    if (typeof score === 'number' && Number.isFinite(score)) return { index, score };
    throw new UnreadableAnswerError(`the answer has no score for the document with the index ${index}`);
  });
  return {
    scores,
    // Nothing is read for no tokens: a zero is a host that does not count.
    inputTokens: asTokenCount(host.readTokens?.(json)) || null,
    searchUnits: asTokenCount(host.readSearchUnits?.(json)) || null,
  };
}

export const vllmRerank = rerankUpstream({
  name: 'vllm-rerank',
  maxDocuments: 1000,
  documentsField: 'documents',
  scoreField: 'relevance_score',
  fixed: {},
  passes: ['truncate_prompt_tokens', 'use_activation'],
  findScores: (json) => asObject(json)?.['results'],
  readTokens: (json) => asObject(asObject(json)?.['usage'])?.['total_tokens'],
});
