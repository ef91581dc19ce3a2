/** Writes usage records, many in one statement. */
import { getTableColumns, sql } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { usageRecords } from '../storage/schema/usage.ts';
import type { UsageRecord } from './record.ts';

type Row = Required<typeof usageRecords.$inferInsert>;

const maxInteger = 2_147_483_647;
const maxNanoUsd = 9_223_372_036_854_775_807n;
/** More than eleven days. */
const maxDurationMs = 1e9;
const columns = Object.entries(getTableColumns(usageRecords));
const columnNames = sql.join(
  columns.map(([, column]) => sql.identifier(column.name)),
  sql`, `,
);
const fieldNames = sql.join(
  columns.map(([field]) => sql.identifier(field)),
  sql`, `,
);
const fieldDefinitions = sql.join(
  columns.map(([field, column]) => sql`${sql.identifier(field)} ${sql.raw(column.getSQLType())}`),
  sql`, `,
);

/**
 * Stores up to some thousands of records. One whose request id is stored already is left as it is.
 * @returns the request ids that were new: only these may be charged.
 */
export async function insertUsage(
  executor: Executor,
  records: readonly UsageRecord[],
): Promise<readonly string[]> {
  if (records.length === 0) return [];
  // One JSON parameter, because a parameter a value costs twenty times the time to build, and has a limit.
  const rows = JSON.stringify(records.map(storableRow));
  const { rows: inserted } = await executor.execute<{ request_id: string }>(sql`
    INSERT INTO ${usageRecords} (${columnNames})
    SELECT ${fieldNames} FROM json_to_recordset(${rows}::text::json) AS record (${fieldDefinitions})
    ON CONFLICT (request_id) DO NOTHING
    RETURNING request_id`);
  return inserted.map((row) => row.request_id);
}

/** One odd value must not keep the whole batch that it is in from being stored. */
function storableRow(record: UsageRecord): Record<string, unknown> {
  const row: Row = {
    ...record,
    requestId: storableText(record.requestId),
    endpoint: storableText(record.endpoint),
    model: storableText(record.model),
    provider: record.provider === null ? null : storableText(record.provider),
    upstreamModel: record.upstreamModel === null ? null : storableText(record.upstreamModel),
    errorCode: record.errorCode === null ? null : storableText(record.errorCode),
    inputTokens: storableCount(record.inputTokens),
    cacheReadTokens: storableCount(record.cacheReadTokens),
    cacheWrite5mTokens: storableCount(record.cacheWrite5mTokens),
    cacheWrite1hTokens: storableCount(record.cacheWrite1hTokens),
    outputTokens: storableCount(record.outputTokens),
    reasoningTokens: storableCount(record.reasoningTokens),
    audioMs: storableCount(record.audioMs),
    characters: storableCount(record.characters),
    rerankUnits: storableCount(record.rerankUnits),
    status: storableCount(record.status),
    attempts: storableCount(record.attempts.length),
    durationMs: storableMs(record.durationMs),
    firstByteMs: record.firstByteMs === null ? null : storableMs(record.firstByteMs),
    overheadMs: storableMs(record.overheadMs),
  };
  return {
    ...row,
    costNanoUsd: String(storableNanoUsd(row.costNanoUsd)),
    chargedNanoUsd: String(storableNanoUsd(row.chargedNanoUsd)),
  };
}

/** PostgreSQL keeps neither NUL nor half a surrogate pair. */
function storableText(text: string): string {
  return text.isWellFormed() && !text.includes('\0') ? text : text.toWellFormed().replaceAll('\0', '\ufffd');
}

function storableCount(count: number): number {
  return Math.trunc(Math.max(0, Math.min(count || 0, maxInteger)));
}

function storableMs(ms: number): number {
  return Math.max(0, Math.min(ms || 0, maxDurationMs));
}

/** An amount as a usage record keeps it: what the column can hold. */
export function storableNanoUsd(nanoUsd: bigint): bigint {
  if (nanoUsd < 0n) return 0n;
  return nanoUsd > maxNanoUsd ? maxNanoUsd : nanoUsd;
}
