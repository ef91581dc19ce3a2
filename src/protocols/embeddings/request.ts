/** Embeddings requests: OpenAI's fields, and `input_type` besides. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { asFieldIssues, parseRequestObject } from '../json/body.ts';
import { findLongerText } from '../token-count/count-texts.ts';
import type { EmbeddingInput, EmbeddingsRequest } from './embeddings.ts';

/** As many as OpenAI takes in one request. */
const mostInputs = 2048;

/** The ids of every tokeniser in use are 32-bit numbers. */
const mostTokenId = 0xffff_ffff;

type Issue = { message: string; path: PropertyKey[] } & (
  | { code: 'invalid_type'; expected: 'string' }
  | { code: 'too_small'; origin: 'array'; minimum: number }
  | { code: 'too_big'; origin: 'array'; maximum: number }
);

const forms = 'a string, an array of strings, an array of token ids or an array of such arrays';

/** By hand, because a union would list every form that the input is not, and for each number of a long list. */
const inputsSchema = z.unknown().transform((value, context): readonly EmbeddingInput[] => {
  const read = readInputs(value);
  if (!('code' in read)) return read;
  context.addIssue({ ...read, input: value });
  return z.NEVER;
});

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
  const json = parseRequestObject(text);
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
 * Each input may have as many tokens as the models of most vendors read. No tokeniser makes more tokens of a text than
 * the text has bytes, so most texts are not tokenised at all.
 * @throws AppError validation_failed that names the first input that is longer.
 */
export async function checkInputLengths(request: EmbeddingsRequest, limitTokens = 2048): Promise<void> {
  const index = await findLonger(request.inputs, limitTokens);
  if (index === -1) return;
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

async function findLonger(inputs: readonly EmbeddingInput[], limitTokens: number): Promise<number> {
  const longIds = inputs.findIndex((input) => typeof input !== 'string' && input.length > limitTokens);
  if (longIds !== -1) return longIds;
  const doubtful = inputs.flatMap((text, index) =>
    typeof text === 'string' && Buffer.byteLength(text) > limitTokens ? [{ text, index }] : [],
  );
  if (doubtful.length === 0) return -1;
  const found = await findLongerText(
    doubtful.map(({ text }) => text),
    limitTokens,
  );
  return doubtful[found]?.index ?? -1;
}

/** One text, or the ids of one. */
function isOne(input: unknown): boolean {
  return !Array.isArray(input) || typeof input[0] === 'number';
}

/** The inputs, or the first thing that is wrong with them. */
function readInputs(value: unknown): readonly EmbeddingInput[] | Issue {
  if (typeof value === 'string') return value === '' ? isEmpty() : [value];
  if (!Array.isArray(value)) return mustBe(forms);
  const list: readonly unknown[] = value;
  if (list.length === 0) return isEmpty();
  if (typeof list[0] === 'number') {
    const issue = findBadId(list, []);
    return issue ?? [list.filter(isTokenId)];
  }
  if (list.length > mostInputs) return tooMany(list.length);
  return typeof list[0] === 'string' ? readTexts(list) : readIdLists(list);
}

function readTexts(list: readonly unknown[]): readonly EmbeddingInput[] | Issue {
  const texts: string[] = [];
  for (const [index, text] of list.entries()) {
    if (typeof text !== 'string') return mustBe('a string like the first entry', [index]);
    if (text === '') return isEmpty([index]);
    texts.push(text);
  }
  return texts;
}

function readIdLists(list: readonly unknown[]): readonly EmbeddingInput[] | Issue {
  const inputs: (readonly number[])[] = [];
  for (const [index, ids] of list.entries()) {
    if (!Array.isArray(ids))
      return mustBe(index === 0 ? 'a string or token ids' : 'an array of token ids', [index]);
    if (ids.length === 0) return isEmpty([index]);
    const issue = findBadId(ids, [index]);
    if (issue !== null) return issue;
    inputs.push(ids.filter(isTokenId));
  }
  return inputs;
}

function findBadId(ids: readonly unknown[], path: readonly number[]): Issue | null {
  const bad = ids.findIndex((id) => !isTokenId(id));
  return bad < 0 ? null : mustBe('a token id, which is a whole number from 0', [...path, bad]);
}

function isTokenId(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= mostTokenId;
}

function mustBe(what: string, path: PropertyKey[] = []): Issue {
  return { code: 'invalid_type', expected: 'string', message: `must be ${what}`, path };
}

function isEmpty(path: PropertyKey[] = []): Issue {
  return { code: 'too_small', origin: 'array', minimum: 1, message: 'must not be empty', path };
}

function tooMany(count: number): Issue {
  const message = `must have at most ${mostInputs} entries, not ${count}; send the others in a request of their own`;
  return { code: 'too_big', origin: 'array', maximum: mostInputs, message, path: [] };
}
