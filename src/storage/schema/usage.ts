/** One row a request that reached routing: counts, times and cost; never content. And their sums, an hour and a day. */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  real,
  smallint,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type { Extras } from '../../base/token-usage.ts';
import { createdAtColumn, identityColumn, nanoUsdColumn } from './columns.ts';
import { journals } from './ledger.ts';

/** Null stands for 0, which takes no room: most requests have none of it. */
const rareCount = (name: string) => integer(name);

/**
 * Partitioned by time, of which the key begins with it (`src/usage/README.md`): the migrations say so, since Drizzle has
 * no word for it. The widest columns first, so that none has to be padded, and the numbers as narrow as they may be: there are more of
 * these rows than of all others together. The key is ordered by time as it is.
 */
export const usageRecords = pgTable(
  'usage_records',
  {
    /** The `x-request-id` of the answer. */
    requestId: uuid('request_id').primaryKey(),
    startedAt: timestamp('started_at', { withTimezone: true }).notNull(),
    costNanoUsd: nanoUsdColumn('cost_nano_usd').notNull(),
    /** What the payer's wallet was charged: the cost, or 0 for an exempt payer. */
    chargedNanoUsd: nanoUsdColumn('charged_nano_usd').notNull(),
    keyId: bigint('key_id', { mode: 'number' }).notNull(),
    userId: bigint('user_id', { mode: 'number' }).notNull(),
    payerId: bigint('payer_id', { mode: 'number' }).notNull(),
    /** What the key belonged to then; null where to nothing. */
    organisationId: bigint('organisation_id', { mode: 'number' }),
    departmentId: bigint('department_id', { mode: 'number' }),
    projectId: bigint('project_id', { mode: 'number' }),
    /** By which its payer was charged, with the others of its batch; null where nothing was, and in rows of before. */
    journalId: bigint('journal_id', { mode: 'number' }),
    /** By what it was priced; null where nothing had a price, and in rows of before prices had versions. */
    priceVersionId: bigint('price_version_id', { mode: 'number' }),
    /** Disjoint: their sum is what the upstream processed. Reasoning is the part of output spent on thought. */
    inputTokens: integer('input_tokens').notNull(),
    outputTokens: integer('output_tokens').notNull(),
    cacheReadTokens: rareCount('cache_read_tokens'),
    cacheWrite5mTokens: rareCount('cache_write_5m_tokens'),
    cacheWrite1hTokens: rareCount('cache_write_1h_tokens'),
    reasoningTokens: rareCount('reasoning_tokens'),
    /** Audio listened to, characters spoken, searches: what is not counted in tokens. */
    audioMs: rareCount('audio_ms'),
    characters: rareCount('characters'),
    rerankUnits: rareCount('rerank_units'),
    /** What is billed beside plain tokens, by its meter, and the tier that served it; null where there is nothing. */
    extras: jsonb('extras').$type<Extras>(),
    durationMs: real('duration_ms').notNull(),
    firstByteMs: real('first_byte_ms'),
    overheadMs: real('overhead_ms').notNull(),
    status: smallint('status').notNull(),
    streamed: boolean('streamed').notNull(),
    /** True when the upstream gave no usage and the counts are ours. */
    estimated: boolean('estimated').notNull(),
    /** True where nobody was to pay; null stands for false. */
    exempt: boolean('exempt'),
    /** How it ended: complete, client_closed, upstream_failed, interrupted, refused. */
    outcome: text('outcome').notNull(),
    endpoint: text('endpoint').notNull(),
    model: text('model').notNull(),
    /** Null when no provider was reached. */
    provider: text('provider'),
    upstreamModel: text('upstream_model'),
    errorCode: text('error_code'),
    /**
     * A list for each try at a provider: its name, its credential's id, the status, milliseconds, the error; then, where
     * there is something to say, why it was asked, who was left out, the model and the pause before it in milliseconds.
     */
    attempts: jsonb('attempts').$type<readonly unknown[]>().notNull().default(sql`'[]'::jsonb`),
    /** What the client said of it; null where nothing. */
    sessionId: text('session_id'),
    endUser: text('end_user'),
    tags: text('tags').array(),
  },
  (table) => [
    index('usage_records_user').on(table.userId, table.requestId),
    // Most people of a small installation belong to no organisation: their rows take no room in it.
    index('usage_records_organisation')
      .on(table.organisationId, table.requestId)
      .where(sql`${table.organisationId} IS NOT NULL`),
    // A department may be a small part of its organisation: its log walks through its own rows alone.
    index('usage_records_department')
      .on(table.departmentId, table.requestId)
      .where(sql`${table.departmentId} IS NOT NULL`),
    // Rows come in the order of their journals, so that a few bytes for many of them find those of one.
    index('usage_records_journal').using('brin', table.journalId),
  ],
);

/**
 * What a request costs by other prices than those that it was served at: the request's own row stays as it is. Append-only but
 * for which one is in force.
 */
export const usageRatings = pgTable(
  'usage_ratings',
  {
    id: identityColumn(),
    requestId: uuid('request_id').notNull(),
    /** False for one that another one took the place of. */
    inForce: boolean('in_force').notNull().default(true),
    priceVersionId: bigint('price_version_id', { mode: 'number' }).notNull(),
    costNanoUsd: nanoUsdColumn('cost_nano_usd').notNull(),
    chargedNanoUsd: nanoUsdColumn('charged_nano_usd').notNull(),
    /** By which the payer was given back, or charged, the difference; null where there was none. */
    journalId: bigint('journal_id', { mode: 'number' }).references(() => journals.id),
    createdAt: createdAtColumn(),
  },
  (table) => [
    uniqueIndex('usage_ratings_in_force').on(table.requestId).where(sql`${table.inForce}`),
    index('usage_ratings_request').on(table.requestId, table.id),
    index('usage_ratings_journal').on(table.journalId).where(sql`${table.journalId} IS NOT NULL`),
  ],
);

/**
 * What is stored and not yet in the sums, as far as sums are made of it (`src/usage/README.md`). No index: it is appended to,
 * read whole, and emptied.
 */
export const usageUnsummed = pgTable('usage_unsummed', {
  startedAt: timestamp('started_at', { withTimezone: true }).notNull(),
  costNanoUsd: nanoUsdColumn('cost_nano_usd').notNull(),
  chargedNanoUsd: nanoUsdColumn('charged_nano_usd').notNull(),
  keyId: bigint('key_id', { mode: 'number' }).notNull(),
  userId: bigint('user_id', { mode: 'number' }).notNull(),
  payerId: bigint('payer_id', { mode: 'number' }).notNull(),
  organisationId: bigint('organisation_id', { mode: 'number' }),
  departmentId: bigint('department_id', { mode: 'number' }),
  projectId: bigint('project_id', { mode: 'number' }),
  inputTokens: integer('input_tokens').notNull(),
  outputTokens: integer('output_tokens').notNull(),
  cacheReadTokens: rareCount('cache_read_tokens'),
  cacheWrite5mTokens: rareCount('cache_write_5m_tokens'),
  cacheWrite1hTokens: rareCount('cache_write_1h_tokens'),
  reasoningTokens: rareCount('reasoning_tokens'),
  audioMs: rareCount('audio_ms'),
  characters: rareCount('characters'),
  rerankUnits: rareCount('rerank_units'),
  durationMs: real('duration_ms').notNull(),
  firstByteMs: real('first_byte_ms'),
  status: smallint('status').notNull(),
  streamed: boolean('streamed').notNull(),
  model: text('model').notNull(),
  provider: text('provider'),
  errorCode: text('error_code'),
  endUser: text('end_user'),
  tags: text('tags').array(),
  /** True for what a request that is in the sums costs more, or less, since it was rated anew; null for a request. */
  corrects: boolean('corrects'),
});

/** Null stands for 0. */
const rareSum = (name: string) => bigint(name, { mode: 'bigint' });
const sum = (name: string) => bigint(name, { mode: 'bigint' }).notNull();
/** Amounts add up beyond what a bigint holds, where a single one may be as large as that. */
const amount = (name: string) => numeric(name).notNull();

/** Which of a request's columns a row of sums tells apart: the others are null in it. */
const facetColumns = {
  facet: smallint('facet').notNull(),
  /** Of all that the row tells apart; half a SHA-256. */
  seriesId: uuid('series_id').notNull(),
  organisationId: bigint('organisation_id', { mode: 'number' }),
  departmentId: bigint('department_id', { mode: 'number' }),
  projectId: bigint('project_id', { mode: 'number' }),
  userId: bigint('user_id', { mode: 'number' }),
  payerId: bigint('payer_id', { mode: 'number' }),
  keyId: bigint('key_id', { mode: 'number' }),
  status: smallint('status'),
  model: text('model'),
  provider: text('provider'),
  /** A tag, or an end user. */
  label: text('label'),
};

const sumColumns = {
  requests: sum('requests'),
  errors: sum('errors'),
  inputTokens: sum('input_tokens'),
  outputTokens: sum('output_tokens'),
  cacheReadTokens: rareSum('cache_read_tokens'),
  cacheWrite5mTokens: rareSum('cache_write_5m_tokens'),
  cacheWrite1hTokens: rareSum('cache_write_1h_tokens'),
  reasoningTokens: rareSum('reasoning_tokens'),
  audioMs: rareSum('audio_ms'),
  characters: rareSum('characters'),
  rerankUnits: rareSum('rerank_units'),
  costNanoUsd: amount('cost_nano_usd'),
  chargedNanoUsd: amount('charged_nano_usd'),
  /** Histograms, each in one number that can be summed (`src/usage/README.md`); null where nothing was timed. */
  durations: numeric('durations'),
  firstBytes: numeric('first_bytes'),
  rates: numeric('rates'),
};

export const usageHourly = pgTable(
  'usage_hourly',
  { bucketAt: timestamp('bucket_at', { withTimezone: true }).notNull(), ...facetColumns, ...sumColumns },
  (table) => [
    primaryKey({ name: 'usage_hourly_pkey', columns: [table.facet, table.bucketAt, table.seriesId] }),
    index('usage_hourly_user')
      .on(table.userId, table.facet, table.bucketAt)
      .where(sql`${table.userId} IS NOT NULL`),
    index('usage_hourly_organisation')
      .on(table.organisationId, table.facet, table.bucketAt)
      .where(sql`${table.organisationId} IS NOT NULL`),
  ],
);

/** Days of UTC. */
export const usageDaily = pgTable(
  'usage_daily',
  {
    bucketAt: timestamp('bucket_at', { withTimezone: true }).notNull(),
    ...facetColumns,
    ...sumColumns,
    /** Of who folded last: one that does not know all facets that are made of others is refused. */
    edition: smallint('edition').notNull(),
  },
  (table) => [
    primaryKey({ name: 'usage_daily_pkey', columns: [table.facet, table.bucketAt, table.seriesId] }),
    index('usage_daily_user')
      .on(table.userId, table.facet, table.bucketAt)
      .where(sql`${table.userId} IS NOT NULL`),
    index('usage_daily_organisation')
      .on(table.organisationId, table.facet, table.bucketAt)
      .where(sql`${table.organisationId} IS NOT NULL`),
    index('usage_daily_label')
      .on(table.label, table.facet, table.bucketAt)
      .where(sql`${table.label} IS NOT NULL`),
    // Not held against rows that are there: those of editions before are right. They take the new one when they are added to.
    check('usage_daily_edition', sql`${table.edition} >= 3`),
  ],
);

/** Weeks of UTC that are over and settled, from Monday. */
export const usageWeekly = pgTable(
  'usage_weekly',
  { bucketAt: timestamp('bucket_at', { withTimezone: true }).notNull(), ...facetColumns, ...sumColumns },
  (table) => [
    primaryKey({ name: 'usage_weekly_pkey', columns: [table.facet, table.bucketAt, table.seriesId] }),
    index('usage_weekly_user')
      .on(table.userId, table.facet, table.bucketAt)
      .where(sql`${table.userId} IS NOT NULL`),
    index('usage_weekly_organisation')
      .on(table.organisationId, table.facet, table.bucketAt)
      .where(sql`${table.organisationId} IS NOT NULL`),
    index('usage_weekly_label')
      .on(table.label, table.facet, table.bucketAt)
      .where(sql`${table.label} IS NOT NULL`),
    // Rows come in the order of their series, so that many have the same entry: these take little room.
    index('usage_weekly_key')
      .on(table.keyId, table.facet, table.bucketAt)
      .where(sql`${table.keyId} IS NOT NULL`),
    // Of those that are ranked: the dearest of a week (`src/usage/facets.ts`).
    index('usage_weekly_dearest').on(table.bucketAt, table.costNanoUsd).where(sql`${table.facet} = 12`),
    // Of label end users (`src/usage/facets.ts`): their dearest are found in it without the rows, which lie far apart.
    index('usage_weekly_end_users')
      .on(
        table.organisationId,
        table.bucketAt,
        table.departmentId,
        table.label,
        table.costNanoUsd,
        table.requests,
      )
      .where(sql`${table.facet} = 11`),
    index('usage_weekly_model')
      .on(table.model, table.facet, table.bucketAt)
      .where(sql`${table.model} IS NOT NULL`),
  ],
);

/** How far sums that are made of others are made: a row a facet, none where nothing is. They are beginnings of days of UTC. */
export const usageSettled = pgTable('usage_settled_facets', {
  facet: smallint('facet').primaryKey(),
  /** The first day of which its sums of hours and days are not made; of no meaning where requests are folded into it at once. */
  daysUntil: timestamp('days_until', { withTimezone: true }).notNull(),
  /** Weeks that end before it or with it are made. Where it is no Monday, a version before has made a part of the week. */
  weeksUntil: timestamp('weeks_until', { withTimezone: true }).notNull(),
});
