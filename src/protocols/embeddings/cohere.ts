/** Cohere's embeddings, second version of its API. */
import { asObject, asTokenCount } from '../json/fields.ts';
import { refuse } from '../turn/refuse.ts';
import { notAnAnswer, readVectorComplaint } from './complaint.ts';
import type {
  EmbeddingInput,
  EmbeddingsAnswer,
  EmbeddingsRequest,
  EmbeddingsUpstream,
} from './embeddings.ts';
import { passFields } from './pass-fields.ts';
import { readVector } from './vector.ts';

export const cohereEmbeddings: EmbeddingsUpstream = {
  name: 'cohere-embeddings',
  maxInputs: 96,
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
