/** The shipped list must be usable as it is: whole, without clashes, and priced in full. */
import { describe, expect, test } from 'bun:test';
import { checkModels } from './declaration.ts';
import listed from './price-list.json' with { type: 'json' };
import { listedModels, priceListDate } from './price-list.ts';

const providerNames = Object.keys(listed.providers);
const all = providerNames
  .flatMap((name) => listedModels(name))
  .map((model, displayOrder) => ({ ...model, displayOrder }));

describe('the shipped price list', () => {
  test('is dated and has some forty models', () => {
    expect(priceListDate).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(all.length).toBeGreaterThanOrEqual(40);
  });

  test('keeps the rules of the catalogue, all providers together', () => {
    expect(checkModels(all)).toEqual([]);
  });

  test('never asks more for cached input than for input, nor less for a cache write', () => {
    for (const { id, prices } of all) {
      const input = prices?.input ?? 0n;
      expect([id, (prices?.cached_input ?? input) <= input]).toEqual([id, true]);
      expect([id, (prices?.cache_write_5m ?? input) >= input]).toEqual([id, true]);
      expect([id, (prices?.cache_write_1h ?? input) >= input]).toEqual([id, true]);
    }
  });

  test('gives no model more output than context', () => {
    for (const { id, contextWindow, maxOutputTokens } of all) {
      expect([id, (maxOutputTokens ?? 0) <= (contextWindow ?? 0)]).toEqual([id, true]);
    }
  });

  test('has a known price right to the nano-USD', () => {
    const model = listedModels('openai').find(({ id }) => id === 'gpt-4o-mini');
    expect(model?.prices).toEqual({ input: 150_000_000n, cached_input: 75_000_000n, output: 600_000_000n });
  });

  test('offers what hosts share under the name of the host', () => {
    const ids = [...listedModels('groq'), ...listedModels('openrouter')].map(({ id }) => id);
    expect(ids.filter((id) => !/^(groq|openrouter)\//.test(id))).toEqual([]);
  });

  test('knows nothing of a provider that is not listed', () => {
    expect(listedModels('nobody')).toEqual([]);
  });
});
