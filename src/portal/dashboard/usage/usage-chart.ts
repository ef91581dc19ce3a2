/** What the chart of usage draws: a column a step, and a series a group, a kind of token, or a quantile. */
import type { UsageStep, UsageSums } from '../../../usage/index.ts';
import type { UsageWords } from '../../languages/usage/en.ts';
import type { ChartColumn, ChartSeries } from '../../ui/chart-data.tsx';
import { type Figures, usdOf } from '../../ui/figures.ts';
import { cachedShare, errorRate, tokensOf, type UsageFacts } from './usage-facts.ts';
import type { Metric, UsagePlan } from './usage-query.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Those whose groups add up to the whole. */
export const isAdditive = (metric: Metric): boolean =>
  metric === 'spend' || metric === 'requests' || metric === 'tokens';

/** A figure to draw and to compare; null where nothing was measured. */
export function figureOf(sums: UsageSums | null | undefined, metric: Metric): number | null {
  if (sums == null) return null;
  switch (metric) {
    case 'spend':
      return usdOf(sums.costNanoUsd);
    case 'requests':
      return sums.requests;
    case 'tokens':
      return tokensOf(sums);
    case 'errors':
      return errorRate(sums);
    case 'cached':
      return cachedShare(sums);
    case 'latency':
      return sums.durationMs?.p50 ?? null;
    case 'first':
      return sums.firstByteMs?.p50 ?? null;
  }
}

/** @param whole in USD, which says how many digits all of them have. */
export function writerFor(metric: Metric, figures: Figures, whole = 0): (value: number) => string {
  switch (metric) {
    case 'spend': {
      const writePart = figures.partsOfUsd(BigInt(Math.round(whole * 1e9)));
      return (value) => writePart(BigInt(Math.round(value * 1e9)));
    }
    case 'requests':
    case 'tokens':
      return (value) => figures.count(Math.round(value));
    case 'errors':
      return (value) => figures.errorRate(value);
    case 'cached':
      return (value) => figures.percent(value);
    case 'latency':
    case 'first':
      return (value) => figures.span(value);
  }
}

export function axisWriterFor(
  metric: Metric,
  figures: Figures,
): (steps: readonly number[]) => readonly string[] {
  switch (metric) {
    case 'spend':
      return figures.usdMarks;
    case 'requests':
    case 'tokens':
      return figures.countMarks;
    case 'errors':
    case 'cached':
      return figures.percentMarks;
    case 'latency':
    case 'first':
      return figures.spanMarks;
  }
}

/** The beginnings of the steps of a span, the first perhaps before it. */
function stepsOf({ every, fromMs, toMs }: Pick<UsagePlan, 'every' | 'fromMs' | 'toMs'>): readonly number[] {
  const found: number[] = [];
  for (let atMs = beginningOf(every, fromMs); atMs < toMs; atMs = nextOf(every, atMs)) found.push(atMs);
  return found;
}

/** 1970 began on a Thursday. */
const firstMondayMs = 4 * dayMs;

function beginningOf(every: UsageStep, ms: number): number {
  if (every === 'hour') return ms - (ms % hourMs);
  if (every === 'day') return ms - (ms % dayMs);
  if (every === 'week') return ms - ((((ms - firstMondayMs) % (7 * dayMs)) + 7 * dayMs) % (7 * dayMs));
  const at = new Date(ms);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth());
}

function nextOf(every: UsageStep, ms: number): number {
  if (every === 'hour') return ms + hourMs;
  if (every === 'day') return ms + dayMs;
  if (every === 'week') return ms + 7 * dayMs;
  const at = new Date(ms);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1);
}

export function columnsOf({ plan }: UsageFacts, figures: Figures): readonly ChartColumn[] {
  return stepsOf(plan).map((atMs) => {
    const at = new Date(atMs);
    const clock = at.toISOString().slice(11, 16);
    const isHour = plan.every === 'hour';
    return {
      title: isHour ? `${figures.shortDay(at)}, ${clock}` : figures.day(at),
      label: isHour ? clock : figures.shortDay(at),
      isPartial: !plan.isOver && nextOf(plan.every, atMs) > plan.toMs,
    };
  });
}

interface Naming {
  readonly words: UsageWords;
  readonly figures: Figures;
  readonly nameOf: (group: string | null) => string;
}

export function seriesOf(facts: UsageFacts, { words, figures, nameOf }: Naming): readonly ChartSeries[] {
  const { plan, course } = facts;
  const { metric, by } = plan;
  const write = writerFor(metric, figures, figureOf(facts.total, metric) ?? 0);
  const times = stepsOf(plan);
  const valuesOf = (rows: readonly UsageSums[], read: (sums: UsageSums) => number | null) => {
    const byTime = new Map(rows.map((row) => [row.at?.getTime(), row]));
    return times.map((atMs) => {
      const row = byTime.get(atMs);
      const value = row === undefined ? null : read(row);
      // A time without requests spent nothing, and has no duration.
      return value ?? (isAdditive(metric) ? 0 : null);
    });
  };
  const plain = (sums: UsageSums) => figureOf(sums, metric);
  if (metric === 'tokens' && by === 'kind') return kindsOf(facts, words, valuesOf);
  if (by !== 'none' && by !== 'kind' && facts.courses.length > 0) {
    const byGroup = Map.groupBy(facts.courses, ({ group }) => group);
    const order = new Map(facts.groups.map(({ group }, place) => [group, place]));
    const shown = [...byGroup].sort(([one], [other]) => (order.get(one) ?? 0) - (order.get(other) ?? 0));
    const series = shown.map(([group, rows]) => {
      const whole = figureOf(
        facts.groups.find((row) => row.group === group),
        metric,
      );
      return {
        name: nameOf(group),
        values: valuesOf(rows, plain),
        total: whole === null ? '–' : write(whole),
      };
    });
    if (!isAdditive(metric) || by === 'tag') return series;
    const all = valuesOf(course, plain);
    const rest = all.map((value, index) =>
      Math.max(
        0,
        series.reduce((left, { values }) => left - (values[index] ?? 0), value ?? 0),
      ),
    );
    const isLeft = facts.groups.length > shown.length || facts.hasMore;
    const left = {
      name: words.allOthers,
      values: rest,
      total: write(rest.reduce((sum, value) => sum + value, 0)),
    };
    return isLeft ? [...series, left] : series;
  }
  if (metric === 'latency' || metric === 'first') {
    const spread = metric === 'latency' ? 'durationMs' : 'firstByteMs';
    return (['p50', 'p95'] as const).map((quantile) => ({
      name: quantile === 'p50' ? words.median : words.p95,
      values: valuesOf(course, (sums) => sums[spread]?.[quantile] ?? null),
      total: facts.total?.[spread] == null ? '–' : write(facts.total[spread][quantile]),
    }));
  }
  const whole = figureOf(facts.total, metric);
  return [
    {
      name: words.metrics[metric],
      values: valuesOf(course, plain),
      total: whole === null ? '–' : write(whole),
    },
  ];
}

function kindsOf(
  { course }: UsageFacts,
  { kinds }: UsageWords,
  valuesOf: (rows: readonly UsageSums[], read: (sums: UsageSums) => number) => ChartSeries['values'],
): readonly ChartSeries[] {
  const read: readonly (readonly [string, (sums: UsageSums) => number])[] = [
    [kinds.cacheRead, ({ cacheReadTokens }) => cacheReadTokens],
    [kinds.input, ({ inputTokens }) => inputTokens],
    [kinds.cacheWrite, (sums) => sums.cacheWrite5mTokens + sums.cacheWrite1hTokens],
    [kinds.output, (sums) => sums.outputTokens - sums.reasoningTokens],
    [kinds.reasoning, ({ reasoningTokens }) => reasoningTokens],
  ];
  return read.map(([name, value]) => ({ name, values: valuesOf(course, value) }));
}
