import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readRerankRequest } from './request.ts';
import { mergeScores, writeRerank } from './rerank.ts';

const request = (documents: readonly unknown[], fields: object = {}) =>
  readRerankRequest(JSON.stringify({ model: 'm', query: 'q', documents, ...fields }));
const documentsOf = (scores: readonly number[]) => scores.map((_, index) => `document ${index}`);
const scoresOf = (scores: readonly number[]) => scores.map((score, index) => ({ index, score }));

const told = { id: 'r', version: '2', searchUnits: 1, inputTokens: 0 } as const;

/** Few different ones, so that there are many equals. */
const someScores = fc.array(
  fc.oneof(fc.constantFrom(0, 0.5, -0.5, 1), fc.double({ noNaN: true, min: -10, max: 10 })),
  {
    minLength: 1,
    maxLength: 60,
  },
);

interface Result {
  readonly index: number;
  readonly relevance_score: number;
  readonly document?: { readonly text: string };
}

const resultsIn = (text: string): readonly Result[] => JSON.parse(text).results;

describe('writeRerank', () => {
  test('writes the model and the results, the best first', () => {
    const text = writeRerank(request(['a', 'b', 'c']), scoresOf([0.25, 0.75, 0.5]), told);
    expect(JSON.parse(text)).toEqual({
      model: 'm',
      results: [
        { index: 1, relevance_score: 0.75 },
        { index: 2, relevance_score: 0.5 },
        { index: 0, relevance_score: 0.25 },
      ],
      id: 'r',
      meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
    });
  });

  test('adds the texts where they are asked for', () => {
    const wanted = request(['a', { text: 'b' }], { return_documents: true, top_n: 1 });
    expect(resultsIn(writeRerank(wanted, scoresOf([0.25, 0.75]), told))).toEqual([
      { index: 1, relevance_score: 0.75, document: { text: 'b' } },
    ]);
  });

  test('descends, keeps equals in the order of the request, and leaves nothing out', () => {
    fc.assert(
      fc.property(someScores, (scores) => {
        const results = resultsIn(writeRerank(request(documentsOf(scores)), scoresOf(scores), told));
        for (const [place, result] of results.entries()) {
          const before = results[place - 1];
          if (before === undefined) continue;
          const isBetter = before.relevance_score > result.relevance_score;
          const isEqual = before.relevance_score === result.relevance_score && before.index < result.index;
          expect(isBetter || isEqual).toBe(true);
        }
        expect(results.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(
          scores.map((_, index) => index),
        );
        for (const result of results) expect(result.relevance_score).toBe((scores[result.index] ?? 0) + 0);
      }),
    );
  });

  test('does not depend on the order in which scores come', () => {
    const shuffled = someScores.chain((scores) =>
      fc.tuple(fc.constant(scores), fc.shuffledSubarray(scoresOf(scores), { minLength: scores.length })),
    );
    fc.assert(
      fc.property(shuffled, ([scores, mixed]) => {
        const asked = request(documentsOf(scores));
        expect(writeRerank(asked, mixed, told)).toBe(writeRerank(asked, scoresOf(scores), told));
      }),
    );
  });

  test('top_n is a prefix of all results', () => {
    fc.assert(
      fc.property(someScores, fc.integer({ min: 1, max: 80 }), (scores, topN) => {
        const all = resultsIn(writeRerank(request(documentsOf(scores)), scoresOf(scores), told));
        const best = resultsIn(
          writeRerank(request(documentsOf(scores), { top_n: topN }), scoresOf(scores), told),
        );
        expect(best).toEqual(all.slice(0, topN));
      }),
    );
  });
});

describe('mergeScores', () => {
  test('what is divided into calls and merged is as if it had been one call', () => {
    fc.assert(
      fc.property(someScores, fc.integer({ min: 1, max: 70 }), (scores, perCall) => {
        const answers = Array.from({ length: Math.ceil(scores.length / perCall) }, (_, call) => ({
          scores: scoresOf(scores.slice(call * perCall, (call + 1) * perCall)).toReversed(),
        }));
        const asked = request(documentsOf(scores));
        expect(writeRerank(asked, mergeScores(answers, perCall), told)).toBe(
          writeRerank(asked, scoresOf(scores), told),
        );
      }),
    );
  });
});
