/** The request log as comma-separated values (RFC 4180), a line at a time. */
import { writeUsd } from '../base/money.ts';
import type { StoredUsageRecord } from './record.ts';

export type Cell = string | number | bigint | boolean | null;

const columns: readonly (readonly [name: string, cell: (record: StoredUsageRecord) => Cell])[] = [
  ['request_id', ({ requestId }) => requestId],
  ['started_at', ({ startedAt }) => startedAt.toISOString()],
  ['organisation_id', ({ organisationId }) => organisationId],
  ['department_id', ({ departmentId }) => departmentId],
  ['project_id', ({ projectId }) => projectId],
  ['user_id', ({ userId }) => userId],
  ['payer_id', ({ payerId }) => payerId],
  ['key_id', ({ keyId }) => keyId],
  ['endpoint', ({ endpoint }) => endpoint],
  ['model', ({ model }) => model],
  ['provider', ({ provider }) => provider],
  ['upstream_model', ({ upstreamModel }) => upstreamModel],
  ['streamed', ({ streamed }) => streamed],
  ['status', ({ status }) => status],
  ['outcome', ({ outcome }) => outcome],
  ['error_code', ({ errorCode }) => errorCode],
  ['attempts', ({ attempts }) => attempts],
  ['input_tokens', ({ inputTokens }) => inputTokens],
  ['cache_read_tokens', ({ cacheReadTokens }) => cacheReadTokens],
  ['cache_write_5m_tokens', ({ cacheWrite5mTokens }) => cacheWrite5mTokens],
  ['cache_write_1h_tokens', ({ cacheWrite1hTokens }) => cacheWrite1hTokens],
  ['output_tokens', ({ outputTokens }) => outputTokens],
  ['reasoning_tokens', ({ reasoningTokens }) => reasoningTokens],
  ['audio_ms', ({ audioMs }) => audioMs],
  ['characters', ({ characters }) => characters],
  ['rerank_units', ({ rerankUnits }) => rerankUnits],
  ['estimated', ({ estimated }) => estimated],
  ['cost_usd', ({ costNanoUsd }) => writeUsd(costNanoUsd)],
  ['charged_usd', ({ chargedNanoUsd }) => writeUsd(chargedNanoUsd)],
  ['journal_id', ({ journalId }) => journalId ?? null],
  ['rerated_at', ({ rerated }) => rerated?.at.toISOString() ?? null],
  ['duration_ms', ({ durationMs }) => durationMs],
  ['first_byte_ms', ({ firstByteMs }) => firstByteMs],
  ['overhead_ms', ({ overheadMs }) => overheadMs],
  ['session_id', ({ labels }) => labels?.sessionId ?? null],
  ['end_user', ({ labels }) => labels?.endUser ?? null],
  ['tags', ({ labels }) => labels?.tags.join(';') ?? null],
];

/** A page of lines, and what asks for the page behind it; null at the end. */
export interface CsvPage {
  readonly lines: readonly string[];
  readonly next: string | null;
}

export function writeCsvLine(record: StoredUsageRecord): string {
  return writeCells(columns.map(([, cell]) => cell(record)));
}

/**
 * The header and every line, each with its end; no more than a page is held. The header comes with the first page, so that
 * nothing is written of what is refused.
 */
export async function* streamCsv(
  readPage: (before: string | undefined) => Promise<CsvPage>,
): AsyncGenerator<string> {
  for (let before: string | undefined; ; ) {
    const { lines, next } = await readPage(before);
    if (before === undefined) yield writeCells(columns.map(([name]) => name));
    yield* lines;
    if (next === null) return;
    before = next;
  }
}

/** A line with its end. */
export const writeCells = (cells: readonly Cell[]): string => `${cells.map(writeCell).join(',')}\r\n`;

function writeCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const harmless = cell.replaceAll(formulaBegins, "$1'");
  return needsQuotes.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/**
 * A spreadsheet would work out what begins so, on the machine of whoever opens the file. Where a comma is the sign of
 * decimals spreadsheets separate cells by semicolons, and take a quote inside of a cell for a letter of it: there a
 * semicolon in a text begins another cell, and a line break another row.
 */
const formulaBegins = /(^|[;\r\n])(?=(?:[^\S\r\n]|")*[=+\-@\t])/g;
const needsQuotes = /[",\r\n]/;
