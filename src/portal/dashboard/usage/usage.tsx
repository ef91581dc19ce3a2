/** /dashboard/usage and /dashboard/api/usage: what requests used, by what and when; the same as CSV. */
import { z } from 'zod';
import { writeUsd } from '../../../base/money.ts';
import { type Cell, type UsageSums, writeCells } from '../../../usage/index.ts';
import { usageWords } from '../../languages/usage/index.ts';
import { type Asked, type Route, route } from '../../route.ts';
import { renderPage } from '../../ui/document.tsx';
import { viewerOf } from '../../viewer.ts';
import { wordsFor } from '../../visit.ts';
import { nameFilters, readFilterChoices, readUsageFacts, type UsageFacts } from './usage-facts.ts';
import { UsagePage } from './usage-page.tsx';
import { planOf, usagePath, usageQuery } from './usage-query.ts';

const tag = 'Dashboard';
const sums = z.looseObject({ requests: z.number(), errors: z.number(), cost_usd: z.string() });
const usageResult = z.object({
  ...{ metric: z.string(), by: z.string(), every: z.string(), time_zone: z.literal('UTC') },
  ...{ from: z.iso.datetime(), to: z.iso.datetime() },
  total: sums.nullable(),
  before: sums.nullable().describe('The same of the days before, as many'),
  groups: z.array(sums).describe('Those that cost most, 50 at most'),
  has_more: z.boolean(),
  buckets: z.array(sums).describe('Each step of the span in which something was asked'),
  group_buckets: z.array(sums).describe('The same of the ten groups that cost most'),
});

const asked = {
  method: 'GET',
  tag,
  access: 'member',
  query: usageQuery,
} as const;

export const usageRoutes: readonly Route[] = [
  route({
    ...asked,
    path: usagePath,
    summary: 'Usage: a figure of a span, by what and when',
    answers: 'page',
    handle: showUsage,
  }),
  route({
    ...asked,
    path: '/dashboard/api/usage',
    summary: 'Usage in buckets of time, in all and by group',
    answers: 'json',
    result: usageResult,
    handle: tellUsage,
  }),
  route({
    ...asked,
    path: `${usagePath}/export`,
    summary: 'Usage in buckets of time and by group as CSV',
    answers: 'csv',
    handle: exportUsage,
  }),
];

type AskedForUsage = Asked<'member', { query: typeof usageQuery }>;

async function showUsage({ context, services, session, scope, query }: AskedForUsage): Promise<Response> {
  const plan = planOf(query, scope, services.clock.nowMs());
  const [viewer, facts, named, choices] = await Promise.all([
    viewerOf(session, services),
    readUsageFacts(scope, services, plan),
    nameFilters(scope, services, query),
    readFilterChoices(scope, services, plan),
  ]);
  return renderPage(context, {
    title: wordsFor(context, usageWords).title,
    layout: { kind: 'signed-in', viewer },
    islands: ['chart', 'table'],
    content: <UsagePage {...{ query, facts, named, choices }} isWide={scope.whose !== 'person'} />,
  });
}

const toldSeries = 10;
const exportedSeries = 500;

async function tellUsage({ context, services, scope, query }: AskedForUsage): Promise<Response> {
  const plan = planOf(query, scope, services.clock.nowMs());
  const facts = await readUsageFacts(scope, services, plan, toldSeries);
  const { metric, by, every } = plan;
  const write = (row: UsageSums) => writeSums(row, facts);
  return context.json({
    ...{ metric, by, every, time_zone: 'UTC' },
    ...{ from: new Date(plan.fromMs).toISOString(), to: new Date(plan.toMs).toISOString() },
    total: facts.total === null ? null : write(facts.total),
    before: facts.before === null ? null : write(facts.before),
    groups: facts.groups.map(write),
    has_more: facts.hasMore,
    buckets: facts.course.map(write),
    group_buckets: facts.courses.map(write),
  });
}

function writeSums(row: UsageSums, { names, plan }: UsageFacts): Readonly<Record<string, unknown>> {
  return {
    ...(row.at === null ? {} : { at: row.at.toISOString() }),
    ...(plan.dimension === undefined
      ? {}
      : { group: row.group, name: row.group === null ? null : (names.get(row.group) ?? row.group) }),
    ...{ requests: row.requests, errors: row.errors },
    ...{ input_tokens: row.inputTokens, cache_read_tokens: row.cacheReadTokens },
    ...{ cache_write_5m_tokens: row.cacheWrite5mTokens, cache_write_1h_tokens: row.cacheWrite1hTokens },
    ...{ output_tokens: row.outputTokens, reasoning_tokens: row.reasoningTokens },
    ...{ audio_ms: row.audioMs, characters: row.characters, rerank_units: row.rerankUnits },
    ...{ cost_usd: writeUsd(row.costNanoUsd), charged_usd: writeUsd(row.chargedNanoUsd) },
    ...{
      duration_ms: row.durationMs,
      first_byte_ms: row.firstByteMs,
      tokens_per_second: row.tokensPerSecond,
    },
  };
}

const csvColumns: readonly (readonly [string, (row: UsageSums, facts: UsageFacts) => Cell])[] = [
  ['from', ({ at }) => at?.toISOString() ?? null],
  ['group', ({ group }) => group],
  ['name', ({ group }, { names }) => (group === null ? null : (names.get(group) ?? group))],
  ['requests', ({ requests }) => requests],
  ['errors', ({ errors }) => errors],
  ['input_tokens', ({ inputTokens }) => inputTokens],
  ['cache_read_tokens', ({ cacheReadTokens }) => cacheReadTokens],
  ['cache_write_5m_tokens', ({ cacheWrite5mTokens }) => cacheWrite5mTokens],
  ['cache_write_1h_tokens', ({ cacheWrite1hTokens }) => cacheWrite1hTokens],
  ['output_tokens', ({ outputTokens }) => outputTokens],
  ['reasoning_tokens', ({ reasoningTokens }) => reasoningTokens],
  ['cost_usd', ({ costNanoUsd }) => writeUsd(costNanoUsd)],
  ['charged_usd', ({ chargedNanoUsd }) => writeUsd(chargedNanoUsd)],
  ['first_byte_p50_ms', ({ firstByteMs }) => firstByteMs?.p50 ?? null],
  ['duration_p50_ms', ({ durationMs }) => durationMs?.p50 ?? null],
  ['duration_p95_ms', ({ durationMs }) => durationMs?.p95 ?? null],
];

/** No id, name or label is empty, so that this stands for those that are not told one by one. */
const allOthers = '';

/**
 * A line for each step and group; without a grouping, for each step. Of many groups the dearest have lines of their own,
 * and the others one together, so that a step's lines add up to all of it.
 */
async function exportUsage({ context, services, scope, query }: AskedForUsage): Promise<Response> {
  const plan = planOf(query, scope, services.clock.nowMs());
  const read = await readUsageFacts(scope, services, plan, exportedSeries);
  const words = wordsFor(context, usageWords);
  // Requests without an end user are in no group of them.
  const others = plan.by === 'end_user' && !read.hasOthers ? words.nothing : words.allOthers;
  const facts = { ...read, names: new Map([...read.names, [allOthers, others]]) };
  const rows = plan.dimension === undefined ? facts.course : withOthers(facts);
  const lines = [
    writeCells(csvColumns.map(([name]) => name)),
    ...rows.map((row) => writeCells(csvColumns.map(([, cell]) => cell(row, facts)))),
    ...(plan.by === 'tag' && read.hasOthers ? [othersWithoutFigures(words.allOthers)] : []),
  ];
  const day = new Date(services.clock.nowMs()).toISOString().slice(0, 10);
  context.header('content-type', 'text/csv; charset=utf-8');
  context.header('content-disposition', `attachment; filename="usage-${day}.csv"`);
  return context.body(lines.join(''));
}

/** A request may have several tags, so that those of the others add up to nothing: a line says that there are some. */
const othersWithoutFigures = (others: string): string =>
  writeCells(csvColumns.map(([name]) => (name === 'name' ? others : null)));

/** The dearest groups of each step, with a line for all others together; of tags, which add up to nothing, without it. */
function withOthers({ plan, course, courses }: UsageFacts): readonly UsageSums[] {
  if (plan.by === 'tag') return courses;
  const byTime = Map.groupBy(courses, ({ at }) => at?.getTime());
  return course.flatMap((whole) => {
    const told = byTime.get(whole.at?.getTime()) ?? [];
    const others = told.reduce(subtract, { ...whole, group: allOthers, durationMs: null, firstByteMs: null });
    // The groups were asked for later, and may have more by then.
    return others.requests > 0 ? [...told, others] : told;
  });
}

const subtract = (whole: UsageSums, part: UsageSums): UsageSums => ({
  ...whole,
  requests: whole.requests - part.requests,
  errors: whole.errors - part.errors,
  inputTokens: whole.inputTokens - part.inputTokens,
  cacheReadTokens: whole.cacheReadTokens - part.cacheReadTokens,
  cacheWrite5mTokens: whole.cacheWrite5mTokens - part.cacheWrite5mTokens,
  cacheWrite1hTokens: whole.cacheWrite1hTokens - part.cacheWrite1hTokens,
  outputTokens: whole.outputTokens - part.outputTokens,
  reasoningTokens: whole.reasoningTokens - part.reasoningTokens,
  costNanoUsd: whole.costNanoUsd - part.costNanoUsd,
  chargedNanoUsd: whole.chargedNanoUsd - part.chargedNanoUsd,
});
