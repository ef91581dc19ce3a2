/**
 * A usage record as one JSON object: the same text is a line of the spool and a row of the statement that stores it, so
 * that it is made once. Its tries are a list each, without names, because every row has one.
 */
import type { PgColumn } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import { usageRecords } from '../storage/schema/usage.ts';
import type { AttemptRecord, OpenedRequest, StoredAttempt, UsageRecord } from './record.ts';

interface Field {
  readonly column: PgColumn;
  /** Of the value as it is sent, and what makes it the column's; the column's own when not given. */
  readonly sent?: { readonly type: string; readonly read: (name: string) => string };
}

const epochMs = {
  type: 'double precision',
  read: (name: string) => `to_timestamp(${name} / 1000)`,
};

/** The members of a row, by their place: short names, because they stand in every row that is sent. */
const fieldsByName = {
  // What is known before a provider is asked.
  f0: { column: usageRecords.requestId },
  f1: { column: usageRecords.startedAt, sent: epochMs },
  f2: { column: usageRecords.keyId },
  f3: { column: usageRecords.userId },
  f4: { column: usageRecords.payerId },
  f5: { column: usageRecords.organisationId },
  f6: { column: usageRecords.departmentId },
  f7: { column: usageRecords.projectId },
  f8: { column: usageRecords.endpoint },
  f9: { column: usageRecords.model },
  f10: { column: usageRecords.provider },
  f11: { column: usageRecords.upstreamModel },
  f12: { column: usageRecords.streamed },
  f13: { column: usageRecords.exempt },
  f14: { column: usageRecords.sessionId },
  f15: { column: usageRecords.endUser },
  f16: { column: usageRecords.tags },
  // What is known at its end.
  f17: { column: usageRecords.costNanoUsd },
  f18: { column: usageRecords.chargedNanoUsd },
  f19: { column: usageRecords.priceVersionId },
  f20: { column: usageRecords.inputTokens },
  f21: { column: usageRecords.outputTokens },
  f22: { column: usageRecords.cacheReadTokens },
  f23: { column: usageRecords.cacheWrite5mTokens },
  f24: { column: usageRecords.cacheWrite1hTokens },
  f25: { column: usageRecords.reasoningTokens },
  f26: { column: usageRecords.audioMs },
  f27: { column: usageRecords.characters },
  f28: { column: usageRecords.rerankUnits },
  f29: { column: usageRecords.extras },
  f30: { column: usageRecords.durationMs },
  f31: { column: usageRecords.firstByteMs },
  f32: { column: usageRecords.overheadMs },
  f33: { column: usageRecords.status },
  f34: { column: usageRecords.estimated },
  f35: { column: usageRecords.outcome },
  f36: { column: usageRecords.errorCode },
  f37: { column: usageRecords.attempts },
} as const satisfies Readonly<Record<string, Field>>;

export const fields: readonly (readonly [name: string, field: Field])[] = Object.entries(fieldsByName);

/** The columns of a row's members by their place, for who reads rows that another version wrote. */
export const fieldColumns: readonly string[] = fields.map(([, { column }]) => column.name);

/**
 * A row before it is text, whose undefined members are left out: columns that are null then. `budgets` is no column: the
 * spool keeps it, and the statement takes it apart from the rows.
 */
type Row = Record<keyof typeof fieldsByName | 'budgets', unknown>;

/** All members are there from the beginning, whatever they hold: objects of one form are written twice as fast. */
function rowOf(request: OpenedRequest): Row {
  const { labels } = request;
  return {
    f0: request.requestId,
    f1: request.startedAt.getTime(),
    f2: request.keyId,
    f3: request.userId,
    f4: request.payerId,
    f5: request.organisationId ?? undefined,
    f6: request.departmentId ?? undefined,
    f7: request.projectId ?? undefined,
    f8: request.endpoint,
    f9: request.model,
    f10: request.provider,
    f11: request.upstreamModel,
    f12: request.streamed,
    f13: request.exempt || undefined,
    f14: labels?.sessionId ?? undefined,
    f15: labels?.endUser ?? undefined,
    f16: labels === undefined || labels.tags.length === 0 ? undefined : labels.tags,
    f17: undefined,
    f18: undefined,
    f19: undefined,
    f20: undefined,
    f21: undefined,
    f22: undefined,
    f23: undefined,
    f24: undefined,
    f25: undefined,
    f26: undefined,
    f27: undefined,
    f28: undefined,
    f29: undefined,
    f30: undefined,
    f31: undefined,
    f32: undefined,
    f33: undefined,
    f34: undefined,
    f35: undefined,
    f36: undefined,
    f37: undefined,
    budgets: undefined,
  };
}

function settledRowOf(record: UsageRecord): Row {
  const row = rowOf(record);
  // Amounts as text, which is read back exactly.
  row.f17 = String(boundNanoUsd(record.costNanoUsd));
  row.f18 = String(boundNanoUsd(record.chargedNanoUsd));
  row.f19 = record.priceVersionId ?? undefined;
  row.f20 = boundCount(record.inputTokens);
  row.f21 = boundCount(record.outputTokens);
  row.f22 = boundRareCount(record.cacheReadTokens);
  row.f23 = boundRareCount(record.cacheWrite5mTokens);
  row.f24 = boundRareCount(record.cacheWrite1hTokens);
  row.f25 = boundRareCount(record.reasoningTokens);
  row.f26 = boundRareCount(record.audioMs);
  row.f27 = boundRareCount(record.characters);
  row.f28 = boundRareCount(record.rerankUnits);
  row.f29 = record.extras;
  row.f30 = boundMs(record.durationMs);
  row.f31 = record.firstByteMs === null ? undefined : boundMs(record.firstByteMs);
  row.f32 = boundMs(record.overheadMs);
  row.f33 = boundCount(record.status, maxSmallint);
  row.f34 = record.estimated;
  row.f35 = record.outcome;
  row.f36 = record.errorCode;
  row.f37 = listAttempts(record.attempts);
  row.budgets = record.budgets?.map(({ fundId, amountNanoUsd, leasedNanoUsd }) => [
    fundId,
    String(amountNanoUsd),
    String(leasedNanoUsd),
  ]);
  return row;
}

/** A record is settled into the spool and then stored, and is written once for both. */
const knownRows = new WeakMap<UsageRecord, string>();

export function writeRow(record: UsageRecord): string {
  const known = knownRows.get(record);
  if (known !== undefined) return known;
  const row = writeStorable(settledRowOf(record));
  knownRows.set(record, row);
  return row;
}

/** The same members, as far as they are known. */
export function writeOpenedRow(request: OpenedRequest): string {
  return writeStorable(rowOf(request));
}

/** PostgreSQL keeps neither NUL nor half a surrogate pair, which JSON escapes: few texts have an escape of the kind. */
function writeStorable(row: Row): string {
  const text = JSON.stringify(row);
  return text.includes('\\u') ? JSON.stringify(row, (_, value) => storable(value)) : text;
}

function storable(value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value;
}

const maxSmallint = 32_767;
const maxInteger = 2_147_483_647;
const maxNanoUsd = 9_223_372_036_854_775_807n;

/** One odd value must not keep a whole batch out. */
function boundCount(count: number, most = maxInteger): number {
  return Math.trunc(Math.max(0, Math.min(count || 0, most)));
}

/** Left out of the row, so that the column is null, which stands for 0. */
const boundRareCount = (count: number): number | undefined => boundCount(count) || undefined;

function boundNanoUsd(nanoUsd: bigint): bigint {
  if (nanoUsd < 0n) return 0n;
  return nanoUsd > maxNanoUsd ? maxNanoUsd : nanoUsd;
}

/** Far more than there are candidates; a bound for what one row may hold. */
const maxAttempts = 100;

/** In the order of the members of `AttemptRecord`. */
function listAttempts(attempts: readonly AttemptRecord[]): readonly unknown[] {
  const listed = attempts.length > maxAttempts ? attempts.slice(0, maxAttempts) : attempts;
  return listed.map(listOf);
}

/** The usual one has no word of why, and nobody who was left out. */
const listOf = (attempt: AttemptRecord) => {
  const { provider, credentialId, status, latencyMs, errorCode, why, passed, model, pausedMs } = attempt;
  const list: unknown[] = [provider, credentialId, status, boundMs(latencyMs), errorCode];
  const hasPassed = why !== undefined && passed !== undefined;
  const isLong = model !== undefined || pausedMs !== undefined;
  // What stands before another member has its place, though it may say nothing.
  if (why !== undefined || isLong) list.push(why ?? '');
  if (hasPassed || isLong)
    list.push((hasPassed ? passed : []).map((each) => [each.provider, each.credentialId, each.why]));
  if (isLong) list.push(model ?? '');
  if (pausedMs !== undefined) list.push(boundMs(pausedMs));
  return list;
};

/** More than eleven days. */
const maxDurationMs = 1e9;

function boundMs(ms: number): number {
  return Math.max(0, Math.min(ms || 0, maxDurationMs));
}

const attempt = z
  .tuple([
    z.string().nullable(),
    z.number().nullable(),
    z.number().nullable(),
    z.number().nullable(),
    z.string().nullable(),
  ])
  // A newer version of this program may have added to it.
  .rest(z.unknown());

/** What cannot be read was written by a version that this one does not know: it counts, and says nothing. */
export function readAttempts(list: readonly unknown[]): StoredAttempt[] {
  return list.map((entry) => {
    const read = attempt.safeParse(entry);
    const [provider, credentialId, status, latencyMs, errorCode, ...reasons] = read.success
      ? read.data
      : unknownAttempt;
    return { provider, credentialId, status, latencyMs, errorCode, ...readReasons(reasons) };
  });
}

const reason = z.tuple([
  z.string(),
  z.array(z.tuple([z.string(), z.number().nullable(), z.string()])).optional(),
  z.string().optional(),
  z.number().optional().catch(undefined),
]);

function readReasons(
  reasons: readonly unknown[],
): Pick<StoredAttempt, 'why' | 'passed' | 'model' | 'pausedMs'> | undefined {
  const read = reason.safeParse(reasons.slice(0, 4));
  if (!read.success) return undefined;
  const [why, passed = [], model = '', pausedMs] = read.data;
  const left = passed.map(([provider, credentialId, whyNot]) => ({ provider, credentialId, why: whyNot }));
  return {
    ...(why === '' ? undefined : { why }),
    ...(left.length === 0 ? undefined : { passed: left }),
    ...(model === '' ? undefined : { model }),
    ...(pausedMs === undefined ? undefined : { pausedMs }),
  };
}

const unknownAttempt = [null, null, null, null, null] as const;
