/** What holds for every upstream of reranking, whatever its names of fields. */
import { describe, expect, test } from 'bun:test';
import { ComplaintError, UnreadableAnswerError } from '../../translator.ts';
import { readRerankRequest } from '../request.ts';
import type { RerankUpstream } from '../rerank.ts';

interface Entry {
  readonly index: unknown;
  readonly score: unknown;
}

export interface RerankCases {
  readonly upstream: RerankUpstream;
  /** The answer of the upstream that has these scores. */
  readonly shape: (entries: readonly Entry[]) => unknown;
  /** An answer for one document with the upstream's counts, and what is read of them. */
  readonly counted: {
    readonly answer: unknown;
    readonly inputTokens: number | null;
    readonly searchUnits: number | null;
  };
  /** What is sent besides the model and the query for one document `a` and the fields of all upstreams at once. */
  readonly sent: object;
}

/** Answers of upstreams that have `results` with a `relevance_score` each. */
export const asResults: RerankCases['shape'] = (entries) => ({
  results: entries.map(({ index, score }) => ({ index, relevance_score: score })),
});

export function rerankUpstreamCases({ upstream, shape, counted, sent }: RerankCases): void {
  describe(`reranking: ${upstream.name}`, () => {
    test('has its scores read in the order of the documents', () => {
      const entries = [
        { index: 2, score: 7.5 },
        { index: 0, score: 0 },
        { index: 1, score: -3 },
      ];
      expect(upstream.readAnswer(shape(entries), 3).scores).toEqual([
        { index: 0, score: 0 },
        { index: 1, score: -3 },
        { index: 2, score: 7.5 },
      ]);
    });

    const first = { index: 0, score: 1 };
    test.each([
      ['a document without a score', [first]],
      ['more scores than documents', [first, { index: 1, score: 1 }, { index: 2, score: 1 }]],
      ['two scores for a document', [first, { index: 0, score: 2 }]],
      ['a score for no document', [first, { index: 2, score: 1 }]],
      ['an index that is none', [first, { index: '1', score: 1 }]],
      ['a score that is none', [first, { index: 1, score: '0.5' }]],
      ['an endless score', [first, { index: 1, score: Number.POSITIVE_INFINITY }]],
    ])('cannot be read with %s', (_fault, entries) => {
      expect(() => upstream.readAnswer(shape(entries), 2)).toThrow(UnreadableAnswerError);
    });

    test('is unreadable without scores, and a complaint when it complains', () => {
      expect(() => upstream.readAnswer({ results: 'none' }, 1)).toThrow(UnreadableAnswerError);
      expect(() => upstream.readAnswer(undefined, 1)).toThrow(UnreadableAnswerError);
      expect(() => upstream.readAnswer({ error: 'too many', error_type: 'Overloaded' }, 1)).toThrow(
        ComplaintError,
      );
    });

    test('gets no top_n, because the best are chosen among all calls', () => {
      const request = readRerankRequest(
        '{"model":"m","query":"q","documents":["a","b"],"top_n":1,"metadata":{}}',
      );
      const written = JSON.parse(upstream.writeRequest(request, ['b'], 'real'));
      expect(Object.values(written)).toContainEqual(['b']);
      expect(written).toMatchObject({ model: 'real', query: 'q' });
      for (const name of ['top_n', 'top_k', 'metadata']) expect(written).not.toHaveProperty(name);
    });

    test('has its counts read', () => {
      const { answer, inputTokens, searchUnits } = counted;
      expect(upstream.readAnswer(answer, 1)).toMatchObject({ inputTokens, searchUnits });
    });

    test('gets of the fields that hosts have for themselves its own alone', () => {
      const text = JSON.stringify({
        model: 'm',
        query: 'q',
        documents: ['a'],
        raw_scores: true,
        truncation: false,
        max_tokens_per_doc: 500,
        truncate: null,
      });
      const request = readRerankRequest(text);
      const written: unknown = JSON.parse(upstream.writeRequest(request, request.documents, 'real'));
      expect(written).toEqual({ model: 'real', query: 'q', ...sent });
    });
  });
}
