import { describe, expect, test } from 'bun:test';
import { ComplaintError, UnreadableAnswerError } from '../translator.ts';
import { cohereRerank } from './cohere.ts';
import { jinaRerank } from './jina.ts';
import { readRerankRequest } from './request.ts';
import type { RerankUpstream } from './rerank.ts';
import { teiRerank } from './tei.ts';
import { vllmRerank } from './vllm.ts';
import { voyageRerank } from './voyage.ts';

const tei = teiRerank(32);

interface Entry {
  readonly index: unknown;
  readonly score: unknown;
}

/** The answer of an upstream that has these scores. */
type Shape = (entries: readonly Entry[]) => unknown;

const results: Shape = (entries) => ({
  results: entries.map(({ index, score }) => ({ index, relevance_score: score })),
});
const upstreams: readonly [string, RerankUpstream, Shape][] = [
  ['Cohere', cohereRerank, results],
  ['Jina', jinaRerank, results],
  [
    'Voyage',
    voyageRerank,
    (entries) => ({ data: entries.map(({ index, score }) => ({ index, relevance_score: score })) }),
  ],
  ['TEI', tei, (entries) => entries],
  ['vLLM', vllmRerank, results],
];

describe.each(upstreams)('%s', (_, upstream, shape) => {
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

  test.each([
    ['a document without a score', [{ index: 0, score: 1 }]],
    [
      'more scores than documents',
      [
        { index: 0, score: 1 },
        { index: 1, score: 1 },
        { index: 2, score: 1 },
      ],
    ],
    [
      'two scores for a document',
      [
        { index: 0, score: 1 },
        { index: 0, score: 2 },
      ],
    ],
    [
      'a score for no document',
      [
        { index: 0, score: 1 },
        { index: 2, score: 1 },
      ],
    ],
    [
      'an index that is none',
      [
        { index: 0, score: 1 },
        { index: '1', score: 1 },
      ],
    ],
    [
      'a score that is none',
      [
        { index: 0, score: 1 },
        { index: 1, score: '0.5' },
      ],
    ],
    [
      'an endless score',
      [
        { index: 0, score: 1 },
        { index: 1, score: Number.POSITIVE_INFINITY },
      ],
    ],
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
    const sent = JSON.parse(upstream.writeRequest(request, ['b'], 'real'));
    expect(Object.values(sent)).toContainEqual(['b']);
    expect(sent).toMatchObject({ model: 'real', query: 'q' });
    for (const name of ['top_n', 'top_k', 'metadata']) expect(sent).not.toHaveProperty(name);
  });
});

describe('counts', () => {
  const list = [{ index: 0, relevance_score: 1 }];

  test.each([
    ['Cohere', cohereRerank, { results: list, meta: { billed_units: { search_units: 2 } } }, null, 2],
    ['Jina', jinaRerank, { results: list, usage: { total_tokens: 9 } }, 9, null],
    ['Voyage', voyageRerank, { data: list, usage: { total_tokens: 9 } }, 9, null],
    ['vLLM', vllmRerank, { results: list, usage: { prompt_tokens: 9, total_tokens: 9 } }, 9, null],
    ['TEI', tei, [{ index: 0, score: 1 }], null, null],
  ] as const)('of %s are read', (_, upstream, json, inputTokens, searchUnits) => {
    expect(upstream.readAnswer(json, 1)).toMatchObject({ inputTokens, searchUnits });
  });

  test.each([
    {},
    { usage: {} },
    { usage: { total_tokens: 0 } },
    { usage: { total_tokens: -4 } },
    { usage: null },
  ])('that %j does not give are unknown', (counts) => {
    expect(jinaRerank.readAnswer({ results: list, ...counts }, 1).inputTokens).toBeNull();
  });
});

test('fields of a host go along to that host alone', () => {
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
  const sent = (upstream: RerankUpstream) =>
    JSON.parse(upstream.writeRequest(request, request.documents, 'real'));
  expect(sent(tei)).toEqual({ model: 'real', query: 'q', texts: ['a'], raw_scores: true });
  expect(sent(voyageRerank)).toEqual({ model: 'real', query: 'q', documents: ['a'], truncation: false });
  expect(sent(cohereRerank)).toEqual({
    model: 'real',
    query: 'q',
    documents: ['a'],
    max_tokens_per_doc: 500,
  });
  expect(sent(jinaRerank)).toEqual({ model: 'real', query: 'q', documents: ['a'], return_documents: false });
  expect(sent(vllmRerank)).toEqual({ model: 'real', query: 'q', documents: ['a'] });
});
