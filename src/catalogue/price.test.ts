/** The arithmetic of prices, held against big rational arithmetic on random prices and counts. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { noUsage, serviceTiers, type TokenUsage, totalTokens, type Usage } from '../base/token-usage.ts';
import { meters, type Prices } from './model.ts';
import { costNanoUsd, lineItems, readPrice } from './price.ts';

const price = fc.bigInt({ min: 0n, max: 200_000_000_000n });
const prices: fc.Arbitrary<Prices> = fc.record(
  { input: price, cached_input: price, cache_write_5m: price, cache_write_1h: price, output: price },
  { requiredKeys: [] },
);

const count = fc.oneof(fc.nat({ max: 10 }), fc.nat({ max: 2_000_000 }));
const usage: fc.Arbitrary<TokenUsage> = fc.record({
  inputTokens: count,
  cacheReadTokens: count,
  cacheWrite5mTokens: count,
  cacheWrite1hTokens: count,
  outputTokens: count,
  reasoningTokens: count,
  estimated: fc.boolean(),
});

function add(left: TokenUsage, right: TokenUsage): TokenUsage {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    cacheReadTokens: left.cacheReadTokens + right.cacheReadTokens,
    cacheWrite5mTokens: left.cacheWrite5mTokens + right.cacheWrite5mTokens,
    cacheWrite1hTokens: left.cacheWrite1hTokens + right.cacheWrite1hTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    reasoningTokens: left.reasoningTokens + right.reasoningTokens,
    estimated: false,
  };
}

/** The exact cost as a fraction over 1,000,000, with the fallbacks spelt out one by one. */
function exactMillionths(of: Prices, used: TokenUsage): bigint {
  const input = of.input === undefined ? 0n : of.input;
  const pairs: [number, bigint][] = [
    [used.inputTokens, input],
    [used.cacheReadTokens, of.cached_input === undefined ? input : of.cached_input],
    [used.cacheWrite5mTokens, of.cache_write_5m === undefined ? input : of.cache_write_5m],
    [used.cacheWrite1hTokens, of.cache_write_1h === undefined ? input : of.cache_write_1h],
    [used.outputTokens, of.output === undefined ? 0n : of.output],
  ];
  return pairs.reduce((sum, [units, each]) => sum + BigInt(units) * each, 0n);
}

describe('costNanoUsd', () => {
  test('is the nearest nano-USD to the exact cost, halves upward', () => {
    fc.assert(
      fc.property(prices, usage, (of, used) => {
        const twiceError = 2n * (costNanoUsd(of, used) * 1_000_000n - exactMillionths(of, used));
        expect(twiceError > -1_000_000n && twiceError <= 1_000_000n).toBe(true);
      }),
    );
  });

  test('is additive within one nano-USD', () => {
    fc.assert(
      fc.property(prices, usage, usage, (of, first, second) => {
        const apart = costNanoUsd(of, first) + costNanoUsd(of, second);
        const difference = apart - costNanoUsd(of, add(first, second));
        expect(difference >= -1n && difference <= 1n).toBe(true);
      }),
    );
  });

  test('is never negative and grows with the usage', () => {
    fc.assert(
      fc.property(prices, usage, usage, (of, used, more) => {
        const cost = costNanoUsd(of, used);
        expect(cost >= 0n && costNanoUsd(of, add(used, more)) >= cost).toBe(true);
      }),
    );
  });

  test('is zero for no usage, and for any usage when all prices are zero', () => {
    fc.assert(
      fc.property(prices, usage, (of, used) => {
        expect(costNanoUsd(of, noUsage)).toBe(0n);
        expect(costNanoUsd({ input: 0n, output: 0n }, used)).toBe(0n);
      }),
    );
  });

  test('counts audio by the millisecond, and characters and searches beside tokens, with one rounding', () => {
    const units = fc.record({ audioMs: count, characters: count, rerankUnits: count });
    const unitPrices = fc.record({ audio_second: price, character: price, rerank_unit: price });
    fc.assert(
      fc.property(prices, usage, unitPrices, units, (of, used, ofUnits, usedUnits) => {
        const exactBillionths =
          1000n * exactMillionths(of, used) +
          BigInt(usedUnits.audioMs) * ofUnits.audio_second +
          1000n * BigInt(usedUnits.characters) * ofUnits.character +
          1000n * BigInt(usedUnits.rerankUnits) * ofUnits.rerank_unit;
        const cost = costNanoUsd({ ...of, ...ofUnits }, { ...used, ...usedUnits });
        const twiceError = 2n * (cost * 1_000_000_000n - exactBillionths);
        expect(twiceError > -1_000_000_000n && twiceError <= 1_000_000_000n).toBe(true);
      }),
    );
  });

  test('a minute of audio at $0.006 a minute costs that', () => {
    const perSecond = { audio_second: readPrice('100') };
    expect(costNanoUsd(perSecond, { ...noUsage, audioMs: 60_000 })).toBe(6_000_000n);
    expect(costNanoUsd(perSecond, { ...noUsage, audioMs: 1 })).toBe(100n);
  });

  test('counts reasoning once, as output', () => {
    const used = { ...noUsage, outputTokens: 100, reasoningTokens: 80 };
    expect(costNanoUsd({ input: 0n, output: readPrice('0.60') }, used)).toBe(60_000n);
  });

  test('charges cached input and cache writes at the input price when they have none of their own', () => {
    const used = { ...noUsage, cacheReadTokens: 1, cacheWrite5mTokens: 10, cacheWrite1hTokens: 100 };
    const onlyInput = { input: readPrice(1), output: readPrice(2) };
    expect(costNanoUsd(onlyInput, used)).toBe(111_000n);
    expect(costNanoUsd({ ...onlyInput, cached_input: readPrice('0.1') }, used)).toBe(110_100n);
    expect(costNanoUsd({ ...onlyInput, cached_input: 0n, cache_write_1h: readPrice(2) }, used)).toBe(
      210_000n,
    );
  });

  test('rounds once at the end: two half nanos make one', () => {
    const halfNanoEach = { input: 500_000n, output: 500_000n };
    expect(costNanoUsd(halfNanoEach, { ...noUsage, inputTokens: 1, outputTokens: 1 })).toBe(1n);
    expect(costNanoUsd(halfNanoEach, { ...noUsage, inputTokens: 1 })).toBe(1n);
    expect(costNanoUsd({ input: 499_999n }, { ...noUsage, inputTokens: 1 })).toBe(0n);
  });
});

describe('readPrice', () => {
  test('reads USD per million units exactly, as text or number', () => {
    expect(readPrice('0.15')).toBe(150_000_000n);
    expect(readPrice(0.15)).toBe(150_000_000n);
    expect(readPrice('0')).toBe(0n);
    expect(readPrice(0.0375)).toBe(37_500_000n);
    expect(readPrice('0.000000001')).toBe(1n);
    expect(readPrice(1e-7)).toBe(100n);
  });

  test.each(['', 'free', '1,5', '-0.1', '0.0000000001', '1000001', '1e3', Number.NaN, Infinity])(
    'refuses %j',
    (text) => {
      expect(() => readPrice(text)).toThrow(RangeError);
    },
  );
});

/** Written apart from the code under test: each line of a bill, by what it counts. */
function linesOf(of: Prices, used: Usage): readonly (readonly [number, bigint])[] {
  const { extras = {} } = used;
  const prompt = used.inputTokens + used.cacheReadTokens + used.cacheWrite5mTokens + used.cacheWrite1hTokens;
  const lengths = [512, 272, 256, 200, 128, 32].filter((each) => prompt > each * 1000);
  const known: Readonly<Record<string, bigint | undefined>> = of;
  const long = (meter: string) =>
    lengths.map((each) => known[`${meter}_above_${each}k`]).find((each) => each !== undefined);
  const price = (meter: string): bigint | undefined => {
    if (extras.tier === undefined) return long(meter) ?? known[meter];
    const both = long(`${meter}_${extras.tier}`);
    if (both !== undefined) return both;
    const [first, second] = [known[`${meter}_${extras.tier}`], long(meter)].filter(
      (each) => each !== undefined,
    );
    if (first === undefined) return known[meter];
    return second !== undefined && second > first ? second : first;
  };
  const input = price('input') ?? 0n;
  const output = price('output') ?? 0n;
  const heard = Math.min(extras.audio_input ?? 0, used.inputTokens);
  const spoken = Math.min(extras.audio_output ?? 0, used.outputTokens);
  const drawn = Math.min(extras.image_output ?? 0, used.outputTokens - spoken);
  const rest = used.outputTokens - spoken - drawn;
  const thought = Math.min(used.reasoningTokens, rest);
  return [
    [used.inputTokens - heard, input],
    [heard, price('audio_input') ?? input],
    [used.cacheReadTokens, price('cached_input') ?? input],
    [used.cacheWrite5mTokens, price('cache_write_5m') ?? input],
    [used.cacheWrite1hTokens, price('cache_write_1h') ?? input],
    [rest - thought, output],
    [thought, price('reasoning') ?? output],
    [spoken, price('audio_output') ?? output],
    [drawn, price('image_output') ?? output],
    [extras.web_search ?? 0, of.web_search ?? 0n],
    [extras.file_search ?? 0, of.file_search ?? 0n],
    [extras.container ?? 0, of.container ?? 0n],
    [extras.image ?? 0, of.image ?? 0n],
  ];
}

describe('what is billed beside plain tokens', () => {
  const pricedMeters = meters.filter((meter) =>
    /^(input|output|reasoning|cached_input|audio|image|web|file|container)/.test(meter),
  );
  const anyPrices = fc
    .uniqueArray(fc.tuple(fc.constantFrom(...pricedMeters), price), {
      selector: ([meter]) => meter,
      maxLength: 40,
    })
    .map((entries): Prices => Object.fromEntries(entries));
  const few = fc.option(fc.nat({ max: 900_000 }), { nil: undefined });
  const anyUsage = fc
    .tuple(
      usage,
      fc.record({
        web_search: few,
        file_search: few,
        container: few,
        image: few,
        audio_input: few,
        audio_output: few,
        image_output: few,
        tier: fc.option(fc.constantFrom(...serviceTiers), { nil: undefined }),
      }),
    )
    .map(([plain, extras]): Usage => ({ ...plain, extras }));

  test('the cost is the sum of the priced lines, rounded once', () => {
    fc.assert(
      fc.property(anyPrices, anyUsage, (given, used) => {
        const of = { ...given };
        const exact = linesOf(of, used).reduce((sum, [count, each]) => sum + BigInt(count) * each, 0n);
        expect(costNanoUsd(of, used)).toBe((exact + 500_000n) / 1_000_000n);
      }),
      { numRuns: 300 },
    );
  });

  test('the line items of any bill add up to its cost, and leave no count out', () => {
    const anything = fc
      .tuple(anyUsage, fc.record({ audioMs: count, characters: count, rerankUnits: count }))
      .map(([used, units]): Usage => ({ ...used, ...units }));
    const anyPrice = fc.record({ audio_second: price, character: price }, { requiredKeys: [] });
    fc.assert(
      fc.property(anyPrices, anyPrice, anything, fc.boolean(), (given, ofUnits, used, hasExtras) => {
        const of = { ...given, ...ofUnits };
        const { extras, ...plain } = used;
        const usage = hasExtras ? used : plain;
        const lines = lineItems(of, usage);
        const sum = lines.reduce((total, { amountAttoUsd }) => total + amountAttoUsd, 0n);
        expect(costNanoUsd(of, usage)).toBe((sum + 500_000_000n) / 1_000_000_000n);
        for (const { quantity, pricedAs, nanoUsdPerMillion, amountAttoUsd } of lines) {
          expect(quantity).toBeGreaterThan(0);
          expect(nanoUsdPerMillion).toBe(pricedAs === null ? 0n : (of[pricedAs] ?? -1n));
          expect(amountAttoUsd).toBe(BigInt(Math.round(quantity * 1000)) * nanoUsdPerMillion);
        }
        const tokens = lines.filter(({ unit }) => unit === 'token');
        expect(tokens.reduce((total, { quantity }) => total + quantity, 0)).toBe(totalTokens(used));
        const seconds = lines.find(({ meter }) => meter === 'audio_second')?.quantity ?? 0;
        expect(Math.round(seconds * 1000)).toBe(used.audioMs ?? 0);
      }),
      { numRuns: 300 },
    );
  });

  test('a line says what was counted, by which price, and what that comes to', () => {
    const of: Prices = { input: 1_000_000_000n, output: 2_000_000_000n, output_priority: 3_000_000_000n };
    const used = { ...noUsage, cacheReadTokens: 5, outputTokens: 7, extras: { tier: 'priority' } as const };
    expect(lineItems(of, used)).toEqual([
      {
        ...{ meter: 'cached_input', quantity: 5, unit: 'token', pricedAs: 'input' },
        ...{ nanoUsdPerMillion: 1_000_000_000n, amountAttoUsd: 5_000_000_000_000n },
      },
      {
        ...{ meter: 'output', quantity: 7, unit: 'token', pricedAs: 'output_priority' },
        ...{ nanoUsdPerMillion: 3_000_000_000n, amountAttoUsd: 21_000_000_000_000n },
      },
    ]);
    expect(lineItems(of, { ...noUsage, extras: { container: 2 } })).toMatchObject([
      { meter: 'container', quantity: 2, unit: 'container', pricedAs: null, amountAttoUsd: 0n },
    ]);
  });

  test('thought is priced apart where it has a price', () => {
    const used = { ...noUsage, outputTokens: 100, reasoningTokens: 80 };
    const of = { input: 0n, output: readPrice('1'), reasoning: readPrice('3') };
    expect(costNanoUsd(of, used)).toBe(260_000n);
    expect(lineItems(of, used).map(({ meter, quantity }) => [meter, quantity])).toEqual([
      ['output', 20],
      ['reasoning', 80],
    ]);
    expect(costNanoUsd(of, { ...used, reasoningTokens: 900 })).toBe(300_000n);
  });

  const sold: Prices = {
    input: 1_000_000_000n,
    output: 2_000_000_000n,
    input_above_200k: 3_000_000_000n,
    input_priority: 4_000_000_000n,
    output_priority: 5_000_000_000n,
    audio_output: 7_000_000_000n,
    web_search: 10_000_000_000_000n,
  };
  const million: Usage = { ...noUsage, inputTokens: 100_000, outputTokens: 100_000 };

  test.each([
    ['the usual tier', {}, 300_000_000n],
    ['a dearer tier', { tier: 'priority' }, 900_000_000n],
    ['a tier without a price costs what the usual one does', { tier: 'flex' }, 300_000_000n],
    ['searches', { web_search: 3 }, 330_000_000n],
    ['sound in the answer', { audio_output: 50_000 }, 550_000_000n],
    ['sound in the prompt, without a price of its own', { audio_input: 50_000 }, 300_000_000n],
    ['containers without a price', { container: 9 }, 300_000_000n],
  ] as const)('%s', (_name, extras, cost) => {
    expect(costNanoUsd(sold, { ...million, extras })).toBe(cost);
  });

  test('a long prompt, with the tokens that a cache served', () => {
    const prompt: Usage = { ...noUsage, inputTokens: 150_000, cacheReadTokens: 50_000 };
    expect(costNanoUsd(sold, prompt)).toBe(200_000_000n);
    expect(costNanoUsd(sold, { ...prompt, inputTokens: 150_001 })).toBe(600_003_000n);
    expect(costNanoUsd(sold, { ...prompt, inputTokens: 150_001, extras: { tier: 'priority' } })).toBe(
      800_004_000n,
    );
  });
});
