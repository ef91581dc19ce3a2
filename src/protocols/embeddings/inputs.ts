/** The `input` of an embeddings request: text or the ids of its tokens, one or many. */
import { z } from 'zod';
import type { EmbeddingInput } from './embeddings.ts';

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
export const inputsSchema = z.unknown().transform((value, context): readonly EmbeddingInput[] => {
  const read = readInputs(value);
  if (!('code' in read)) return read;
  context.addIssue({ ...read, input: value });
  return z.NEVER;
});

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
