/** The scores of the calls that one request was divided into, as if it had been one call. */
import type { RerankAnswer, RerankScore } from './rerank.ts';

/**
 * @param answers in the order of their documents.
 * @param perCall how many documents each call had, the last one excepted.
 */
export function mergeScores(
  answers: readonly Pick<RerankAnswer, 'scores'>[],
  perCall: number,
): readonly RerankScore[] {
  return answers.flatMap(({ scores }, call) =>
    scores.map(({ index, score }) => ({ index: call * perCall + index, score })),
  );
}
