/** Adds requests to their sums of an hour and a day. README.md says what is summed. */
import { type SQL, sql } from 'drizzle-orm';
import { usageDaily, usageHourly } from '../storage/schema/usage.ts';
import { histogramOf } from './histogram.ts';

/** Which of a request's columns a row of sums tells apart. Hours have models and people alone, days have all of them. */
export const facets = {
  /** Every one but labels: in an hour there would be about as many of these as requests. */
  detail: 0,
  /** Not who asked: few rows, for what concerns many people. */
  models: 1,
  /** Not what was asked for. */
  people: 2,
  /** Every one, and each tag of the request. */
  tags: 3,
  /** Every one, and whom the client asked for. */
  endUsers: 4,
} as const;

const group = ['organisation_id', 'department_id', 'project_id', 'status'];
const person = ['user_id', 'payer_id', 'key_id'];
const model = ['model', 'provider'];
const dimensions = [...group, ...person, ...model];

const isError = '(status >= 400 OR error_code IS NOT NULL)';
/** Of what is corrected nothing is counted again but what it costs. */
const isRequest = 'corrects IS NULL';
const generationMs = 'CASE WHEN streamed THEN duration_ms - first_byte_ms ELSE duration_ms END';

interface Sum {
  readonly column: string;
  /** Over rows of the request log. */
  readonly ofRows: string;
  /** Null stands for nothing. */
  readonly isRare?: true;
}

const plain = (column: string): Sum => ({ column, ofRows: `sum(${column})` });
const rare = (column: string): Sum => ({ column, ofRows: `sum(${column})`, isRare: true });

const sums: readonly Sum[] = [
  { column: 'requests', ofRows: `count(*) FILTER (WHERE ${isRequest})` },
  { column: 'errors', ofRows: `count(*) FILTER (WHERE ${isError} AND ${isRequest})` },
  plain('input_tokens'),
  plain('output_tokens'),
  rare('cache_read_tokens'),
  rare('cache_write_5m_tokens'),
  rare('cache_write_1h_tokens'),
  rare('reasoning_tokens'),
  rare('audio_ms'),
  rare('characters'),
  rare('rerank_units'),
  plain('cost_nano_usd'),
  plain('charged_nano_usd'),
  {
    column: 'durations',
    ofRows: histogramOf('duration_ms', `NOT ${isError} AND ${isRequest}`),
    isRare: true,
  },
  {
    column: 'first_bytes',
    ofRows: histogramOf('first_byte_ms', `NOT ${isError} AND streamed AND first_byte_ms IS NOT NULL`),
    isRare: true,
  },
  {
    column: 'rates',
    ofRows: histogramOf(
      `output_tokens * 1000.0 / greatest(${generationMs}, 1)`,
      `NOT ${isError} AND output_tokens > 0 AND (NOT streamed OR first_byte_ms IS NOT NULL)`,
    ),
    isRare: true,
  },
];

const list = (names: readonly string[]): string => names.join(', ');
const sumNames = list(sums.map(({ column }) => column));
/** Aggregates over rows as they are stored, each by the name of its sum. */
export const sumsOfRows = list(sums.map(({ column, ofRows }) => `${ofRows} AS ${column}`));
/** Without the histograms. */
export const plainSumsOfRows = list(
  sums
    .filter(({ ofRows }) => !ofRows.includes('FILTER') || ofRows.startsWith('count'))
    .map(({ column, ofRows }) => `${ofRows} AS ${column}`),
);
const sumsOfSums = list(sums.map(({ column }) => `sum(${column}) AS ${column}`));
const columns = list(['bucket_at', 'facet', 'series_id', ...dimensions, 'label', sumNames]);

/** Half of it tells apart more series than there will ever be, and its key stays short. */
const seriesId = `encode(substring(sha256(convert_to(ROW(${list([...dimensions, 'label'])})::text, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid`;

const sets = {
  detail: [...dimensions],
  models: [...group, ...model],
  people: [...group, ...person],
} as const;

/** The facets without labels. */
const fromDetail = (bucket: string, wanted: readonly (keyof typeof sets)[]): string => `
  SELECT ${bucket} AS bucket_at,
    CASE WHEN grouping(model) = 1 THEN ${facets.people} WHEN grouping(key_id) = 1 THEN ${facets.models} ELSE ${facets.detail} END AS facet,
    ${list(dimensions)}, NULL::text AS label, ${sumsOfSums}
  FROM usage_summed
  GROUP BY GROUPING SETS (${list(wanted.map((name) => `(${list([bucket, ...sets[name]])})`))})`;

/** A tag that names one thing alone, as a trace's id does, groups nothing: it would have a row of sums for every request. */
const namesOneThing = "tag ~* '[0-9a-f]{8}-[0-9a-f]{4}|[0-9a-f]{16}|[0-9]{10}'";

/** Rows as they are stored, once for each tag that has sums. */
export const rowsByTag = (stored: string): string => `
  SELECT ${stored}.*, own.tag AS label
  FROM ${stored} CROSS JOIN LATERAL (SELECT DISTINCT tag FROM unnest(tags) AS tag WHERE NOT ${namesOneThing}) AS own
  WHERE tags IS NOT NULL`;

export const rowsByEndUser = (stored: string): string =>
  `SELECT ${stored}.*, end_user AS label FROM ${stored} WHERE end_user IS NOT NULL`;

const ofDay = "date_trunc('day', started_at, 'UTC')";
const fromLabelled = (rows: string, facet: number): string => `
  SELECT ${ofDay}, ${facet}, ${list(dimensions)}, label, ${sumsOfRows}
  FROM (${rows}) AS labelled GROUP BY ${list([ofDay, ...dimensions, 'label'])}`;

/** Rows are locked in one order, so that two batches never wait for each other. */
const addTo = (table: typeof usageHourly | typeof usageDaily, rows: string): SQL => sql`
  INSERT INTO ${table} AS kept (${sql.raw(columns)})
  SELECT ${sql.raw(`bucket_at, facet, ${seriesId} AS series_id, ${list([...dimensions, 'label', sumNames])}`)}
  FROM (${sql.raw(rows)}) AS added ORDER BY facet, bucket_at, series_id
  ON CONFLICT (facet, bucket_at, series_id) DO UPDATE SET ${sql.raw(list(sums.map(adding)))}`;

function adding({ column, isRare }: Sum): string {
  const sum = `kept.${column} + excluded.${column}`;
  return `${column} = ${isRare === true ? `coalesce(${sum}, kept.${column}, excluded.${column})` : sum}`;
}

const usageSummed = `
  SELECT date_trunc('hour', started_at, 'UTC') AS hour_at, ${list(dimensions)}, ${sumsOfRows}`;

/**
 * Parts of a WITH, for a statement that has rows which are in no sum yet.
 * @param stored names the part before that has them, with the columns of those that wait for their sums at least.
 */
export function addToRollups(stored: string): SQL {
  const inDays = "date_trunc('day', hour_at, 'UTC')";
  return sql`usage_summed AS (${sql.raw(`${usageSummed} FROM ${stored} GROUP BY ${list(['hour_at', ...dimensions])}`)}),
    usage_hourly_added AS (${addTo(usageHourly, fromDetail('hour_at', ['models', 'people']))}),
    usage_daily_added AS (${addTo(
      usageDaily,
      `${fromDetail(inDays, ['detail', 'models', 'people'])} UNION ALL 
      ${fromLabelled(rowsByTag(stored), facets.tags)} UNION ALL
      ${fromLabelled(rowsByEndUser(stored), facets.endUsers)}`,
    )})`;
}
