/**
 * A usage record as one JSON object: the same text is a line of the spool and a row of the statement that stores it, so
 * that it is made once.
 */
import type { PgColumn } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import type { Extras } from '../base/token-usage.ts';
import { usageRecords } from '../storage/schema/usage.ts';
import { readAttempts, writeAttempts } from './attempt-list.ts';
import { writeCount, writeMs, writeName, writeNanoUsd, writeText } from './json-text.ts';
import { type OpenedRequest, type RequestLabels, type UsageRecord, usageOutcomes } from './record.ts';

interface Field<Source> {
  readonly column: PgColumn;
  /** Of the value as it is sent, and what makes it the column's; the column's own when not given. */
  readonly sent?: { readonly type: string; readonly read: (name: string) => string };
  /** As JSON; undefined leaves it out. By hand, because `JSON.stringify` takes eight times as long for an object with a date in it. */
  readonly write: (record: Source) => string | number | boolean | undefined;
}

const maxSmallint = 32_767;

const epochMs = {
  type: 'double precision',
  read: (name: string) => `to_timestamp(${name} / 1000)`,
};

/** Left out of the row, so that the column is null, which stands for 0. */
const writeRareCount = (count: number): number | undefined => writeCount(count) || undefined;
/** As text, which is read back exactly. */
const writeAmount = (nanoUsd: bigint): string => `"${writeNanoUsd(nanoUsd)}"`;

const writeLabel = (label: string | null | undefined): string | undefined =>
  label == null ? undefined : writeText(label);

/** What is known before a provider is asked. */
const openedFields: readonly Field<OpenedRequest>[] = [
  { column: usageRecords.requestId, write: (record) => writeText(record.requestId) },
  { column: usageRecords.startedAt, sent: epochMs, write: (record) => record.startedAt.getTime() },
  { column: usageRecords.keyId, write: (record) => record.keyId },
  { column: usageRecords.userId, write: (record) => record.userId },
  { column: usageRecords.payerId, write: (record) => record.payerId },
  { column: usageRecords.organisationId, write: (record) => record.organisationId ?? undefined },
  { column: usageRecords.departmentId, write: (record) => record.departmentId ?? undefined },
  { column: usageRecords.projectId, write: (record) => record.projectId ?? undefined },
  { column: usageRecords.endpoint, write: (record) => writeName(record.endpoint) },
  { column: usageRecords.model, write: (record) => writeName(record.model) },
  { column: usageRecords.provider, write: (record) => writeName(record.provider) },
  { column: usageRecords.upstreamModel, write: (record) => writeName(record.upstreamModel) },
  { column: usageRecords.streamed, write: (record) => record.streamed },
  { column: usageRecords.exempt, write: (record) => record.exempt || undefined },
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

export const fields: readonly Field<UsageRecord>[] = [
  ...openedFields,
  { column: usageRecords.costNanoUsd, write: (record) => writeAmount(record.costNanoUsd) },
  { column: usageRecords.chargedNanoUsd, write: (record) => writeAmount(record.chargedNanoUsd) },
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
  { column: usageRecords.estimated, write: (record) => record.estimated },
  { column: usageRecords.outcome, write: (record) => writeName(record.outcome) },
  { column: usageRecords.errorCode, write: (record) => writeName(record.errorCode) },
  { column: usageRecords.attempts, write: (record) => writeAttempts(record.attempts) },
];

/** The columns of a row's members by their place, for who reads rows that another version wrote. */
export const fieldColumns: readonly string[] = fields.map(({ column }) => column.name);

/** Short, because they stand in every row that is sent. */
export const nameOf = (place: number): string => `f${place}`;

const writersOf = <Source>(all: readonly Field<Source>[]) =>
  all.map(({ write }, place) => ({ before: `"${nameOf(place)}":`, write }));
const recordWriters = writersOf(fields);
const openedWriters = writersOf(openedFields);

/** A record is settled into the spool and then stored, and is written once for both. */
const knownRows = new WeakMap<UsageRecord, string>();

export function writeRow(record: UsageRecord): string {
  const known = knownRows.get(record);
  if (known !== undefined) return known;
  const { budgets = [] } = record;
  const members = writeMembers(record, recordWriters);
  const row = budgets.length === 0 ? members : `${members.slice(0, -1)},"budgets":${writeBudgets(budgets)}}`;
  knownRows.set(record, row);
  return row;
}

/** Which is no column: the spool keeps it, and the statement takes it apart from the rows. */
function writeBudgets(budgets: NonNullable<UsageRecord['budgets']>): string {
  const shares = budgets.map(({ fundId, amountNanoUsd, leasedNanoUsd }) => [
    fundId,
    String(amountNanoUsd),
    String(leasedNanoUsd),
  ]);
  return JSON.stringify(shares);
}

/** The same members, as far as they are known. */
export function writeOpenedRow(request: OpenedRequest): string {
  return writeMembers(request, openedWriters);
}

function writeMembers<Source>(
  source: Source,
  writers: readonly { readonly before: string; readonly write: Field<Source>['write'] }[],
): string {
  let row = '';
  for (const { before, write } of writers) {
    const value = write(source);
    if (value !== undefined) row += `${row === '' ? '{' : ','}${before}${value}`;
  }
  return `${row}}`;
}

/** How to read rows whose members have these columns by their place; what is no column here is left out. */
export function rowReader(columns: readonly string[]): {
  /** Undefined for what is no such row. */
  readOpened(row: unknown): OpenedRequest | undefined;
  readRecord(row: unknown): UsageRecord | undefined;
} {
  const named = (row: unknown): unknown => {
    if (typeof row !== 'object' || row === null) return undefined;
    const members = columns.map((column, place) => [column, Reflect.get(row, nameOf(place))]);
    return { ...Object.fromEntries(members), budgets: Reflect.get(row, 'budgets') };
  };
  return {
    readOpened: (row) => openedRow.safeParse(named(row)).data,
    readRecord: (row) => settledRow.safeParse(named(row)).data,
  };
}

const id = z.int();
const optionalId = id.nullish().transform((value) => value ?? null);
const optionalText = z
  .string()
  .nullish()
  .transform((value) => value ?? null);
const rareCount = z.int().optional().default(0);
const amount = z
  .string()
  .regex(/^\d{1,19}$/)
  .transform(BigInt);

const openedMembers = {
  request_id: z.guid(),
  started_at: z.number(),
  key_id: id,
  user_id: id,
  payer_id: id,
  organisation_id: optionalId,
  department_id: optionalId,
  project_id: optionalId,
  endpoint: z.string(),
  model: z.string(),
  provider: optionalText,
  upstream_model: optionalText,
  streamed: z.boolean(),
  exempt: z.boolean().optional().default(false),
  session_id: optionalText,
  end_user: optionalText,
  tags: z.array(z.string()).optional().default([]),
};

type OpenedMembers = z.infer<z.ZodObject<typeof openedMembers>>;

const openedOf = (row: OpenedMembers): OpenedRequest => ({
  requestId: row.request_id,
  startedAt: new Date(row.started_at),
  keyId: row.key_id,
  userId: row.user_id,
  payerId: row.payer_id,
  organisationId: row.organisation_id,
  departmentId: row.department_id,
  projectId: row.project_id,
  endpoint: row.endpoint,
  model: row.model,
  provider: row.provider,
  upstreamModel: row.upstream_model,
  streamed: row.streamed,
  exempt: row.exempt,
  ...labelsOf(row),
});

/** A row keeps no more of them than what was said. */
function labelsOf({ session_id: sessionId, end_user: endUser, tags }: OpenedMembers): {
  readonly labels?: RequestLabels;
} {
  if (sessionId === null && endUser === null && tags.length === 0) return {};
  return { labels: { sessionId, endUser, tags } };
}

const openedRow = z.object(openedMembers).transform(openedOf);

const settledRow = z
  .object({
    ...openedMembers,
    cost_nano_usd: amount,
    charged_nano_usd: amount,
    price_version_id: optionalId,
    input_tokens: z.int(),
    output_tokens: z.int(),
    cache_read_tokens: rareCount,
    cache_write_5m_tokens: rareCount,
    cache_write_1h_tokens: rareCount,
    reasoning_tokens: rareCount,
    audio_ms: rareCount,
    characters: rareCount,
    rerank_units: rareCount,
    // Stored as it stands: its members are the business of who made it.
    extras: z.custom<Extras>((value) => typeof value === 'object' && value !== null).optional(),
    duration_ms: z.number(),
    first_byte_ms: z
      .number()
      .optional()
      .transform((value) => value ?? null),
    overhead_ms: z.number(),
    status: z.int(),
    estimated: z.boolean(),
    outcome: z.enum(usageOutcomes),
    error_code: optionalText,
    attempts: z.array(z.unknown()),
    budgets: z.array(z.tuple([id, amount, amount])).optional(),
  })
  .transform(
    (row): UsageRecord => ({
      ...openedOf(row),
      costNanoUsd: row.cost_nano_usd,
      chargedNanoUsd: row.charged_nano_usd,
      priceVersionId: row.price_version_id,
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      cacheReadTokens: row.cache_read_tokens,
      cacheWrite5mTokens: row.cache_write_5m_tokens,
      cacheWrite1hTokens: row.cache_write_1h_tokens,
      reasoningTokens: row.reasoning_tokens,
      audioMs: row.audio_ms,
      characters: row.characters,
      rerankUnits: row.rerank_units,
      ...(row.extras === undefined ? undefined : { extras: row.extras }),
      ...(row.budgets === undefined
        ? undefined
        : {
            budgets: row.budgets.map(([fundId, amountNanoUsd, leasedNanoUsd]) => ({
              fundId,
              amountNanoUsd,
              leasedNanoUsd,
            })),
          }),
      durationMs: row.duration_ms,
      firstByteMs: row.first_byte_ms,
      overheadMs: row.overhead_ms,
      status: row.status,
      estimated: row.estimated,
      outcome: row.outcome,
      errorCode: row.error_code,
      attempts: readAttempts(row.attempts).flatMap(({ provider, latencyMs, ...rest }) =>
        provider === null || latencyMs === null ? [] : [{ ...rest, provider, latencyMs }],
      ),
    }),
  );
