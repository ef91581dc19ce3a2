/** Embeddings and reranking as Cohere's own API has them, in its second version. */

import {
  type EmbeddingInput,
  type EmbeddingsAnswer,
  type EmbeddingsRequest,
  type EmbeddingsUpstream,
  readVector,
} from '../../protocols/embeddings/embeddings.ts';
import { notAnAnswer, passFields, readVectorComplaint } from '../../protocols/embeddings/wire.ts';
import { asObject, asTokenCount } from '../../protocols/json/fields.ts';
import { rerankUpstream } from '../../protocols/rerank/host.ts';
import { refuse } from '../../protocols/turn/refuse.ts';

/**
 * As of 2026-11: https://docs.cohere.com/reference/embed takes 96 texts a call; https://docs.cohere.com/reference/rerank
 * advises against more than 1,000 documents.
 */
const limits = { texts: 96, documents: 1000 } as const;

export const cohereEmbeddings: EmbeddingsUpstream = {
  name: 'cohere-embeddings',
  maxInputs: limits.texts,
  writeRequest: (request, inputs, model) => JSON.stringify(writeBody(request, inputs, model)),
  readAnswer,
  readComplaint: readVectorComplaint,
};

/** The type of input must be said; clients that do not say it mostly fill an index. */
const inputTypes = { query: 'search_query', document: 'search_document' } as const;

function writeBody(request: EmbeddingsRequest, inputs: readonly EmbeddingInput[], model: string): object {
  if (inputs.some((input) => typeof input !== 'string')) throw refuse('ids of tokens', 'input');
  return {
    ...passFields(request.json, ['truncate', 'max_tokens', 'priority']),
    model,
    texts: inputs,
    input_type: inputTypes[request.inputType ?? 'document'],
    embedding_types: [request.encodingFormat],
    output_dimension: request.dimensions,
  };
}

/** Vectors stand in the order of the texts, under the name of the type that was asked for. */
function readAnswer(json: unknown, count: number): EmbeddingsAnswer {
  const body = asObject(json);
  const byType = asObject(body?.['embeddings']);
  const list = byType?.['float'] ?? byType?.['base64'];
  if (!Array.isArray(list)) throw notAnAnswer(json, 'the answer has no vectors');
  if (list.length !== count) {
    throw notAnAnswer(json, `the answer has ${list.length} entries where ${count} were asked for`);
  }
  const meta = asObject(body?.['meta']);
  const billed = asTokenCount(asObject(meta?.['billed_units'])?.['input_tokens']);
  const counted = asTokenCount(asObject(meta?.['tokens'])?.['input_tokens']);
  return { vectors: list.map(readVector), inputTokens: billed || counted || null };
}

export const cohereRerank = rerankUpstream({
  name: 'cohere-rerank',
  maxDocuments: limits.documents,
  // As of 2026-11: https://cohere.com/pricing, https://docs.cohere.com/reference/rerank
  billedChunks: { tokens: 500, mostTokensPerDocument: 4096 },
  documentsField: 'documents',
  scoreField: 'relevance_score',
  fixed: {},
  passes: ['max_tokens_per_doc', 'priority'],
  findScores: (json) => asObject(json)?.['results'],
  readSearchUnits: (json) => asObject(asObject(asObject(json)?.['meta'])?.['billed_units'])?.['search_units'],
});
