/** Writes usage records as rows, many in one statement. */
import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { usageRecords } from '../storage/schema/usage.ts';
import type { UsageRecord } from './record.ts';

/**
 * A statement, without RETURNING, that stores up to some thousands of records. One whose request id is stored already
 * is left as it is. The rows are one JSON parameter: a parameter a value takes twenty times as long to build and has a
 * limit, an array a column costs the database more.
 */
export function storeUsage(records: readonly UsageRecord[]): SQL {
  return sql`${beforeRows}${writeRows(records)}${afterRows}`;
}

/** True in the database once a record with this request id is stored. */
export function isUsageStored(requestId: string): SQL<boolean> {
  return sql`EXISTS (SELECT 1 FROM ${usageRecords} WHERE ${usageRecords.requestId} = ${requestId})`;
}

interface Field {
  readonly column: PgColumn;
  /** Of the value as it is sent, and what makes it the column's; the column's own when not given. */
  readonly sent?: { readonly type: string; readonly read: (name: string) => string };
  /** As JSON. By hand, because `JSON.stringify` takes eight times as long for an object with a date in it. */
  readonly write: (record: UsageRecord) => string | number | bigint | boolean;
}

const epochMs = {
  type: 'double precision',
  read: (name: string) => `to_timestamp(${name} / 1000)`,
};

const fields: readonly Field[] = [
  { column: usageRecords.requestId, write: (record) => writeText(record.requestId) },
  { column: usageRecords.startedAt, sent: epochMs, write: (record) => record.startedAt.getTime() },
  { column: usageRecords.keyId, write: (record) => record.keyId },
  { column: usageRecords.userId, write: (record) => record.userId },
  { column: usageRecords.payerId, write: (record) => record.payerId },
  { column: usageRecords.endpoint, write: (record) => writeName(record.endpoint) },
  { column: usageRecords.model, write: (record) => writeName(record.model) },
  { column: usageRecords.provider, write: (record) => writeName(record.provider) },
  { column: usageRecords.upstreamModel, write: (record) => writeName(record.upstreamModel) },
  { column: usageRecords.streamed, write: (record) => record.streamed },
  { column: usageRecords.status, write: (record) => storableCount(record.status) },
  { column: usageRecords.outcome, write: (record) => writeName(record.outcome) },
  { column: usageRecords.errorCode, write: (record) => writeName(record.errorCode) },
  { column: usageRecords.attempts, write: (record) => storableCount(record.attempts.length) },
  { column: usageRecords.inputTokens, write: (record) => storableCount(record.inputTokens) },
  { column: usageRecords.cacheReadTokens, write: (record) => storableCount(record.cacheReadTokens) },
  { column: usageRecords.cacheWrite5mTokens, write: (record) => storableCount(record.cacheWrite5mTokens) },
  { column: usageRecords.cacheWrite1hTokens, write: (record) => storableCount(record.cacheWrite1hTokens) },
  { column: usageRecords.outputTokens, write: (record) => storableCount(record.outputTokens) },
  { column: usageRecords.reasoningTokens, write: (record) => storableCount(record.reasoningTokens) },
  { column: usageRecords.audioMs, write: (record) => storableCount(record.audioMs) },
  { column: usageRecords.characters, write: (record) => storableCount(record.characters) },
  { column: usageRecords.rerankUnits, write: (record) => storableCount(record.rerankUnits) },
  { column: usageRecords.estimated, write: (record) => record.estimated },
  { column: usageRecords.costNanoUsd, write: (record) => storableNanoUsd(record.costNanoUsd) },
  { column: usageRecords.chargedNanoUsd, write: (record) => storableNanoUsd(record.chargedNanoUsd) },
  { column: usageRecords.durationMs, write: (record) => storableMs(record.durationMs) },
  {
    column: usageRecords.firstByteMs,
    write: ({ firstByteMs }) => (firstByteMs === null ? 'null' : storableMs(firstByteMs)),
  },
  { column: usageRecords.overheadMs, write: (record) => storableMs(record.overheadMs) },
];

/** Short, because they stand in every row that is sent. */
const nameOf = (place: number): string => `f${place}`;

const columns = fields.map(({ column }) => `"${column.name}"`).join(', ');
const values = fields.map(({ sent }, place) => sent?.read(nameOf(place)) ?? nameOf(place)).join(', ');
const types = fields
  .map(({ column, sent }, place) => `${nameOf(place)} ${sent?.type ?? column.getSQLType()}`)
  .join(', ');
const beforeRows = sql`INSERT INTO ${usageRecords} (${sql.raw(columns)})
    SELECT ${sql.raw(values)} FROM json_to_recordset(`;
const afterRows = sql`::text::json) AS record (${sql.raw(types)}) ON CONFLICT (request_id) DO NOTHING`;

const writers = fields.map(({ write }, place) => ({ before: `"${nameOf(place)}":`, write }));

function writeRows(records: readonly UsageRecord[]): string {
  let rows = '';
  for (const record of records) {
    let row = '';
    for (const { before, write } of writers) row += `${row === '' ? '{' : ','}${before}${write(record)}`;
    rows += `${rows === '' ? '[' : ','}${row}}`;
  }
  return rows === '' ? '[]' : `${rows}]`;
}

const maxKnownNames = 2000;
/** Names of models, providers and endpoints come again and again. */
const knownNames = new Map<string, string>();

function writeName(name: string | null): string {
  if (name === null) return 'null';
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const written = writeText(name);
  if (knownNames.size >= maxKnownNames) knownNames.clear();
  knownNames.set(name, written);
  return written;
}

/** PostgreSQL keeps neither NUL nor half a surrogate pair, and one odd value must not keep the whole batch out. */
function writeText(text: string): string {
  const isStorable = text.isWellFormed() && !text.includes('\0');
  return JSON.stringify(isStorable ? text : text.toWellFormed().replaceAll('\0', '\ufffd'));
}

const maxInteger = 2_147_483_647;
const maxNanoUsd = 9_223_372_036_854_775_807n;
/** More than eleven days. */
const maxDurationMs = 1e9;

function storableCount(count: number): number {
  return Math.trunc(Math.max(0, Math.min(count || 0, maxInteger)));
}

function storableMs(ms: number): number {
  return Math.max(0, Math.min(ms || 0, maxDurationMs));
}

function storableNanoUsd(nanoUsd: bigint): bigint {
  if (nanoUsd < 0n) return 0n;
  return nanoUsd > maxNanoUsd ? maxNanoUsd : nanoUsd;
}
