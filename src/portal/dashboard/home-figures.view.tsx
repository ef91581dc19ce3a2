/** The figures at the top of the overview, and the chart of what was spent. */
import { homeWords } from '../languages/home/index.ts';
import { Chart } from '../ui/chart.tsx';
import { type FigureProps, Figures } from '../ui/figure.tsx';
import { usdOf, type Figures as Writing } from '../ui/figures.ts';
import { wayTo } from '../ui/navigation.ts';
import { useSpeech, useWords } from '../ui/speech.tsx';
import type { HomeFacts, PeriodDays, Sums } from './home-facts.ts';

interface HomeProps {
  readonly facts: HomeFacts;
  readonly days: PeriodDays;
}

const inputOf = ({ inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens }: Sums): number =>
  inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens;
const tokensOf = (sums: Sums): number => inputOf(sums) + sums.outputTokens;
const errorShareOf = ({ errors, requests }: Sums): number => (requests === 0 ? 0 : errors / requests);

export function HomeFigures({ facts, days }: HomeProps) {
  const words = useWords(homeWords).figures;
  const { figures } = useSpeech();
  const { logDays, now, before, course } = facts;
  const along = (value: (sums: Sums) => number | null, ofNone: 0 | null = 0) =>
    now === null ? {} : { course: course.map(({ sums }) => (sums === null ? ofNone : value(sums))) };
  const tokens = figures.short(now === null ? 0 : tokensOf(now));
  const duration = splitSpan(now?.durationMs?.p50 ?? null, figures);
  const cached = now === null || inputOf(now) === 0 ? 0 : now.cacheReadTokens / inputOf(now);
  const rows: readonly FigureProps[] = [
    {
      name: words.spend,
      value: figures.cost(now?.costNanoUsd ?? 0n),
      href: wayTo('requests', { ...logDays }),
      ...changeOf((sums) => usdOf(sums.costNanoUsd), words.before[days]),
      ...along(({ costNanoUsd }) => usdOf(costNanoUsd)),
    },
    {
      name: words.requests,
      value: figures.count(now?.requests ?? 0),
      href: wayTo('requests', { ...logDays }),
      ...changeOf(({ requests }) => requests),
      ...along(({ requests }) => requests),
    },
    {
      name: words.tokens,
      value: tokens.value,
      ...(tokens.unit === '' ? {} : { unit: tokens.unit }),
      ...changeOf(tokensOf),
      ...(cached === 0 ? {} : { detail: words.cached(figures.percent(cached, 0)) }),
      ...along(tokensOf),
    },
    {
      name: words.errorRate,
      value: now === null ? '–' : figures.errorRate(errorShareOf(now)),
      ...pointsOf(facts, (number) => words.points(figures.decimal(number, 2))),
      ...(now === null ? {} : { detail: words.failed(now.errors) }),
      ...along(errorShareOf, null),
    },
    {
      name: words.latency,
      ...duration,
      ...spanChangeOf(facts, figures),
      ...(now?.durationMs == null ? {} : { detail: words.p95(figures.span(now.durationMs.p95)) }),
      ...along(({ durationMs }) => durationMs?.p50 ?? null, null),
    },
  ];
  return <Figures figures={rows} />;

  function changeOf(value: (sums: Sums) => number, than?: string): Pick<FigureProps, 'change'> {
    const was = before === null ? 0 : value(before);
    const is = now === null ? 0 : value(now);
    if (was === 0 || is === was) return {};
    const amount = figures.percent(Math.abs(is / was - 1));
    return { change: { direction: is > was ? 'up' : 'down', amount, ...(than !== undefined && { than }) } };
  }
}

function pointsOf({ now, before }: HomeFacts, write: (points: number) => string) {
  if (now === null || before === null) return {};
  const points = 100 * (errorShareOf(now) - errorShareOf(before));
  if (Math.abs(points) < 0.005) return {};
  const direction = points > 0 ? 'up' : 'down';
  return { change: { direction, amount: write(Math.abs(points)) } } as const;
}

function spanChangeOf({ now, before }: HomeFacts, figures: Writing) {
  if (now?.durationMs == null || before?.durationMs == null) return {};
  const differenceMs = now.durationMs.p50 - before.durationMs.p50;
  if (Math.abs(differenceMs) < 0.5) return {};
  const direction = differenceMs > 0 ? 'up' : 'down';
  return { change: { direction, amount: figures.span(Math.abs(differenceMs)) } } as const;
}

/** The unit stands smaller behind its number. */
function splitSpan(spanMs: number | null, figures: Writing): Pick<FigureProps, 'value' | 'unit'> {
  if (spanMs === null) return { value: '–' };
  const written = figures.span(spanMs);
  const [value = written, unit, ...others] = written.split(' ');
  return unit === undefined || others.length > 0 ? { value: written } : { value, unit };
}

export function SpendChart({ facts, days }: HomeProps) {
  const words = useWords(homeWords).chart;
  const { figures } = useSpeech();
  const { now, course, models } = facts;
  const write = (usd: number) => figures.cost(BigInt(Math.round(usd * 1e9)));
  const isToday = days === 1;
  const spent = now?.costNanoUsd ?? 0n;
  const writePart = figures.partsOfUsd(spent);
  const series = isToday
    ? [{ name: words.spend, values: course.map(({ sums }) => usdOf(sums?.costNanoUsd ?? 0n)) }]
    : models.map(({ model, costsNanoUsd }) => ({
        name: model ?? words.others,
        values: costsNanoUsd.map(usdOf),
        total: writePart(costsNanoUsd.reduce((sum, cost) => sum + cost, 0n)),
      }));
  return (
    <section aria-labelledby="spend-title">
      <div class="section-head">
        <h2 id="spend-title">{isToday ? words.titleToday : words.title}</h2>
        {spent === 0n ? null : (
          <a class="link small" href={wayTo('usage', { range: isToday ? 'today' : `${days}d` })}>
            {words.open}
          </a>
        )}
      </div>
      {spent === 0n ? (
        <p class="quiet">{words.none}</p>
      ) : (
        <Chart
          kind="columns"
          label={words.label(figures.cost(spent))}
          columnName={isToday ? words.hour : words.day}
          series={series}
          columns={course.map(({ atMs }, index) => {
            const at = new Date(atMs);
            const hour = `${String(at.getUTCHours()).padStart(2, '0')}:00`;
            return {
              title: isToday ? `${hour} UTC` : figures.day(at),
              label: isToday ? hour : figures.shortDay(at),
              isPartial: index === course.length - 1,
            };
          })}
          write={write}
          writeAxis={figures.usdMarks}
          hasLegend={!isToday}
        />
      )}
    </section>
  );
}
