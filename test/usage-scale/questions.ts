/** What a dashboard asks of usage, by name: of whoever asks for most, since theirs takes longest. */
import { sql } from 'drizzle-orm';
import { everybody, onlyOf, type Scope } from '../../src/base/scope.ts';
import type { Executor } from '../../src/storage/database.ts';
import {
  readSpendOfKeys,
  readUsageChoices,
  readUsagePage,
  readUsageReport,
  usageDimensions,
} from '../../src/usage/index.ts';
import type { UsageReportAsked } from '../../src/usage/report.ts';
import type { UsagePageAsked } from '../../src/usage/request-log.ts';

export interface Question {
  readonly name: string;
  ask(executor: Executor): Promise<unknown>;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Who asks for most, and what is asked for most. */
export interface Busiest {
  readonly organisationId: number;
  readonly departmentId: number;
  readonly userId: number;
  readonly keyId: number;
  readonly model: string;
  readonly tag: string;
  readonly endUser: string;
}

/** @param toMs the end of what there is. */
export async function findBusiest(executor: Executor, toMs: number): Promise<Busiest> {
  const span = { from: new Date(toMs - 30 * dayMs), to: new Date(toMs) };
  const most = async (by: UsageReportAsked['by'], where: UsageReportAsked['where'] = {}) => {
    const { rows } = await readUsageReport(everybody, executor, { ...span, by, where, limit: 500 });
    const told = rows.filter(({ group }) => group !== null);
    const [first] = told.toSorted((one, other) => other.requests - one.requests);
    if (first?.group == null) throw new Error(`Nothing is told by ${by}.`);
    return first.group;
  };
  const organisationId = Number(await most('organisation'));
  const keyId = Number(await most('key'));
  return {
    ...{
      organisationId,
      keyId,
      departmentId: Number(await most('department', { organisation: organisationId })),
    },
    ...{ userId: Number(await most('user')), model: await most('model') },
    ...{ tag: await most('tag'), endUser: await most('endUser') },
  };
}

export function questions(toMs: number, days: number, busiest: Busiest): readonly Question[] {
  const { organisationId, departmentId, keyId, model, tag, endUser } = busiest;
  const organisation: Scope = { whose: 'organisation', organisationId };
  const department: Scope = { whose: 'department', organisationId, departmentId };
  const person = onlyOf(busiest.userId);
  const last = (ms: number) => ({ from: new Date(toMs - ms), to: new Date(toMs) });
  const report = (name: string, scope: Scope, asked: UsageReportAsked): Question => ({
    name: `${name}, ${writeScope(scope)}`,
    ask: (executor) => readUsageReport(scope, executor, asked),
  });
  const page = (name: string, scope: Scope, asked: UsagePageAsked): Question => ({
    name: `log: ${name}, ${writeScope(scope)}`,
    ask: (executor) => readUsagePage(scope, executor, { ...asked, limit: 50 }),
  });
  const spans = [30, days].map((count) => [`${count} days`, last(count * dayMs)] as const);
  const [all, month] = [last(days * dayMs), last(30 * dayMs)];
  const odd = { from: new Date(toMs - 30 * dayMs - 5 * hourMs), to: new Date(toMs - 3 * hourMs) };
  return [
    ...[everybody, organisation, department, person].flatMap((scope) =>
      spans.flatMap(([name, span]) =>
        usageDimensions.map((by) => report(`${name} by ${by}`, scope, { ...span, by })),
      ),
    ),
    ...spans.flatMap(([name, span]) =>
      (['model', 'provider', 'status', 'tag', 'endUser'] as const).map((by) =>
        report(`${name} of a key by ${by}`, everybody, { ...span, by, where: { key: keyId } }),
      ),
    ),
    ...spans.flatMap(([name, span]) => [
      report(`${name}, keys of a model`, everybody, { ...span, by: 'key', where: { model } }),
      report(`${name}, models of a person`, everybody, {
        ...span,
        by: 'model',
        where: { user: busiest.userId },
      }),
      report(`${name}, models of a tag`, everybody, { ...span, by: 'model', where: { tag } }),
      report(`${name}, models of an end user`, everybody, { ...span, by: 'model', where: { endUser } }),
      report(`${name}, tags of a model`, everybody, { ...span, by: 'tag', where: { model } }),
      report(`${name}, end users of a model`, organisation, { ...span, by: 'endUser', where: { model } }),
      report(`${name}, each by model`, everybody, { ...span, every: 'day', by: 'model', limit: 10 }),
      report(`${name}, each by key`, organisation, { ...span, every: 'day', by: 'key', limit: 10 }),
    ]),
    report('24 hours, each', everybody, { ...last(dayMs), every: 'hour' }),
    report('24 hours, each by model', everybody, { ...last(dayMs), every: 'hour', by: 'model' }),
    report('24 hours by key', everybody, { ...last(dayMs), by: 'key' }),
    report('7 days, each hour', everybody, { ...last(7 * dayMs), every: 'hour' }),
    report('7 days, each hour by key', organisation, {
      ...last(7 * dayMs),
      every: 'hour',
      by: 'key',
      limit: 10,
    }),
    report('30 days less some hours by model', everybody, { ...odd, by: 'model' }),
    report(`${days} days, weeks`, everybody, { ...all, every: 'week', timed: false }),
    report(`${days} days, months`, everybody, { ...all, every: 'month', timed: false }),
    {
      name: 'choices of 30 days, everybody',
      ask: (executor) => readUsageChoices(everybody, executor, month.from),
    },
    {
      name: 'spend of keys of 30 days, everybody',
      ask: (executor) => readSpendOfKeys(everybody, executor, { from: month.from }),
    },
    page('newest', everybody, {}),
    page('failed', everybody, { failed: true }),
    page('dear', everybody, { minCostNanoUsd: 20_000_000n }),
    page('newest', organisation, {}),
    page('newest', person, {}),
    page('a day in the middle', everybody, { to: new Date(toMs - (days / 2) * dayMs) }),
    page('of a model', everybody, { model }),
    page('of a key', everybody, { keyId }),
    page('of a model that nobody asks for', everybody, { model: 'none' }),
    page('failed', organisation, { status: 502 }),
    page('of a tag', everybody, { tag }),
    page('of an end user', everybody, { endUser }),
    page('by what an id begins with', everybody, { idBegins: idPrefix(toMs - 10 * dayMs) }),
  ];
}

/** Of some seconds: the last digits of the time are left out. */
const idPrefix = (ms: number): string => Math.floor(ms).toString(16).padStart(12, '0').slice(0, 9);

function writeScope(scope: Scope): string {
  return scope.whose === 'everybody' ? 'everybody' : `one ${scope.whose}`;
}

const groupings = {
  ...{ organisation: 'organisation_id', department: 'department_id', project: 'project_id', user: 'user_id' },
  ...{ payer: 'payer_id', key: 'key_id', model: 'model', provider: 'provider', status: 'status' },
} as const;

/**
 * Holds the sums of a span against the log itself: what each group of each dimension counts and costs.
 * @returns the dimensions that differ.
 */
export async function findDifferences(
  executor: Executor,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<readonly string[]> {
  const differing: string[] = [];
  const span = { from: new Date(fromMs), to: new Date(toMs) };
  const inSpan = sql`started_at >= ${span.from.toISOString()} AND started_at < ${span.to.toISOString()}`;
  for (const by of usageDimensions) {
    const source =
      by === 'tag'
        ? sql`(SELECT usage_records.*, tag FROM usage_records, unnest(tags) AS tag) AS log`
        : sql`usage_records AS log`;
    const column = by === 'tag' ? 'tag' : by === 'endUser' ? 'end_user' : groupings[by];
    const group = sql.raw(`${column}::text`);
    const { rows: truth } = await executor.execute<{ told: string }>(sql`
      SELECT concat_ws(' ', ${group}, count(*), sum(input_tokens), sum(cost_nano_usd)) AS told
      FROM ${source} WHERE ${inSpan} ${by === 'endUser' ? sql`AND end_user IS NOT NULL` : sql``}
      GROUP BY ${group} ORDER BY sum(cost_nano_usd) DESC, count(*) DESC, ${group} LIMIT 500`);
    const { rows } = await readUsageReport(everybody, executor, { ...span, by, limit: 500 });
    const told = rows.map(({ group: name, requests, inputTokens, costNanoUsd }) =>
      [...(name === null ? [] : [name]), requests, inputTokens, costNanoUsd].join(' '),
    );
    const left = new Set(truth.map((row) => row.told));
    if (told.length !== left.size || told.some((line) => !left.has(line))) differing.push(by);
  }
  return differing;
}
