/** Embeddings and reranking made up on the spot: texts that share words are near each other. */
import { isJsonObject } from '../../protocols/json/fields.ts';

type JsonObject = Record<string, unknown>;

const usualDimensions = 256;
/** More than models in use have; thousands of longer vectors would keep the process busy. */
const mostDimensions = 4096;

export function simulateEmbeddings(request: JsonObject): Response {
  const { input } = request;
  const inputs = Array.isArray(input) ? input.map(String) : [String(input)];
  const { dimensions } = request;
  const length = typeof dimensions === 'number' ? dimensions : usualDimensions;
  if (length > mostDimensions) return refuseDimensions(length);
  const tokens = inputs.reduce((sum, text) => sum + wordsOf(text).length, 0);
  return Response.json({
    object: 'list',
    model: String(request['model']),
    data: inputs.map((text, index) => ({ object: 'embedding', index, embedding: embed(text, length) })),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  });
}

/** In OpenAI's words for errors. */
function refuseDimensions(length: number): Response {
  const message = `The simulation makes vectors of at most ${mostDimensions} dimensions, not ${length}.`;
  const error = { message, type: 'invalid_request_error', param: 'dimensions', code: null };
  return Response.json({ error }, { status: 400 });
}

export function simulateRerank(request: JsonObject): Response {
  const query = new Set(wordsOf(String(request['query'])));
  const documents = Array.isArray(request['documents']) ? request['documents'].map(textOf) : [];
  const results = documents.map((text, index) => {
    const words = wordsOf(text);
    const shared = words.filter((word) => query.has(word)).length;
    return { index, relevance_score: shared / Math.max(1, words.length) };
  });
  const tokens = documents.reduce((sum, text) => sum + wordsOf(text).length + query.size, 0);
  return Response.json({ model: String(request['model']), results, usage: { total_tokens: tokens } });
}

/** Each word adds to a place of its own; the whole has the length one. */
function embed(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of wordsOf(text)) {
    const place = Number(BigInt(Bun.hash(word)) % BigInt(dimensions));
    vector[place] = (vector[place] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const textOf = (document: unknown): string =>
  isJsonObject(document) ? String(document['text']) : String(document);
