/** Embeddings of the Gemini API: `batchEmbedContents`, which takes one request for each input. */

import {
  type EmbeddingInput,
  type EmbeddingsAnswer,
  type EmbeddingsRequest,
  type EmbeddingsUpstream,
  readVector,
} from '../../protocols/embeddings/embeddings.ts';
import { googleComplaintIn, readGoogleComplaint } from '../../protocols/google/errors.ts';
import { modelName } from '../../protocols/google/models.ts';
import { asObject } from '../../protocols/json/fields.ts';
import { ComplaintError, UnreadableAnswerError } from '../../protocols/translator.ts';
import { refuse } from '../../protocols/turn/refuse.ts';

/** As of 2026-11, https://ai.google.dev/api/embeddings: a batch has at most 100 requests. */
const maxRequests = 100;

export const googleEmbeddings: EmbeddingsUpstream = {
  name: 'google-embeddings',
  maxInputs: maxRequests,
  writeRequest,
  readAnswer,
  readComplaint: readGoogleComplaint,
};

const taskTypes = { query: 'RETRIEVAL_QUERY', document: 'RETRIEVAL_DOCUMENT' } as const;

function writeRequest(request: EmbeddingsRequest, inputs: readonly EmbeddingInput[], model: string): string {
  const { inputType, dimensions } = request;
  const readsTask = inputType !== undefined && readsTaskInText(model);
  const requests = inputs.map((input) => {
    if (typeof input !== 'string') throw refuse('ids of tokens', 'input');
    return {
      model: modelName(model),
      content: { parts: [{ text: readsTask ? taskAndText(inputType, input) : input }] },
      taskType: inputType === undefined || readsTask ? undefined : taskTypes[inputType],
      outputDimensionality: dimensions,
    };
  });
  return JSON.stringify({ requests });
}

/** The second generation does not look at the field: it has learnt to be told in the text. */
function readsTaskInText(model: string): boolean {
  return /gemini-embedding-(?:[2-9]|\d\d)(?!\d)/.test(model);
}

function taskAndText(inputType: 'query' | 'document', text: string): string {
  return inputType === 'query' ? `task: search result | query: ${text}` : `title: none | text: ${text}`;
}

/** Vectors stand in the order of the requests; tokens are not counted. */
function readAnswer(json: unknown, count: number): EmbeddingsAnswer {
  const list = asObject(json)?.['embeddings'];
  if (!Array.isArray(list)) {
    const complaint = googleComplaintIn(json);
    if (complaint !== null) throw new ComplaintError(complaint);
    throw new UnreadableAnswerError('the answer has no embeddings');
  }
  if (list.length !== count) {
    throw new UnreadableAnswerError(`the answer has ${list.length} vectors where ${count} were asked for`);
  }
  return { vectors: list.map((entry) => readVector(asObject(entry)?.['values'])), inputTokens: null };
}
