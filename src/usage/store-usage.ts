/** Writes usage records as rows, many in one statement. */
import { type SQL, sql } from 'drizzle-orm';
import { usageRecords } from '../storage/schema/usage.ts';
import type { UsageRecord } from './record.ts';
import { fields, writeRow } from './usage-row.ts';

/**
 * A statement, without RETURNING, that stores up to some thousands of records. One whose request id is stored already
 * is left as it is. The rows are one JSON parameter: a parameter a value takes twenty times as long to build and has a
 * limit, an array a column costs the database more.
 * @param journalId of the journal that charges them; none when not given.
 */
export function storeUsage(records: readonly UsageRecord[], journalId: SQL = noJournal): SQL {
  return sql`${beforeJournal}${journalId}${beforeRows}${writeRows(records)}${afterRows}`;
}

const noJournal = sql`NULL::bigint`;

const columns = fields.map(([, { column }]) => `"${column.name}"`).join(', ');
const values = fields.map(([name, { sent }]) => sent?.read(name) ?? name).join(', ');
const types = fields
  .map(([name, { column, sent }]) => `${name} ${sent?.type ?? column.getSQLType()}`)
  .join(', ');
const [charged = ''] = fields.find(([, { column }]) => column === usageRecords.chargedNanoUsd) ?? [];
const beforeJournal = sql`INSERT INTO ${usageRecords} (${sql.raw(`${columns}, "${usageRecords.journalId.name}"`)})
    SELECT ${sql.raw(`${values}, CASE WHEN ${charged} > 0 THEN `)}`;
const beforeRows = sql` END FROM json_to_recordset(`;
const afterRows = sql`::text::json) AS record (${sql.raw(types)}) ON CONFLICT (request_id) DO NOTHING`;

function writeRows(records: readonly UsageRecord[]): string {
  return `[${records.map(writeRow).join(',')}]`;
}
