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

  test('says of each row which page it was compared with, and of no more than half that none was found', () => {
    const rows = Object.values(listed.providers).flat();
    const unverified = rows.filter(({ source }) => source === null);
    expect(rows.every((row) => 'source' in row)).toBe(true);
    // May only fall: a row without a source is checked before it is added, or an older one is.
    expect(unverified.length).toBeLessThanOrEqual(52);
    expect(rows.length - unverified.length).toBeGreaterThan(unverified.length);
  });

  test('offers nothing that its provider serves by another model at another price', () => {
    const ids = all.map(({ id }) => id);
    // Retired on 2026-05-15 and served by grok-4.3 since: https://docs.x.ai/docs/migration/may-15-retirement
    for (const id of ['grok-4-1-fast-reasoning', 'grok-code-fast-1']) expect(ids).not.toContain(id);
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
    expect(model?.prices).toMatchObject({
      input: 150_000_000n,
      cached_input: 75_000_000n,
      output: 600_000_000n,
    });
  });

  test('prices each type of model by what it is billed for', () => {
    const pricesOf = (provider: string, id: string) => {
      const model = listedModels(provider).find((one) => one.id === id);
      return [model?.type, model?.prices];
    };
    expect(pricesOf('openai', 'text-embedding-3-small')).toEqual(['embedding', { input: 20_000_000n }]);
    // $0.006 a minute.
    expect(pricesOf('openai', 'whisper-1')).toEqual(['transcription', { audio_second: 100_000_000_000n }]);
    // $15 for a million characters.
    expect(pricesOf('openai', 'tts-1')).toEqual(['speech', { character: 15_000_000_000n }]);
    // $2 for a thousand searches.
    expect(pricesOf('cohere', 'rerank-v3.5')).toEqual(['rerank', { rerank_unit: 2_000_000_000_000n }]);
    expect(pricesOf('voyage', 'rerank-3')).toEqual(['rerank', { input: 50_000_000n }]);
  });

  test('prices what agents declare by default, and says where the prices were read', () => {
    for (const provider of ['openai', 'anthropic', 'gemini', 'xai'] as const) {
      expect(listed.sources[provider].length).toBeGreaterThan(0);
      for (const { id, type, prices } of listedModels(provider)) {
        expect([id, type !== 'chat' || prices?.web_search !== undefined]).toEqual([id, true]);
      }
    }
    const pricesOf = (provider: string, model: string) =>
      listedModels(provider).find(({ id }) => id === model)?.prices;
    // $10 and $35 for a thousand searches.
    expect(pricesOf('anthropic', 'claude-sonnet-5-5')?.web_search).toBe(10_000_000_000_000n);
    expect(pricesOf('gemini', 'gemini-2.5-pro')?.web_search).toBe(35_000_000_000_000n);
    expect(pricesOf('gemini', 'gemini-2.5-pro')).toMatchObject({
      input_above_200k: 2_500_000_000n,
      cached_input_above_200k: 250_000_000n,
      output_above_200k: 15_000_000_000n,
    });
    expect(pricesOf('openai', 'gpt-6.1-sol')?.input_priority_above_272k).toBe(8_000_000_000n);
  });

  test('asks no less for a dearer way of being served, and no more for a cheaper one', () => {
    const kinds: readonly (readonly [RegExp, 1 | -1])[] = [
      [/^(.+)_(?:priority|ultrafast|us|us_fast|fast)$/, 1],
      [/^(.+)_(?:flex|batch)$/, -1],
      [/^([^_]+(?:_[^_]+)*?)(?:_priority)?_above_\d+k$/, 1],
    ];
    for (const { id, prices } of all) {
      const known: Readonly<Record<string, bigint | undefined>> = prices ?? {};
      for (const [meter, price = 0n] of Object.entries(known)) {
        const [pattern, sign] = kinds.find(([each]) => each.test(meter)) ?? [];
        if (pattern === undefined || sign === undefined) continue;
        const usual = known[pattern.exec(meter)?.[1] ?? ''] ?? 0n;
        expect([id, meter, sign === 1 ? price >= usual : price <= usual]).toEqual([id, meter, true]);
      }
    }
  });

  test('never asks less than the provider does when a price for an hour has no end', () => {
    const hourOf = (provider: string, id: string) => {
      const second = listedModels(provider).find((one) => one.id === id)?.prices?.audio_second ?? 0n;
      return Number(second * 3600n) / 1e15;
    };
    expect(hourOf('groq', 'groq/whisper-large-v3')).toBeGreaterThanOrEqual(0.111);
    expect(hourOf('groq', 'groq/whisper-large-v3')).toBeLessThan(0.1111);
    expect(hourOf('elevenlabs', 'scribe_v2')).toBeGreaterThanOrEqual(0.22);
  });

  test('offers what hosts share under the name of the host', () => {
    const hosts = [
      'groq',
      'openrouter',
      'together',
      'fireworks',
      'cerebras',
      'sambanova',
      'deepinfra',
      'novita',
    ];
    const ids = hosts.flatMap((host) => listedModels(host).map(({ id }) => [host, id.split('/')[0] ?? '']));
    expect(ids.filter(([host, prefix]) => host !== prefix)).toEqual([]);
  });

  test('knows nothing of a provider that is not listed', () => {
    expect(listedModels('nobody')).toEqual([]);
  });
});
