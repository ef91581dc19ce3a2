/** One row a request that reached routing: counts, times and cost; never content. */
import { bigint, boolean, index, integer, pgTable, real, text, timestamp } from 'drizzle-orm/pg-core';
import { nanoUsdColumn } from './columns.ts';

const count = (name: string) => integer(name).notNull().default(0);

export const usageRecords = pgTable(
  'usage_records',
  {
    /** The `x-request-id` of the answer. */
    requestId: text('request_id').primaryKey(),
    startedAt: timestamp('started_at', { withTimezone: true }).notNull(),
    keyId: bigint('key_id', { mode: 'number' }).notNull(),
    userId: bigint('user_id', { mode: 'number' }).notNull(),
    payerId: bigint('payer_id', { mode: 'number' }).notNull(),
    endpoint: text('endpoint').notNull(),
    model: text('model').notNull(),
    /** Null when no provider was reached. */
    provider: text('provider'),
    upstreamModel: text('upstream_model'),
    streamed: boolean('streamed').notNull(),
    status: integer('status').notNull(),
    /** How it ended: complete, client_closed, upstream_failed, refused. */
    outcome: text('outcome').notNull(),
    errorCode: text('error_code'),
    attempts: integer('attempts').notNull(),
    /** Disjoint: their sum is what the upstream processed. Reasoning is the part of output spent on thought. */
    inputTokens: count('input_tokens'),
    cacheReadTokens: count('cache_read_tokens'),
    cacheWrite5mTokens: count('cache_write_5m_tokens'),
    cacheWrite1hTokens: count('cache_write_1h_tokens'),
    outputTokens: count('output_tokens'),
    reasoningTokens: count('reasoning_tokens'),
    /** Audio listened to, characters spoken, searches: what is not counted in tokens. */
    audioMs: count('audio_ms'),
    characters: count('characters'),
    rerankUnits: count('rerank_units'),
    /** True when the upstream gave no usage and the counts are ours. */
    estimated: boolean('estimated').notNull().default(false),
    costNanoUsd: nanoUsdColumn('cost_nano_usd').notNull(),
    /** What the payer's wallet was charged: the cost, or 0 for an exempt payer. */
    chargedNanoUsd: nanoUsdColumn('charged_nano_usd').notNull(),
    durationMs: real('duration_ms').notNull(),
    firstByteMs: real('first_byte_ms'),
    overheadMs: real('overhead_ms').notNull(),
  },
  (table) => [
    index('usage_records_user').on(table.userId, table.startedAt),
    index('usage_records_key').on(table.keyId, table.startedAt),
    index('usage_records_started').on(table.startedAt),
  ],
);
