/** The lines of a spool's segments: how they are written, and how they are read after a crash at any byte of them. */
import { z } from 'zod';
import type { Extras } from '../../base/token-usage.ts';
import { type OpenedRequest, type RequestLabels, type UsageRecord, usageOutcomes } from '../record.ts';
import { fieldColumns, readAttempts, writeOpenedRow, writeRow } from '../usage-row.ts';

/** The first line of each segment, so that a program of another version can read the others. */
export const headLine = `${JSON.stringify({ spool: 1, columns: fieldColumns })}\n`;

export const writeOpenedLine = (request: OpenedRequest): string => `{"opened":${writeOpenedRow(request)}}\n`;
const settledStart = '{"settled":';
export const writeSettledLine = (record: UsageRecord): string => `${settledStart}${writeRow(record)}}\n`;
export const isSettledLine = (line: string | undefined): boolean => line?.startsWith(settledStart) === true;

export type SpoolLine =
  | { readonly kind: 'opened'; readonly request: OpenedRequest }
  | { readonly kind: 'settled'; readonly record: UsageRecord }
  /** Torn by the death of its process, or no line of a spool. */
  | { readonly kind: 'unreadable' };

const unreadable = { kind: 'unreadable' } as const;
const head = z.object({ spool: z.literal(1), columns: z.array(z.string()) });
const line = z.union([z.object({ opened: z.unknown() }), z.object({ settled: z.unknown() })]);

/** In the order they were written. A segment whose first line cannot be read has none that can. */
export function* readSegment(text: string): Iterable<SpoolLine> {
  const [first, ...others] = linesOf(text);
  if (first === undefined) return;
  const readHead = head.safeParse(parse(first));
  if (!readHead.success) {
    yield unreadable;
    for (const _ of others) yield unreadable;
    return;
  }
  const reader = rowReader(readHead.data.columns);
  for (const other of others) yield readLine(other, reader);
}

const linesOf = (text: string): readonly string[] => text.split('\n').filter((each) => each !== '');

function readLine(text: string, reader: ReturnType<typeof rowReader>): SpoolLine {
  const read = line.safeParse(parse(text));
  if (!read.success) return unreadable;
  if ('settled' in read.data) {
    const record = reader.readRecord(read.data.settled);
    return record === undefined ? unreadable : { kind: 'settled', record };
  }
  const request = reader.readOpened(read.data.opened);
  return request === undefined ? unreadable : { kind: 'opened', request };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How to read rows whose members have these columns by their place; what is no column here is left out. */
function rowReader(columns: readonly string[]): {
  /** Undefined for what is no such row. */
  readOpened(row: unknown): OpenedRequest | undefined;
  readRecord(row: unknown): UsageRecord | undefined;
} {
  const named = (row: unknown): unknown => {
    if (typeof row !== 'object' || row === null) return undefined;
    const members = columns.map((column, place) => [column, Reflect.get(row, `f${place}`)]);
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
