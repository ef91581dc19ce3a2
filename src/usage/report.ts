/** Sums of usage over a span of time, by what they are asked by: read from the rollups and what waits for them, never from the request log. */
import { type SQL, sql } from 'drizzle-orm';
import { AppError } from '../base/errors.ts';
import type { Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { usageUnsummed } from '../storage/schema/usage.ts';
import { withinScope } from '../storage/within-scope.ts';
import { plainDearest, rankedDearest, splitRanked } from './dearest.ts';
import { type Facet, facetTelling, hourlyOf, type SumColumn, weeksTelling } from './facets.ts';
import {
  columnsOfScope,
  dayMs,
  hourMs,
  type Piece,
  piecesOf,
  type Span,
  selectPieces,
  type UsageStep,
} from './pieces.ts';
import {
  orderColumns,
  orderOfRows,
  plainSumsOfRows,
  rowsByEndUser,
  rowsByTag,
  sumsOfRows,
} from './rollups.ts';
import { readSettled } from './settling.ts';
import {
  addUp,
  plainColumns,
  readSums,
  type TextRow,
  timeColumns,
  toldOf,
  type UsageSums,
} from './usage-sums.ts';

/** What usage is told apart by, and the column of it. */
const columnsOf = {
  organisation: 'organisation_id',
  department: 'department_id',
  project: 'project_id',
  user: 'user_id',
  payer: 'payer_id',
  key: 'key_id',
  model: 'model',
  provider: 'provider',
  status: 'status',
  tag: 'label',
  endUser: 'label',
} as const;

export type { UsageStep };

export type UsageDimension = keyof typeof columnsOf;
export const usageDimensions = [
  ...['organisation', 'department', 'project', 'user', 'payer', 'key'],
  ...['model', 'provider', 'status', 'tag', 'endUser'],
] as readonly UsageDimension[];

export interface UsageReportAsked {
  /**
   * To the hour, downwards and upwards; to the day of UTC where tags, end users, or people together with models are asked
   * for, which are summed by the day alone.
   */
  readonly from: Date;
  readonly to: Date;
  /** One sum for each; one for the whole span when not given. */
  readonly every?: UsageStep | undefined;
  /** False leaves the spreads of times out, which take longer to add than all else; true when not given. */
  readonly timed?: boolean | undefined;
  /** One sum for each; all together when not given. */
  readonly by?: UsageDimension | undefined;
  readonly where?: Readonly<Partial<Record<UsageDimension, string | number | undefined>>> | undefined;
  /** At most so many groups, those that cost most; 50 when not given, 500 at most. */
  readonly limit?: number | undefined;
  /** Of what it is told by, these alone: those of another report. */
  readonly groups?: readonly (string | null)[] | undefined;
  /** Adds up all rows too, which saves asking twice; of groups only where no request is in two of them. */
  readonly totalled?: boolean | undefined;
}

/** Whether there are sums of hours: there are none of labels, and none of people together with models. */
export const hasHours = (scope: Scope, asked: Pick<UsageReportAsked, 'by' | 'where'>): boolean =>
  hourlyOf(facetOf(scope, asked)) !== undefined;

export interface UsageReport {
  /** By time, then by cost, the dearest first. */
  readonly rows: readonly UsageSums[];
  /** True when there are groups beyond the limit. */
  readonly hasMore: boolean;
  /** Of all rows; null where there is none, or it was not asked for. */
  readonly total: UsageSums | null;
  /** What was summed: the span that was asked for, to the hour or the day. */
  readonly span: Span;
}

/** At least so long. */
const stepsMs = { hour: hourMs, day: dayMs, week: 7 * dayMs, month: 28 * dayMs } as const;
const mostHours = 32 * 24;
const mostDays = 1100;
const mostGroups = 500;
/** Of groups times hours or days. */
const mostRows = 20_000;

/** @throws AppError invalid_parameter for a span that cannot be, or has too many hours or days. */
export async function readUsageReport(
  scope: Scope,
  executor: Executor,
  asked: UsageReportAsked,
): Promise<UsageReport> {
  const facet = facetOf(scope, asked);
  const fewer = weeksTelling(columnsAsked(scope, asked), facet);
  const isHourly = hourlyOf(facet) !== undefined;
  const span = spanOf(asked, isHourly ? hourMs : dayMs);
  const bucketCount = requireBounded(asked, span, isHourly);
  const wanted = Math.max(1, Math.min(asked.groups?.length ?? asked.limit ?? 50, mostGroups));
  const limit = Math.max(1, Math.min(wanted, Math.floor(mostRows / bucketCount)));
  const { by, every, timed = true } = asked;
  const summed = timed ? [...plainColumns, ...timeColumns] : plainColumns;
  // It only grows, and what comes late is in both: so it may be asked before.
  const settledOf = await readSettled(executor);
  const weekly = fewer === undefined ? undefined : { facet: fewer, settled: settledOf(fewer) };
  const piecesBy = (step: UsageStep | undefined) =>
    piecesOf(span, { facet, every: step, settled: settledOf(facet), weekly });
  const group = by === undefined ? 'NULL::text' : columnsOf[by];
  // What waits is read in the same statement, so that a request which is folded meanwhile is told once.
  const found = ({ told, ofRows, pieces, step, only }: Found): SQL => {
    const at = (time: 'bucket_at' | 'started_at') =>
      step === undefined ? 'NULL::timestamptz' : bucketOf(step, time);
    const parts = selectPieces(scope, pieces, {
      columns: `${at('bucket_at')} AS at, ${group} AS grouped, ${told.join(', ')}`,
      narrowed: () => only,
    });
    const columns = `${at('started_at')} AS at, ${group} AS grouped, ${ofRows}`;
    const waiting = readWaiting(scope, { columns, facet, span, only });
    return sql`(${sql.join([...parts, waiting], sql` UNION ALL `)}) AS found`;
  };
  const fitting = filterOf(asked);
  // Whatever the steps are, the longest pieces tell which groups are the dearest.
  const longest = piecesBy(undefined);
  const beside = (pieces: readonly Piece[]) =>
    found({ told: orderColumns, ofRows: orderOfRows, pieces, step: undefined, only: fitting });
  const ofRows = timed ? sumsOfRows : plainSumsOfRows;
  const ask = async (dearest: SQL | undefined): Promise<readonly TextRow[]> => {
    // By these the others are found: labels and people have an index.
    const picked =
      dearest === undefined ? sql`` : sql`AND ${sql.raw(group)} IN (SELECT grouped FROM dearest)`;
    const { rows } = await executor.execute<TextRow>(sql`
    ${dearest ?? sql``} SELECT ${sql.raw(toldOf(summed))}, place::text AS place FROM (
      SELECT *, dense_rank() OVER (ORDER BY group_cost DESC, group_requests DESC, grouped) AS place FROM (
        SELECT at, grouped, ${sql.raw(summed.map((name) => `sum(${name}) AS ${name}`).join(', '))},
          sum(sum(cost_nano_usd)) OVER (PARTITION BY grouped) AS group_cost,
          sum(sum(requests)) OVER (PARTITION BY grouped) AS group_requests
        FROM ${found({ told: summed, ofRows, pieces: piecesBy(every), step: every, only: sql`${fitting} ${picked}` })}
        GROUP BY at, grouped
      ) AS summed
    ) AS ranked WHERE place <= ${limit + 1} ORDER BY at, ranked.place`);
    return rows;
  };
  const isPicked = by !== undefined && asked.groups === undefined && manyValued.has(by);
  const ranked = isPicked && isOfAll(scope, asked) ? splitRanked(longest, facet, settledOf) : undefined;
  const byRank =
    ranked === undefined
      ? []
      : await ask(rankedDearest({ ...ranked, beside: beside(ranked.beside), limit: limit + 1 }));
  const rows =
    byRank.length > 0 ? byRank : await ask(isPicked ? plainDearest(beside(longest), limit + 1) : undefined);
  const kept = rows.filter(({ place }) => Number(place) <= limit);
  const total = asked.totalled === true && kept.length > 0 ? readSums(addUp(kept, summed)) : null;
  return { rows: kept.map(readSums), hasMore: kept.length < rows.length, total, span };
}

/** Nothing is left out but what is outside of the span. */
const isOfAll = ({ whose }: Scope, { where = {} }: UsageReportAsked): boolean =>
  whose === 'everybody' && Object.values(where).every((value) => value === undefined);

interface Found {
  /** Sums of rows of sums, in the order of `ofRows`. */
  readonly told: readonly string[];
  /** The same of requests. */
  readonly ofRows: string;
  readonly pieces: readonly Piece[];
  readonly step: UsageStep | undefined;
  /** Further conditions, each with its AND. */
  readonly only: SQL;
}

interface WaitingAsked extends Pick<Found, 'only'> {
  /** What is told of the requests, by at and grouped. */
  readonly columns: string;
  readonly facet: Facet;
  readonly span: Span;
}

/** The sums of what is in no table of sums yet. */
function readWaiting(scope: Scope, { columns, facet, span, only }: WaitingAsked): SQL {
  const { userId: user, organisationId: organisation, departmentId: department } = usageUnsummed;
  return sql`SELECT ${sql.raw(`${columns} FROM ${waitingRows(facet)}`)}
    WHERE started_at >= ${new Date(span.fromMs).toISOString()} AND started_at < ${new Date(span.toMs).toISOString()}
      AND ${withinScope(scope, { user, organisation, department })} ${only} GROUP BY 1, 2`;
}

function waitingRows({ label }: Facet): string {
  if (label === 'tag') return `(${rowsByTag('usage_unsummed')}) AS usage_unsummed`;
  if (label === 'endUser') return `(${rowsByEndUser('usage_unsummed')}) AS usage_unsummed`;
  return 'usage_unsummed';
}

/** All sums of so many groups would take long, where those that are told are few; each row has one of these. */
const manyValued: ReadonlySet<UsageDimension> = new Set(['user', 'payer', 'key', 'tag', 'endUser']);

type FacetAsked = Pick<UsageReportAsked, 'by' | 'where'>;

const dimensionsAsked = ({ by, where = {} }: FacetAsked): readonly UsageDimension[] =>
  usageDimensions.filter((name) => name === by || where[name] !== undefined);

const columnsAsked = (scope: Scope, asked: FacetAsked): ReadonlySet<SumColumn> =>
  new Set([...dimensionsAsked(asked).map((name) => columnsOf[name]), ...columnsOfScope(scope)]);

/** The one with the fewest rows that tells apart what is asked for. */
function facetOf(scope: Scope, asked: FacetAsked): Facet {
  const needed = dimensionsAsked(asked);
  if (needed.includes('tag') && needed.includes('endUser')) {
    throw refuse('Tags and end users are summed apart: ask for one of them.');
  }
  const columns = columnsAsked(scope, asked);
  const facet = facetTelling(columns, needed.find(isLabel));
  if (facet === undefined) throw new Error(`No facet tells ${[...columns].join(', ')}.`);
  return facet;
}

const isLabel = (name: UsageDimension): name is 'tag' | 'endUser' => name === 'tag' || name === 'endUser';

function spanOf({ from, to }: UsageReportAsked, stepMs: number): Span {
  const fromMs = Math.floor(from.getTime() / stepMs) * stepMs;
  const toMs = Math.ceil(to.getTime() / stepMs) * stepMs;
  if (fromMs < toMs) return { fromMs, toMs };
  throw refuse('The span of a report must end after it begins.');
}

/** @returns how many hours or days there are. */
function requireBounded({ every }: UsageReportAsked, { fromMs, toMs }: Span, isHourly: boolean): number {
  if (every === 'hour' && !isHourly) {
    throw refuse(
      'Tags, end users, and people together with models are summed by the day: ask for days, or by one of them.',
    );
  }
  if (every === 'hour' && toMs - fromMs > mostHours * hourMs) {
    throw refuse(`A report by the hour spans at most ${mostHours / 24} days.`);
  }
  if (toMs - fromMs > mostDays * dayMs) throw refuse(`A report spans at most ${mostDays} days.`);
  if (every === undefined) return 1;
  return Math.ceil((toMs - fromMs) / stepsMs[every]) + 1;
}

const bucketOf = (every: UsageStep, time: 'bucket_at' | 'started_at'): string =>
  `date_trunc('${every}', ${time}, 'UTC')`;

function filterOf({ by, groups, where = {} }: UsageReportAsked): SQL {
  const conditions = usageDimensions.flatMap((name) => {
    const value = where[name];
    return value === undefined ? [] : [sql`AND ${sql.raw(columnsOf[name])} = ${value}`];
  });
  if (by !== undefined && groups !== undefined) conditions.push(sql`AND ${oneOf(columnsOf[by], groups)}`);
  return sql.join(conditions, sql` `);
}

function oneOf(column: string, groups: readonly (string | null)[]): SQL {
  const named = groups.filter((group) => group !== null);
  const values = sql.join(
    named.map((group) => sql`${group}`),
    sql`, `,
  );
  const conditions = [
    ...(named.length === 0 ? [] : [sql`${sql.raw(column)} IN (${values})`]),
    ...(named.length === groups.length ? [] : [sql`${sql.raw(column)} IS NULL`]),
  ];
  return conditions.length === 0 ? sql`false` : sql`(${sql.join(conditions, sql` OR `)})`;
}

const refuse = (message: string): AppError => new AppError({ code: 'invalid_parameter', public: message });
