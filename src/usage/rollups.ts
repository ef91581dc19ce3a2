/** Adds requests to their sums of an hour, a day and a week. README.md says what is summed. */
import { type SQL, sql } from 'drizzle-orm';
import { usageDaily, usageHourly, usageWeekly } from '../storage/schema/usage.ts';
import { type Facet, facets, foldedFacets, settledFacets } from './facets.ts';
import { histogramOf } from './histogram.ts';

const dimensions = foldedFacets.detail.tells;

const isError = '(status >= 400 OR error_code IS NOT NULL)';
/** Of what is corrected nothing is counted again but what it costs. */
const isRequest = 'corrects IS NULL';
/** With the attempts and pauses before the one that answered: few requests have any, and a sum has no room for lists. */
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
/** What groups are ordered by, in the order of `orderColumns`: parts of a UNION are told apart by their place alone. */
export const orderColumns = ['cost_nano_usd', 'requests'] as const;
export const orderOfRows = list(
  orderColumns.flatMap((name) =>
    sums.flatMap(({ column, ofRows }) => (column === name ? `${ofRows} AS ${column}` : [])),
  ),
);
export const sumsOfSums = list(sums.map(({ column }) => `sum(${column}) AS ${column}`));
/**
 * Of the facets there are: raised with each facet that is made of others, together with the one that the table of days asks
 * for. Else processes of the version before, which run on for a while, would fold what comes late into all facets but the new
 * one. What they are refused waits for one of this version.
 */
export const edition = 3;
const columns = list(['bucket_at', 'facet', 'series_id', ...dimensions, 'label', sumNames]);

/** Half of it tells apart more series than there will ever be, and its key stays short. */
const seriesId = `encode(substring(sha256(convert_to(ROW(${list([...dimensions, 'label'])})::text, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid`;

const named = [...dimensions, 'label'] as const;
const typeOf = (name: string): string =>
  name === 'status' ? 'smallint' : name.endsWith('_id') ? 'bigint' : 'text';

/**
 * Sums of some facets over rows that have the dimensions, a label, and sums.
 * @param summed what is told of each group, by the names of the sums.
 */
export function rowsOf(
  wanted: readonly Facet[],
  { bucket, from, summed }: { readonly bucket: string; readonly from: string; readonly summed: string },
): string {
  const told = named.filter((name) => wanted.some(({ tells }) => tells.some((each) => each === name)));
  const asked = named.map((name) => (told.includes(name) ? name : `NULL::${typeOf(name)} AS ${name}`));
  const places = wanted.map(({ id, tells }) => {
    // The database numbers a grouping by what it leaves out, the last column being the lowest bit.
    const left = told.reduce((mask, name) => mask * 2 + (tells.some((each) => each === name) ? 0 : 1), 0);
    return `WHEN ${left} THEN ${id}`;
  });
  const sets = wanted.map(({ tells }) => `(${list([bucket, ...tells])})`);
  return `
  SELECT ${bucket} AS bucket_at, CASE grouping(${list(told)}) ${places.join(' ')} END AS facet, ${list(asked)}, ${summed}
  FROM ${from} GROUP BY GROUPING SETS (${list(sets)})`;
}

/** A tag that names one thing alone, as a trace's id does, groups nothing: it would have a row of sums for every request. */
const namesOneThing = "tag ~* '[0-9a-f]{8}-[0-9a-f]{4}|[0-9a-f]{16}|[0-9]{10}'";

/** Rows as they are stored, once for each tag that has sums. */
export const rowsByTag = (stored: string): string => `
  SELECT ${stored}.*, own.tag AS label
  FROM ${stored} CROSS JOIN LATERAL (SELECT DISTINCT tag FROM unnest(tags) AS tag WHERE NOT ${namesOneThing}) AS own
  WHERE tags IS NOT NULL`;

export const rowsByEndUser = (stored: string): string =>
  `SELECT ${stored}.*, end_user AS label FROM ${stored} WHERE end_user IS NOT NULL`;

/** Rows are locked in one order, so that two batches never wait for each other. */
export const addTo = (table: SumTable, rows: readonly string[]): SQL => sql`
  INSERT INTO ${table} AS kept (${sql.raw(columns + (table === usageDaily ? ', edition' : ''))})
  SELECT ${sql.raw(`bucket_at, facet, ${seriesId} AS series_id, ${list([...dimensions, 'label', sumNames])}`)}${sql.raw(table === usageDaily ? `, ${edition}` : '')}
  FROM (${sql.raw(rows.join(' UNION ALL '))}) AS added ORDER BY facet, bucket_at, series_id
  ON CONFLICT (facet, bucket_at, series_id) DO UPDATE SET ${sql.raw(list(sums.map(adding)))}${sql.raw(table === usageDaily ? ', edition = excluded.edition' : '')}`;

function adding({ column, isRare }: Sum): string {
  const sum = `kept.${column} + excluded.${column}`;
  return `${column} = ${isRare === true ? `coalesce(${sum}, kept.${column}, excluded.${column})` : sum}`;
}

type SumTable = typeof usageHourly | typeof usageDaily | typeof usageWeekly;

const hour = "date_trunc('hour', started_at, 'UTC')";
const dayOf = (time: 'hour_at' | 'started_at'): string => `date_trunc('day', ${time}, 'UTC')`;

interface Added {
  readonly facets: readonly Facet[];
  readonly step: 'hour' | 'day';
}

/** From what is summed by the hour without labels, or from the rows as they are stored with them. */
function addedFrom(stored: string, { facets: wanted, step }: Added): readonly string[] {
  const plainOnes = wanted.filter(({ label }) => label === undefined);
  const ofSummed = {
    bucket: step === 'hour' ? 'hour_at' : dayOf('hour_at'),
    from: '(SELECT *, NULL::text AS label FROM usage_summed) AS summed',
    summed: sumsOfSums,
  };
  const ofRows = (rows: string) => ({
    bucket: step === 'hour' ? hour : dayOf('started_at'),
    from: `(${rows}) AS labelled`,
    summed: sumsOfRows,
  });
  const labelled = (label: Facet['label'], rows: string) => {
    const those = wanted.filter((facet) => facet.label === label);
    return those.length === 0 ? [] : [rowsOf(those, ofRows(rows))];
  };
  return [
    ...(plainOnes.length === 0 ? [] : [rowsOf(plainOnes, ofSummed)]),
    ...labelled('tag', rowsByTag(stored)),
    ...labelled('endUser', rowsByEndUser(stored)),
  ];
}

const folded: readonly Facet[] = Object.values(foldedFacets);
const settled: readonly Facet[] = Object.values(settledFacets);
const ofHours = (wanted: readonly Facet[]) => wanted.filter(({ hasHours }) => hasHours);

/** From here on nothing is settled; null where nothing is at all. */
export const settledUntil = '(SELECT max(greatest(days_until, weeks_until)) FROM usage_settled_facets)';

/** Of sums those that belong into what is made already: each facet is settled on its own. */
const settledOnly = (rows: readonly string[], until: 'days_until' | 'weeks_until'): string =>
  `SELECT added.* FROM (${rows.join(' UNION ALL ')}) AS added
    JOIN usage_settled_facets AS made ON made.facet = added.facet AND added.bucket_at < made.${until}`;

/** Weeks have what comes late as soon as they are made. */
const byWeek = (rows: string): string =>
  `SELECT date_trunc('week', bucket_at, 'UTC') AS bucket_at, ${list(['facet', ...named])}, ${sumsOfSums}
    FROM (${rows}) AS daily GROUP BY ${list(['1', 'facet', ...named])}`;

interface AddedRows {
  /** The part before that has them, with the columns of those that wait for their sums at least. */
  readonly stored: string;
  /** Whether some may be of days that are settled: they are added to what was made of these too. Planning that takes long. */
  readonly mayBeLate: boolean;
}

/**
 * Parts of a WITH, for a statement that has rows which are in no sum yet. Nobody may settle a day meanwhile.
 */
export function addToRollups({ stored, mayBeLate }: AddedRows): SQL {
  const added = (each: Added) => addedFrom(stored, each);
  const late = (each: Added, until: 'days_until' | 'weeks_until') =>
    mayBeLate ? [settledOnly(added(each), until)] : [];
  const weekly = sql`, usage_weekly_added AS (${addTo(
    usageWeekly,
    late({ facets: Object.values(facets), step: 'day' }, 'weeks_until').map(byWeek),
  )})`;
  return sql`usage_summed AS (${sql.raw(`
    SELECT ${hour} AS hour_at, ${list(dimensions)}, ${sumsOfRows}
    FROM ${stored} GROUP BY ${list(['hour_at', ...dimensions])}`)}),
    usage_hourly_added AS (${addTo(usageHourly, [
      ...added({ facets: ofHours(folded), step: 'hour' }),
      ...late({ facets: ofHours(settled), step: 'hour' }, 'days_until'),
    ])}),
    usage_daily_added AS (${addTo(usageDaily, [
      ...added({ facets: folded, step: 'day' }),
      ...late({ facets: settled, step: 'day' }, 'days_until'),
    ])})${mayBeLate ? weekly : sql``}`;
}
