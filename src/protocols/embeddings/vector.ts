/** One vector in the two forms that answers have: a list of numbers, or base64 of 32-bit floats, little-endian. */
import { UnreadableAnswerError } from '../translator.ts';
import type { EmbeddingsAnswer } from './embeddings.ts';

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
