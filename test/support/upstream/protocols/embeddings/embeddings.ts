/** The embeddings protocol, as OpenAI speaks it. */
import type { Generation } from '../../answer.ts';
import { isObject, readNumber, readText } from '../../json.ts';
import { type Reply, wholeReply } from '../../reply.ts';
import { writeProblem } from '../chat-completions/problem.ts';
import { demandKnown, refuse } from '../openai-refusal.ts';
import type { Protocol } from '../protocol.ts';
import { readingOf } from '../refusal.ts';
import { vectorOf } from './vector.ts';

interface EmbeddingsRequest {
  readonly model: string;
  /** Each text, or the ids of its tokens. */
  readonly inputs: readonly (string | readonly unknown[])[];
  readonly asBase64: boolean;
  readonly dimensions: number;
}

const knownFields = ['model', 'input', 'encoding_format', 'dimensions', 'user'];
const usualDimensions = 8;
const mostInputs = 2048;

export const embeddings: Protocol = {
  name: 'embeddings',
  serves: (method, path) => method === 'POST' && path.endsWith('/embeddings'),
  read: ({ body }) =>
    readingOf(() => {
      const request = readEmbeddings(body);
      const generate = (generation: Generation) => embed(request, generation);
      return { model: request.model, stream: false, planKey: undefined, generate };
    }),
  writeProblem,
};

function readEmbeddings(body: unknown): EmbeddingsRequest {
  if (!isObject(body)) throw refuse('The body is not a JSON object.');
  demandKnown(body, knownFields);
  const model = readText(body, 'model');
  if (!model) throw refuse('No model is named.', 'model');
  const format = body['encoding_format'] ?? 'float';
  if (format !== 'float' && format !== 'base64') {
    throw refuse('encoding_format takes float or base64.', 'encoding_format');
  }
  const dimensions = readNumber(body, 'dimensions') ?? usualDimensions;
  if (dimensions < 1 || !Number.isInteger(dimensions)) {
    throw refuse('dimensions takes a whole number from 1.', 'dimensions');
  }
  return { model, inputs: readInputs(body['input']), asBase64: format === 'base64', dimensions };
}

function readInputs(input: unknown): EmbeddingsRequest['inputs'] {
  const isOne = typeof input === 'string' || (Array.isArray(input) && typeof input[0] === 'number');
  const list = isOne ? [input] : input;
  if (!Array.isArray(list) || list.length === 0 || list.length > mostInputs) {
    throw refuse(`input takes a text, or from 1 to ${mostInputs} of them.`, 'input');
  }
  for (const entry of list) {
    const isTokens = Array.isArray(entry) && entry.every((id) => Number.isInteger(id));
    if ((typeof entry !== 'string' && !isTokens) || entry.length === 0) {
      throw refuse('input holds something that is no text, or is empty.', 'input');
    }
  }
  return list;
}

function embed(request: EmbeddingsRequest, generation: Generation): Reply {
  const { inputs, dimensions, asBase64 } = request;
  const counted = inputs.reduce((sum, input) => sum + tokensOf(input), 0);
  const promptTokens = generation.promptTokens ?? counted;
  const usage =
    generation.usage === 'never'
      ? undefined
      : { promptTokens, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 };
  const answer = {
    object: 'list',
    data: inputs.map((input, index) => {
      const vector = vectorOf(typeof input === 'string' ? input : JSON.stringify(input), dimensions);
      return { object: 'embedding', index, embedding: asBase64 ? toBase64(vector) : vector };
    }),
    model: generation.model ?? request.model,
    ...(usage !== undefined && { usage: { prompt_tokens: promptTokens, total_tokens: promptTokens } }),
  };
  return wholeReply(200, 'application/json', { text: JSON.stringify(answer), tokens: 0, usage });
}

function tokensOf(input: string | readonly unknown[]): number {
  return typeof input === 'string' ? Math.ceil(input.length / 4) : input.length;
}

/** 32-bit floats, little-endian. */
function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}
