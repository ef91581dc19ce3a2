import { expect, test } from 'bun:test';
import { vllmRerank } from './host.ts';
import { asResults, rerankUpstreamCases } from './testing/rerank-upstream.cases.ts';

const results = [{ index: 0, relevance_score: 1 }];

rerankUpstreamCases({
  upstream: vllmRerank,
  shape: asResults,
  counted: {
    answer: { results, usage: { prompt_tokens: 9, total_tokens: 9 } },
    inputTokens: 9,
    searchUnits: null,
  },
  sent: { documents: ['a'] },
});

test.each([
  {},
  { usage: {} },
  { usage: { total_tokens: 0 } },
  { usage: { total_tokens: -4 } },
  { usage: null },
])('counts that %j does not give are unknown', (counts) => {
  expect(vllmRerank.readAnswer({ results, ...counts }, 1).inputTokens).toBeNull();
});
