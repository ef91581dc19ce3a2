/** What the hosts that rerank do differently. */
import type { Score } from './score.ts';

export interface RerankHost {
  readonly name: string;
  serves(path: string, model: string): boolean;
  readonly knownFields: readonly string[];
  /** How many results are wanted. */
  readonly limitField: 'top_n' | 'top_k';
  /** Whether documents come back with the results unless the request says otherwise. */
  readonly returnsDocuments: boolean;
  /** Of a request that is refused. */
  readonly refusedStatus: number;
  writeAnswer(answer: RerankAnswer): object;
}

export interface RerankAnswer {
  readonly number: number;
  readonly model: string;
  readonly scores: readonly Score[];
  /** Undefined when they are not to come back. */
  readonly documents: readonly string[] | undefined;
  /** Of the request, before any was left out. */
  readonly documentCount: number;
  /** Undefined when no counts are told. */
  readonly tokens: number | undefined;
}

const documentsOfOneUnit = 100;

const cohere: RerankHost = {
  name: 'cohere',
  serves: (path) => path.endsWith('/v2/rerank'),
  knownFields: ['model', 'query', 'documents', 'top_n', 'max_tokens_per_doc', 'priority'],
  limitField: 'top_n',
  returnsDocuments: false,
  refusedStatus: 400,
  writeAnswer: ({ number, scores, documentCount, tokens }) => ({
    id: `rerank-double-${number}`,
    results: scores.map(({ index, score }) => ({ index, relevance_score: score })),
    meta: {
      api_version: { version: '2' },
      ...(tokens !== undefined && {
        billed_units: { search_units: Math.ceil(documentCount / documentsOfOneUnit) },
      }),
    },
  }),
};

const voyage: RerankHost = {
  name: 'voyage',
  serves: (path, model) => path.endsWith('/rerank') && /^(rerank-\d|rerank-lite|voyage)/.test(model),
  knownFields: ['model', 'query', 'documents', 'top_k', 'return_documents', 'truncation'],
  limitField: 'top_k',
  returnsDocuments: false,
  refusedStatus: 400,
  writeAnswer: ({ model, scores, documents, tokens }) => ({
    object: 'list',
    data: scores.map(({ index, score }) => ({
      relevance_score: score,
      index,
      ...(documents !== undefined && { document: documents[index] }),
    })),
    model,
    ...(tokens !== undefined && { usage: { total_tokens: tokens } }),
  }),
};

/** Takes every model that is of no other host. */
const jina: RerankHost = {
  name: 'jina',
  serves: (path) => path.endsWith('/rerank'),
  knownFields: ['model', 'query', 'documents', 'top_n', 'return_documents', 'truncate', 'max_doc_length'],
  limitField: 'top_n',
  returnsDocuments: true,
  refusedStatus: 422,
  writeAnswer: ({ model, scores, documents, tokens }) => ({
    model,
    object: 'list',
    ...(tokens !== undefined && { usage: { total_tokens: tokens } }),
    results: scores.map(({ index, score }) => ({
      index,
      relevance_score: score,
      ...(documents !== undefined && { document: { text: documents[index] } }),
    })),
  }),
};

const hosts: readonly RerankHost[] = [cohere, voyage, jina];

export function hostFor(path: string, model: string): RerankHost {
  return hosts.find((host) => host.serves(path, model)) ?? jina;
}
