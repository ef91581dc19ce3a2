/** Base URLs as people write them: as the vendors' own clients take them, with and without what stands in each path. */
import { describe, expect, test } from 'bun:test';
import { providerAdapters } from './index.ts';
import type { UpstreamTask } from './provider.ts';

const taskAt = (baseUrl: string | null): UpstreamTask => ({
  target: { name: 'main', baseUrl, region: null, secret: 'k', settings: {} },
  model: 'm',
  stream: false,
  body: '',
  forwarded: {},
});

/** The addresses of all the work that a kind does. */
async function addressesOf(kind: string, baseUrl: string | null): Promise<readonly string[]> {
  const supports = providerAdapters.get(kind)?.supports({}, baseUrl) ?? {};
  const all = Object.values(supports).flat();
  return Promise.all(all.map(async (support) => (await support.address(taskAt(baseUrl))).url));
}

const withUsualAddress = [...providerAdapters.values()].flatMap(({ kind, defaultBaseUrl }) =>
  defaultBaseUrl === null || !/^https?:[^{]*$/.test(defaultBaseUrl) ? [] : [[kind, defaultBaseUrl] as const],
);

describe('a base URL', () => {
  test.each(withUsualAddress)('of %s may be its host alone, with a slash or without', async (kind, usual) => {
    const { origin } = new URL(usual);
    const expected = (await addressesOf(kind, usual)).toSorted();
    expect((await addressesOf(kind, origin)).toSorted()).toEqual(expected);
    expect((await addressesOf(kind, `${origin}/`)).toSorted()).toEqual(expected);
  });

  test.each([
    ['openai', 'http://127.0.0.1:9000', 'http://127.0.0.1:9000/v1/chat/completions'],
    ['openai', 'http://127.0.0.1:9000/inference', 'http://127.0.0.1:9000/inference/chat/completions'],
    ['openai', 'https://api.groq.com', 'https://api.groq.com/openai/v1/chat/completions'],
    ['openai', 'https://api.perplexity.ai', 'https://api.perplexity.ai/v1/chat/completions'],
    ['llamacpp', 'http://127.0.0.1:9000', 'http://127.0.0.1:9000/v1/chat/completions'],
    ['anthropic', 'https://api.deepseek.com/anthropic', 'https://api.deepseek.com/anthropic/v1/messages'],
    ['anthropic', 'https://gate.example/anthropic/v1/', 'https://gate.example/anthropic/v1/messages'],
    ['google', 'https://gate.example/gemini', 'https://gate.example/gemini/v1beta/models/m:generateContent'],
    ['google', 'https://gate.example/v1alpha', 'https://gate.example/v1alpha/models/m:generateContent'],
  ])('of %s at %s leads to %s', async (kind, baseUrl, address) => {
    expect(await addressesOf(kind, baseUrl)).toContain(address);
  });
});

describe('azure-openai', () => {
  const isTaken = (baseUrl: string) => {
    const place = { baseUrl, region: null, secret: 'k', settings: {} };
    return () => providerAdapters.get('azure-openai')?.checkPlace?.(place);
  };

  test.each([
    'https://mine.openai.azure.com',
    'https://mine.openai.azure.com/openai/v1/',
    'https://mine.services.ai.azure.com/api/projects/ours',
    'https://gate.example/team/azure',
  ])('takes %s', (baseUrl) => {
    expect(isTaken(baseUrl)).not.toThrow();
  });

  test.each([
    'https://mine.openai.azure.com/openai/deployments/mini',
    'https://mine.openai.azure.com/openai/deployments/mini/chat/completions',
    'https://mine.openai.azure.com/v1',
    'https://mine.services.ai.azure.com/models',
    'https://gate.example/team/deployments/mini',
  ])('says what to leave out of %s', (baseUrl) => {
    expect(isTaken(baseUrl)).toThrow(/^base_url: expected the address of the resource alone/);
  });
});
