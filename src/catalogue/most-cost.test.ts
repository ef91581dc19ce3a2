import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { serviceTiers, type Usage } from '../base/token-usage.ts';
import { longPrompts, type Meter, meters, type Prices, variedMeter } from './model.ts';
import { MostCost, type MostUsage } from './most-cost.ts';
import { costNanoUsd, readPrice } from './price.ts';

const price = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 900_000_000_000n }));
const count = fc.oneof(fc.nat(40), fc.nat(600_000));
const few = fc.nat(12);

/** Of some meters, the plain ones more often than their variants, which are hundreds. */
const meter: fc.Arbitrary<Meter> = fc.oneof(
  fc.constantFrom(...meters.slice(0, 15)),
  fc.constantFrom('input', 'output', 'cached_input', 'audio_input', 'image_output').chain((name) =>
    fc
      .record({
        tier: fc.constantFrom(null, 'flex' as const, 'priority' as const, 'us_fast' as const),
        above: fc.constantFrom(null, ...longPrompts),
      })
      .map(({ tier, above }) => variedMeter(name as 'input', tier, above)),
  ),
);
const prices: fc.Arbitrary<Prices> = fc
  .array(fc.tuple(meter, price), { maxLength: 14 })
  .map((rows) => Object.fromEntries(rows));

const most: fc.Arbitrary<MostUsage> = fc.record(
  {
    inputTokens: count,
    outputTokens: count,
    audioInputTokens: count,
    isStoredForAnHour: fc.boolean(),
    hasSound: fc.boolean(),
    hasImages: fc.boolean(),
    tiers: fc.uniqueArray(fc.constantFrom(...serviceTiers), { maxLength: 3 }),
    audioMs: fc.nat(9_000_000),
    characters: count,
    rerankUnits: few,
    unseen: fc.record(
      { inputTokens: count, web_search: few, file_search: few, container: few, image: few },
      { requiredKeys: ['inputTokens'] },
    ),
  },
  { requiredKeys: ['inputTokens', 'outputTokens'] },
);

/** Splits the input among the ways to pay for it, and takes some of everything else. */
const usageWithin = (bound: MostUsage): fc.Arbitrary<Usage> => {
  const { inputTokens, outputTokens, unseen, tiers = [] } = bound;
  const upTo = (limit = 0) => fc.oneof(fc.constant(limit), fc.nat(limit));
  return fc
    .record({
      cuts: fc.array(upTo(inputTokens + (unseen?.inputTokens ?? 0)), { minLength: 4, maxLength: 4 }),
      output: upTo(outputTokens),
      heard: upTo(Math.min(bound.audioInputTokens ?? 0, inputTokens)),
      spoken: upTo(bound.hasSound === true ? outputTokens : 0),
      drawn: upTo(bound.hasImages === true ? outputTokens : 0),
      tier: fc.constantFrom(undefined, ...tiers),
      audioMs: upTo(bound.audioMs),
      characters: upTo(bound.characters),
      rerankUnits: upTo(bound.rerankUnits),
      web_search: upTo(unseen?.web_search),
      file_search: upTo(unseen?.file_search),
      container: upTo(unseen?.container),
      image: upTo(unseen?.image),
    })
    .map(({ cuts, output, heard, spoken, drawn, tier, audioMs, characters, rerankUnits, ...hosted }) => {
      const [a = 0, b = 0, c = 0, d = 0] = cuts.toSorted((one, other) => one - other);
      const isStored = bound.isStoredForAnHour === true;
      return {
        inputTokens: a,
        cacheReadTokens: b - a,
        cacheWrite5mTokens: c - b + (isStored ? 0 : d - c),
        cacheWrite1hTokens: isStored ? d - c : 0,
        outputTokens: output,
        reasoningTokens: 0,
        estimated: false,
        audioMs,
        characters,
        rerankUnits,
        extras: { ...hosted, audio_input: heard, audio_output: spoken, image_output: drawn, tier },
      };
    });
};

test('no usage within the bound costs more, whatever the prices are and whoever serves it', () => {
  fc.assert(
    fc.property(
      fc.array(prices, { minLength: 1, maxLength: 3 }),
      most.chain((bound) => fc.tuple(fc.constant(bound), usageWithin(bound))),
      (pricesOfAll, [bound, usage]) => {
        const whole = new MostCost(pricesOfAll, bound).wholeNanoUsd;
        for (const each of pricesOfAll) expect(costNanoUsd(each, usage) <= whole).toBe(true);
      },
    ),
    { numRuns: 3000 },
  );
});

test('the output that an amount pays for costs no more than it, and a token more would', () => {
  fc.assert(
    fc.property(
      fc.array(prices, { minLength: 1, maxLength: 3 }),
      most.map(({ unseen: _, ...seen }) => seen),
      fc.bigInt({ min: 0n, max: 5_000_000_000n }),
      (pricesOfAll, bound, amount) => {
        const cost = new MostCost(pricesOfAll, bound);
        const tokens = cost.outputFor(amount);
        if (cost.withOutputNanoUsd(0) > amount) return expect(tokens).toBe(0);
        expect(cost.withOutputNanoUsd(tokens) <= amount).toBe(true);
        expect(tokens === bound.outputTokens || cost.withOutputNanoUsd(tokens + 1) > amount).toBe(true);
      },
    ),
    { numRuns: 2000 },
  );
});

describe('the most that a request can cost', () => {
  const tokens = { inputTokens: 1_000_000, outputTokens: 0 };
  const usd = (rows: Record<string, string>): Prices =>
    Object.fromEntries(Object.entries(rows).map(([name, each]) => [name, readPrice(each)]));

  test('takes the dearest way to pay for input that the request can be paid for in', () => {
    const list = [usd({ input: '3', cached_input: '0.3', cache_write_5m: '3.75', cache_write_1h: '6' })];
    expect(new MostCost(list, tokens).wholeNanoUsd).toBe(3_750_000_000n);
    expect(new MostCost(list, { ...tokens, isStoredForAnHour: true }).wholeNanoUsd).toBe(6_000_000_000n);
  });

  test('is dearer where the prompt may be long, or a dearer tier may serve it', () => {
    const list = [usd({ input: '1', input_above_200k: '2', input_priority: '5' })];
    expect(new MostCost(list, tokens).wholeNanoUsd).toBe(2_000_000_000n);
    expect(new MostCost(list, { ...tokens, inputTokens: 200_000 }).wholeNanoUsd).toBe(200_000_000n);
    expect(new MostCost(list, { ...tokens, tiers: ['priority'] }).wholeNanoUsd).toBe(5_000_000_000n);
  });

  test('leaves half of what the input leaves to an answer where much may come that nobody sees', () => {
    const list = [usd({ input: '1', output: '1', web_search: '10000' })];
    const bound = { inputTokens: 10, outputTokens: 1000, unseen: { inputTokens: 0, web_search: 5 } };
    expect(new MostCost(list, bound).outputFor(1_010_000n)).toBe(500);
  });
});
