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

test('who goes first at the host is not for its clients to say', () => {
  const json = { truncate_prompt_tokens: 9, priority: -1 };
  const request = { text: '', json, model: 'm', query: 'boats', documents: ['a'], stream: false };
  const terms = { version: '1', topN: 1, returnDocuments: false } as const;
  const sent = JSON.parse(vllmRerank.writeRequest({ ...request, ...terms }, ['a'], 'm'));
  expect(sent).toMatchObject({ truncate_prompt_tokens: 9 });
  expect(sent).not.toHaveProperty('priority');
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
