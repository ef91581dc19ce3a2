/** Embeddings in the form between client and upstream: the request, the vectors, and the list that clients get. */
import { UnreadableAnswerError, type UpstreamComplaint } from '../translator.ts';
import { refuse } from '../turn/refuse.ts';

/** Text, or the ids of its tokens. */
export type EmbeddingInput = string | readonly number[];

export interface EmbeddingsRequest {
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly model: string;
  /** At least one. */
  readonly inputs: readonly EmbeddingInput[];
  /** `base64`: 32-bit floats, little-endian. */
  readonly encodingFormat: 'float' | 'base64';
  readonly dimensions?: number | undefined;
  /** What the vectors are for, where the upstream tells queries from documents. */
  readonly inputType?: 'query' | 'document' | undefined;
  readonly user?: string | undefined;
}

export interface EmbeddingsAnswer {
  /** In the order of the inputs; base64 as upstreams send it when it was asked of them. */
  readonly vectors: readonly (readonly number[] | string)[];
  /** Null when the upstream gave no count. */
  readonly inputTokens: number | null;
}

export interface EmbeddingsUpstream {
  readonly name: string;
  /** The most inputs in one call. */
  readonly maxInputs: number;
  /**
   * @param inputs those of one call, at most `maxInputs`.
   * @throws AppError invalid_parameter for what the upstream cannot take, such as ids of tokens.
   */
  writeRequest(request: EmbeddingsRequest, inputs: readonly EmbeddingInput[], model: string): string;
  /** @throws UnreadableAnswerError also when there are not as many vectors as `count`; ComplaintError. */
  readAnswer(json: unknown, count: number): EmbeddingsAnswer;
  readComplaint(body: string): UpstreamComplaint | null;
}

export interface Embedded {
  /** In the order of the inputs, in whichever form the upstream gave. */
  readonly vectors: readonly Vector[];
  /** The upstream's count, or ours where it gave none. */
  readonly inputTokens: number;
}

/**
 * @throws AppError invalid_parameter when vectors have not the length that was asked for.
 * @throws UnreadableAnswerError when they differ in it, or are to be written as numbers and hold none.
 */
export function writeEmbeddings(request: EmbeddingsRequest, { vectors, inputTokens }: Embedded): string {
  checkDimensions(vectors, request.dimensions);
  const write = request.encodingFormat === 'base64' ? asBase64 : asNumbers;
  return JSON.stringify({
    object: 'list',
    data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: write(vector) })),
    model: request.model,
    usage: { prompt_tokens: inputTokens, total_tokens: inputTokens },
  });
}

/** Some hosts ignore a number of dimensions that they cannot make; such vectors would spoil an index without a word. */
function checkDimensions(vectors: readonly Vector[], asked: number | undefined): void {
  const [first, ...others] = vectors.map(dimensionsOf);
  const unlike = others.find((found) => found !== first);
  if (unlike !== undefined) {
    throw new UnreadableAnswerError(`a vector of the answer has ${unlike} dimensions instead of ${first}`);
  }
  // A host that does not make what was asked for is sound for everybody who asks for something else.
  if (asked !== undefined && first !== undefined && first !== asked) {
    throw refuse(`${asked} dimensions (it makes ${first})`, 'dimensions');
  }
}

export type Vector = EmbeddingsAnswer['vectors'][number];

const bytesPerNumber = 4;
const greatestFloat = 3.402_823_466_385_288_6e38;

/** @throws UnreadableAnswerError when it is neither form, or holds what is no 32-bit number. */
export function readVector(value: unknown): Vector {
  if (typeof value === 'string') {
    if (isBase64(value) && Number.isInteger(dimensionsOf(value))) return value;
  } else if (Array.isArray(value) && value.length > 0 && value.every(isFloat)) {
    return value;
  }
  throw new UnreadableAnswerError('a vector of the answer is neither a list of numbers nor base64 of floats');
}

function isFloat(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= greatestFloat;
}

function isBase64(text: string): boolean {
  return text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

export function dimensionsOf(vector: Vector): number {
  if (typeof vector !== 'string') return vector.length;
  const padding = vector.endsWith('==') ? 2 : vector.endsWith('=') ? 1 : 0;
  return ((vector.length / 4) * 3 - padding) / bytesPerNumber;
}

export function asBase64(vector: Vector): string {
  if (typeof vector === 'string') return vector;
  // Every platform that Bun runs on is little-endian, as the format is.
  return Buffer.from(Float32Array.from(vector).buffer).toString('base64');
}

/** @throws UnreadableAnswerError when the bytes hold what is no number, which JSON could only write as null. */
export function asNumbers(vector: Vector): readonly number[] {
  if (typeof vector !== 'string') return vector;
  const bytes = Buffer.from(vector, 'base64');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const numbers = Array.from({ length: bytes.byteLength / bytesPerNumber }, (_, at) =>
    view.getFloat32(at * bytesPerNumber, true),
  );
  if (!numbers.every(isFloat))
    throw new UnreadableAnswerError('a vector of the answer holds what is no number');
  return numbers;
}
