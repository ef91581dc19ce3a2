/** The embedding list that clients get. */
import { UnreadableAnswerError } from '../translator.ts';
import type { EmbeddingsRequest } from './embeddings.ts';
import { asBase64, asNumbers, dimensionsOf, type Vector } from './vector.ts';

export interface Embedded {
  /** In the order of the inputs, in whichever form the upstream gave. */
  readonly vectors: readonly Vector[];
  /** The upstream's count, or ours where it gave none. */
  readonly inputTokens: number;
}

/**
 * @throws UnreadableAnswerError when vectors have not the length that was asked for, or differ in it, or are to be
 *   written as numbers and hold none.
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
  let expected = asked;
  for (const vector of vectors) {
    const found = dimensionsOf(vector);
    expected ??= found;
    if (found !== expected) {
      throw new UnreadableAnswerError(
        `a vector of the answer has ${found} dimensions instead of ${expected}`,
      );
    }
  }
}
