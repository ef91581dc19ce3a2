/** Embeddings requests: the document's fields, those of OpenAI's clients besides, and `input_type`. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { asFieldIssues, parseJsonObject } from '../json/body.ts';
import { openTokenizer } from '../token-count/tokenizer.ts';
import type { EmbeddingInput, EmbeddingsRequest } from './embeddings.ts';
import { inputsSchema } from './inputs.ts';

/** The names by which clients of several vendors tell queries from documents. */
const inputTypes = {
  query: 'query',
  search_query: 'query',
  'retrieval.query': 'query',
  document: 'document',
  search_document: 'document',
  passage: 'document',
  'retrieval.passage': 'document',
} as const;

/** Null stands for an absent optional field, as the official clients send it. Unknown fields are left as they are. */
const embeddingsRequestSchema = z.object({
  model: z.string().min(1).max(256),
  input: inputsSchema,
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).max(65_536).nullish(),
  user: z.string().nullish(),
  input_type: z.enum(Object.keys(inputTypes)).nullish(),
  metadata: z
    .object({ session_id: z.string().max(512).nullish(), sticky_key: z.string().max(512).nullish() })
    .nullish(),
});

/**
 * Says nothing of how long the inputs are: `checkInputLengths` does.
 * @throws AppError malformed_json when the text is not a JSON object, validation_failed with one entry a field.
 */
export function readEmbeddingsRequest(text: string): EmbeddingsRequest {
  const json = parseJsonObject(text);
  const parsed = embeddingsRequestSchema.safeParse(json);
  if (!parsed.success) throw asFieldIssues(parsed.error, json);
  const { model, input, encoding_format: format, dimensions, user, input_type: type } = parsed.data;
  return {
    text,
    json,
    model,
    inputs: input,
    encodingFormat: format ?? 'float',
    dimensions: dimensions ?? undefined,
    inputType: readInputType(type),
    user: user ?? undefined,
  };
}

function readInputType(name: string | null | undefined): EmbeddingsRequest['inputType'] {
  const found = Object.entries(inputTypes).find(([spelling]) => spelling === name);
  return found?.[1];
}

/**
 * Document 1: each input has at most 2048 tokens. No tokeniser makes more tokens of a text than it has bytes, so that
 * most texts need none.
 * @throws AppError validation_failed that names the first input that is longer.
 */
export async function checkInputLengths(request: EmbeddingsRequest, limitTokens = 2048): Promise<void> {
  for (const [index, input] of request.inputs.entries()) {
    if (!(await isLonger(input, limitTokens))) continue;
    const loc = isOne(request.json['input']) ? ['input'] : ['input', index];
    const msg = `must have at most ${limitTokens} tokens; shorten it or divide it`;
    const param = loc.length === 1 ? 'input' : `input[${index}]`;
    throw new AppError({
      code: 'validation_failed',
      public: `${param}: ${msg}`,
      param,
      fields: [{ loc, msg, type: 'too_big' }],
    });
  }
}

async function isLonger(input: EmbeddingInput, limitTokens: number): Promise<boolean> {
  if (typeof input !== 'string') return input.length > limitTokens;
  if (Buffer.byteLength(input) <= limitTokens) return false;
  const tokenizer = await openTokenizer();
  // Thousands of long texts take seconds together: others may run in between.
  await new Promise((resolve) => setImmediate(resolve));
  return tokenizer.count(input, limitTokens) > limitTokens;
}

/** One text, or the ids of one. */
function isOne(input: unknown): boolean {
  return !Array.isArray(input) || typeof input[0] === 'number';
}
