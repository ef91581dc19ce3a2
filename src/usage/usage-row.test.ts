import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { AttemptRecord, UsageRecord } from './record.ts';
import { headLine, readSegment, writeOpenedLine, writeSettledLine } from './spool/spool-lines.ts';
import { usageRecord } from './testing/usage-record.ts';
import { writeRow } from './usage-row.ts';

/** Also what PostgreSQL does not keep: NUL, and halves of surrogate pairs. */
const words = fc.string({ unit: 'binary', maxLength: 12 });
const anyText = fc.oneof(
  words,
  fc.array(fc.constantFrom('\0', '\ud800', '\udc00', '"', '\\', '\u2028', 'a')).map((all) => all.join('')),
);
const someText = anyText.filter((each) => each !== '');
const orNull = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null });
const count = fc.nat(2_147_483_647);
const amount = fc.bigInt(0n, 9_223_372_036_854_775_807n);
const ms = fc.double({ min: 0, max: 1e9, noNaN: true }).map((each) => (each === 0 ? 0 : each));

/** What may be left out is there, or is not there at all. */
const attempt: fc.Arbitrary<AttemptRecord> = fc
  .record(
    {
      ...{ provider: anyText, credentialId: orNull(count), status: orNull(count), latencyMs: ms },
      ...{ errorCode: orNull(anyText), why: someText, model: someText, pausedMs: ms },
      passed: fc.array(fc.record({ provider: anyText, credentialId: orNull(count), why: anyText }), {
        ...{ minLength: 1, maxLength: 3 },
      }),
    },
    { requiredKeys: ['provider', 'credentialId', 'status', 'latencyMs', 'errorCode'] },
  )
  // Nobody is left out for no reason.
  .map(({ passed, ...rest }) =>
    rest.why === undefined || passed === undefined ? rest : { ...rest, passed },
  );

const record: fc.Arbitrary<UsageRecord> = fc
  .record({
    ...{ keyId: count, organisationId: orNull(count), departmentId: orNull(count), projectId: orNull(count) },
    ...{ endpoint: anyText, model: anyText, provider: orNull(anyText), upstreamModel: orNull(anyText) },
    ...{ streamed: fc.boolean(), exempt: fc.boolean(), estimated: fc.boolean(), status: fc.nat(32_767) },
    ...{ outcome: fc.constantFrom('complete', 'refused', 'interrupted'), errorCode: orNull(anyText) },
    ...{ attempts: fc.array(attempt, { maxLength: 3 }), priceVersionId: orNull(count) },
    ...{ inputTokens: count, outputTokens: count, cacheReadTokens: count, cacheWrite5mTokens: count },
    ...{ cacheWrite1hTokens: count, reasoningTokens: count, audioMs: count, characters: count },
    ...{ rerankUnits: count, costNanoUsd: amount, chargedNanoUsd: amount },
    ...{ durationMs: ms, firstByteMs: orNull(ms), overheadMs: ms },
    labels: fc.record({ sessionId: orNull(anyText), endUser: orNull(anyText), tags: fc.array(anyText) }),
    budgets: fc.option(
      fc.array(fc.record({ fundId: count, amountNanoUsd: amount, leasedNanoUsd: amount }), { maxLength: 3 }),
      { nil: undefined },
    ),
  })
  .map(({ labels, ...change }) => {
    const { sessionId, endUser, tags } = labels;
    const isSilent = sessionId === null && endUser === null && tags.length === 0;
    const { budgets, ...rest } = change;
    return usageRecord('any', {
      ...rest,
      ...(isSilent ? undefined : { labels }),
      ...(budgets === undefined ? undefined : { budgets }),
    });
  });

/** What of it a database can keep. */
function kept<T>(value: T): T;
function kept(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\ufffd');
  if (Array.isArray(value)) return value.map((each) => kept(each));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, kept(each)]));
}

test('a record is read back from its row as it was, but for what no database keeps', () => {
  fc.assert(
    fc.property(record, (each) => {
      const [line] = readSegment(headLine + writeSettledLine(each));
      expect(line).toEqual({ kind: 'settled', record: kept(each) });
      const [opened] = readSegment(headLine + writeOpenedLine(each));
      expect(opened?.kind).toBe('opened');
      if (opened?.kind === 'opened') expect(kept(each)).toMatchObject(opened.request);
    }),
    { numRuns: 500 },
  );
});

test('what is out of all bounds keeps no row out: it is bounded', () => {
  const odd = { inputTokens: Number.NaN, outputTokens: 1e300, cacheReadTokens: -5, audioMs: 1.7 };
  const times = { durationMs: Number.POSITIVE_INFINITY, firstByteMs: -1, overheadMs: Number.NaN };
  const amounts = { costNanoUsd: -1n, chargedNanoUsd: 10n ** 30n, status: 99_999 };
  expect(JSON.parse(writeRow(usageRecord('odd', { ...odd, ...times, ...amounts })))).toMatchObject({
    ...{ f17: '0', f18: '9223372036854775807', f20: 0, f21: 2_147_483_647, f26: 1 },
    ...{ f30: 1e9, f31: 0, f32: 0, f33: 32_767 },
  });
});
