/** What a key did lately, and what is left to it now. */
import type { LimitReport, LimitState } from '../../../limits/index.ts';
import type { UsageReport } from '../../../usage/index.ts';
import { keysWords } from '../../languages/keys/index.ts';
import { Progress } from '../../ui/callout.tsx';
import { Chart } from '../../ui/chart.tsx';
import { Figures } from '../../ui/figure.tsx';
import { usdOf } from '../../ui/figures.ts';
import { wayTo } from '../../ui/navigation.ts';
import { Moment, useSpeech, useWords } from '../../ui/speech.tsx';
import { Table } from '../../ui/table.tsx';
import { BudgetLine, type BudgetNow } from './key-parts.tsx';
import type { KeyDetailProps } from './key-props.ts';

type Sums = UsageReport['rows'][number];

const tokensOf = (sums: Sums): number =>
  sums.inputTokens +
  sums.cacheReadTokens +
  sums.cacheWrite5mTokens +
  sums.cacheWrite1hTokens +
  sums.outputTokens;
const total = (rows: UsageReport['rows'], of: (row: Sums) => number): number =>
  rows.reduce((sum, row) => sum + of(row), 0);

export function UsageOfKey({ apiKey, days, byDay, byModel, hasMoreModels }: KeyDetailProps) {
  const { detail: words } = useWords(keysWords);
  const { figures } = useSpeech();
  if (byDay.length === 0) {
    return (
      <section class="section" aria-labelledby="usage-title">
        <h2 id="usage-title">{words.usage}</h2>
        <p class="quiet">{words.noUsage}</p>
      </section>
    );
  }
  const spent = byDay.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0n);
  const requests = total(byDay, (row) => row.requests);
  const tokens = figures.short(total(byDay, tokensOf));
  const errors = total(byDay, (row) => row.errors);
  const costs = new Map(byDay.map(({ at, costNanoUsd }) => [at?.getTime(), usdOf(costNanoUsd)]));
  const log = `/dashboard/request-log?range=month&key=${apiKey.id}`;
  const writePart = figures.partsOfUsd(spent);
  const write = (usd: number) => figures.cost(BigInt(Math.round(usd * 1e9)));
  return (
    <section class="section" aria-labelledby="usage-title">
      <h2 id="usage-title">{words.usage}</h2>
      <Figures
        figures={[
          { name: words.spend, value: figures.cost(spent) },
          { name: words.requests, value: figures.count(requests), href: log },
          { name: words.tokens, value: tokens.value, unit: tokens.unit },
          {
            name: words.errors,
            value: figures.errorRate(requests === 0 ? 0 : errors / requests),
            ...(errors === 0 ? {} : { detail: words.part(figures.count(errors), figures.count(requests)) }),
          },
        ]}
      />
      <Chart
        kind="columns"
        label={`${words.spend}: ${figures.cost(spent)}`}
        columnName={words.day}
        series={[
          { name: words.cost, values: days.map((day) => costs.get(day) ?? 0), total: figures.cost(spent) },
        ]}
        columns={days.map((day) => ({
          label: figures.shortDay(new Date(day)),
          title: figures.day(new Date(day)),
        }))}
        write={write}
        writeAxis={figures.usdMarks}
        hasLegend={false}
      />
      <h3>{words.byModel}</h3>
      <Table
        caption={words.byModel}
        rows={byModel}
        keyOf={({ group }) => group ?? ''}
        empty={null}
        columns={[
          { key: 'model', label: words.model, phone: 'name', cell: ({ group }) => group },
          {
            key: 'requests',
            label: words.requestCount,
            isNumber: true,
            phone: 'detail',
            cell: (row) => figures.count(row.requests),
          },
          {
            key: 'tokens',
            label: words.tokenCount,
            isNumber: true,
            leaves: 'first',
            cell: (row) => figures.count(tokensOf(row)),
          },
          {
            key: 'cost',
            label: words.cost,
            isNumber: true,
            phone: 'value',
            cell: ({ costNanoUsd }) => writePart(costNanoUsd),
          },
        ]}
      />
      {hasMoreModels ? (
        <a class="link small" href={wayTo('usage', { key: String(apiKey.id) })}>
          {words.allModels}
        </a>
      ) : null}
    </section>
  );
}

/** What processes hold for requests to come is spent by none of them yet. */
const leftOf = ({ limitNanoUsd, spentNanoUsd }: BudgetNow): bigint =>
  limitNanoUsd > spentNanoUsd ? limitNanoUsd - spentNanoUsd : 0n;

export function BudgetsNow({ budgets, nowMs }: KeyDetailProps) {
  const { detail: words, budgetState } = useWords(keysWords);
  const { figures } = useSpeech();
  return (
    <section class="section" aria-labelledby="budgets-title">
      <h2 id="budgets-title">{words.budgets}</h2>
      {budgets.length === 0 ? <p class="quiet">{words.noBudgets}</p> : null}
      <ul class="key-gauges">
        {budgets.map((budget) => (
          <li>
            <BudgetLine budget={budget} />
            <span class="quiet small">
              {budgetState.left(figures.price(leftOf(budget)))}
              {' · '}
              {budget.resetsAtMs === null
                ? budgetState.once
                : budgetState.resets(<Moment at={new Date(budget.resetsAtMs)} nowMs={nowMs} />)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function LimitsNow({ limitReport }: { readonly limitReport: LimitReport | null }) {
  const { detail: words } = useWords(keysWords);
  const gauges =
    limitReport === null
      ? []
      : [
          ...gaugeOf(words.requestsUsed, limitReport.requests),
          ...gaugeOf(words.tokensUsed, limitReport.tokens),
          ...(limitReport.concurrent === null
            ? []
            : [
                {
                  name: words.concurrentUsed,
                  used: limitReport.concurrent.underWay,
                  limit: limitReport.concurrent.limit,
                },
              ]),
        ];
  return (
    <section class="section" aria-labelledby="limits-title">
      <h2 id="limits-title">{words.limits}</h2>
      {gauges.length === 0 ? <p class="quiet">{words.noLimits}</p> : null}
      <ul class="key-gauges">
        {gauges.map((gauge) => (
          <Gauge {...gauge} />
        ))}
      </ul>
      {limitReport === null || limitReport.countedBy === 'shared' ? null : (
        <p class="quiet small">{words.countedHere}</p>
      )}
    </section>
  );
}

interface GaugeProps {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
}

const gaugeOf = (name: string, state: LimitState | null): readonly GaugeProps[] =>
  state === null ? [] : [{ name, used: Math.max(0, state.limit - state.remaining), limit: state.limit }];

function Gauge({ name, used, limit }: GaugeProps) {
  const { detail: words } = useWords(keysWords);
  const { figures } = useSpeech();
  const text = words.of(figures.count(used), figures.count(limit));
  return (
    <li>
      <span class="budget-line">
        <small>{`${name}: ${text}`}</small>
        <Progress share={used / limit} label={`${name}: ${text}`} mood={used >= limit ? 'bad' : 'usual'} />
      </span>
    </li>
  );
}
