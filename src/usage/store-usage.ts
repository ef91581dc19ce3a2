/** Writes usage records as rows, many in one statement. */
import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { usageRecords } from '../storage/schema/usage.ts';
import { writeAttempts } from './attempt-list.ts';
import { writeCount, writeMs, writeName, writeNanoUsd, writeText } from './json-text.ts';
import type { UsageRecord } from './record.ts';

/**
 * A statement, without RETURNING, that stores up to some thousands of records. One whose request id is stored already
 * is left as it is. The rows are one JSON parameter: a parameter a value takes twenty times as long to build and has a
 * limit, an array a column costs the database more.
 */
export function storeUsage(records: readonly UsageRecord[]): SQL {
  return sql`${beforeRows}${writeRows(records)}${afterRows}`;
}

interface Field {
  readonly column: PgColumn;
  /** Of the value as it is sent, and what makes it the column's; the column's own when not given. */
  readonly sent?: { readonly type: string; readonly read: (name: string) => string };
  /** As JSON; undefined leaves it out. By hand, because `JSON.stringify` takes eight times as long for an object with a date in it. */
  readonly write: (record: UsageRecord) => string | number | bigint | boolean | undefined;
}

const maxSmallint = 32_767;

const epochMs = {
  type: 'double precision',
  read: (name: string) => `to_timestamp(${name} / 1000)`,
};

/** Left out of the row, so that the column is null, which stands for 0. */
const writeRareCount = (count: number): number | undefined => writeCount(count) || undefined;

const writeLabel = (label: string | null | undefined): string | undefined =>
  label == null ? undefined : writeText(label);

const fields: readonly Field[] = [
  { column: usageRecords.requestId, write: (record) => writeText(record.requestId) },
  { column: usageRecords.startedAt, sent: epochMs, write: (record) => record.startedAt.getTime() },
  { column: usageRecords.costNanoUsd, write: (record) => writeNanoUsd(record.costNanoUsd) },
  { column: usageRecords.chargedNanoUsd, write: (record) => writeNanoUsd(record.chargedNanoUsd) },
  { column: usageRecords.keyId, write: (record) => record.keyId },
  { column: usageRecords.userId, write: (record) => record.userId },
  { column: usageRecords.payerId, write: (record) => record.payerId },
  { column: usageRecords.organisationId, write: (record) => record.organisationId ?? undefined },
  { column: usageRecords.departmentId, write: (record) => record.departmentId ?? undefined },
  { column: usageRecords.projectId, write: (record) => record.projectId ?? undefined },
  { column: usageRecords.priceVersionId, write: (record) => record.priceVersionId ?? undefined },
  { column: usageRecords.inputTokens, write: (record) => writeCount(record.inputTokens) },
  { column: usageRecords.outputTokens, write: (record) => writeCount(record.outputTokens) },
  { column: usageRecords.cacheReadTokens, write: (record) => writeRareCount(record.cacheReadTokens) },
  { column: usageRecords.cacheWrite5mTokens, write: (record) => writeRareCount(record.cacheWrite5mTokens) },
  { column: usageRecords.cacheWrite1hTokens, write: (record) => writeRareCount(record.cacheWrite1hTokens) },
  { column: usageRecords.reasoningTokens, write: (record) => writeRareCount(record.reasoningTokens) },
  { column: usageRecords.audioMs, write: (record) => writeRareCount(record.audioMs) },
  { column: usageRecords.characters, write: (record) => writeRareCount(record.characters) },
  { column: usageRecords.rerankUnits, write: (record) => writeRareCount(record.rerankUnits) },
  {
    column: usageRecords.extras,
    write: ({ extras }) => (extras === undefined ? undefined : JSON.stringify(extras)),
  },
  { column: usageRecords.durationMs, write: (record) => writeMs(record.durationMs) },
  {
    column: usageRecords.firstByteMs,
    write: ({ firstByteMs }) => (firstByteMs === null ? undefined : writeMs(firstByteMs)),
  },
  { column: usageRecords.overheadMs, write: (record) => writeMs(record.overheadMs) },
  { column: usageRecords.status, write: (record) => writeCount(record.status, maxSmallint) },
  { column: usageRecords.streamed, write: (record) => record.streamed },
  { column: usageRecords.estimated, write: (record) => record.estimated },
  { column: usageRecords.exempt, write: (record) => record.exempt || undefined },
  { column: usageRecords.outcome, write: (record) => writeName(record.outcome) },
  { column: usageRecords.endpoint, write: (record) => writeName(record.endpoint) },
  { column: usageRecords.model, write: (record) => writeName(record.model) },
  { column: usageRecords.provider, write: (record) => writeName(record.provider) },
  { column: usageRecords.upstreamModel, write: (record) => writeName(record.upstreamModel) },
  { column: usageRecords.errorCode, write: (record) => writeName(record.errorCode) },
  { column: usageRecords.attempts, write: (record) => writeAttempts(record.attempts) },
  { column: usageRecords.sessionId, write: ({ labels }) => writeLabel(labels?.sessionId) },
  { column: usageRecords.endUser, write: ({ labels }) => writeLabel(labels?.endUser) },
  {
    column: usageRecords.tags,
    write: ({ labels }) =>
      labels === undefined || labels.tags.length === 0
        ? undefined
        : `[${labels.tags.map(writeText).join(',')}]`,
  },
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
    for (const { before, write } of writers) {
      const value = write(record);
      if (value !== undefined) row += `${row === '' ? '{' : ','}${before}${value}`;
    }
    rows += `${rows === '' ? '[' : ','}${row}}`;
  }
  return rows === '' ? '[]' : `${rows}]`;
}
