/** The usage page: one figure of a span, how it ran, and what it is made of. */
import type { UsageSums } from '../../../usage/index.ts';
import { usageWords } from '../../languages/usage/index.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Empty } from '../../ui/callout.tsx';
import { Chart } from '../../ui/chart.tsx';
import { percent, Swatch } from '../../ui/chart-parts.tsx';
import { writeExactUsd } from '../../ui/figures.ts';
import { useSpeech, useWords } from '../../ui/speech.tsx';
import { Table } from '../../ui/table.tsx';
import { Asking } from './usage-asking.tsx';
import { axisWriterFor, columnsOf, figureOf, isAdditive, seriesOf, writerFor } from './usage-chart.ts';
import {
  cachedShare,
  errorRate,
  mostSeries,
  tokensOf,
  type UsageFacts,
  type UsagePageProps,
  writeChange,
} from './usage-facts.ts';
import { requestsAt, usageAt, usagePath } from './usage-query.ts';

export function UsagePage(page: UsagePageProps) {
  const { query, facts } = page;
  const words = useWords(usageWords);
  return (
    <>
      <div class="page-head">
        <h1>{words.title}</h1>
        <span class="grow" />
        <LinkButton look="ghost" icon="code" href={usageAt(query, {}, '/dashboard/api/usage')}>
          {words.asJson}
        </LinkButton>
        <LinkButton look="ghost" icon="download" href={usageAt(query, {}, `${usagePath}/export`)}>
          {words.exportCsv}
        </LinkButton>
      </div>
      <Asking {...page} />
      {facts.total === null ? <Nothing {...page} /> : <Shown {...page} />}
    </>
  );
}

function Nothing({ query }: UsagePageProps) {
  const words = useWords(usageWords);
  const longer = usageAt(query, { range: '365d', from: undefined, to: undefined, every: undefined });
  return (
    <Empty
      icon="chart-column"
      title={words.none}
      {...(query.range === '365d' ? {} : { action: <LinkButton href={longer}>{words.longer}</LinkButton> })}
    >
      {words.noneDetail}
    </Empty>
  );
}

function Shown(page: UsagePageProps) {
  const { facts, query } = page;
  const words = useWords(usageWords);
  const { figures } = useSpeech();
  const { plan } = facts;
  const { metric } = plan;
  const value = figureOf(facts.total, metric);
  const write = writerFor(metric, figures, value ?? 0);
  const shown = value === null ? '–' : write(value);
  const columns = columnsOf(facts, figures);
  const nameOf = useNames(facts);
  return (
    <>
      <p class="usage-figure">
        <a
          href={requestsAt(query, plan) ?? usagePath}
          title={metric === 'spend' ? writeExactUsd(facts.total?.costNanoUsd ?? 0n) : words.openRequests}
        >
          {shown}
        </a>
        <Change facts={facts} />
        <span class="grow" />
        <span class="quiet small">
          {columns.some(({ isPartial }) => isPartial === true) ? words.partial : words.whole}
          {plan.by === 'tag' ? ` ${words.twiceCounted}` : ''}
        </span>
      </p>
      <Chart
        kind={isAdditive(metric) ? 'columns' : 'lines'}
        label={words.chart(words.metrics[metric], shown)}
        columnName={words.steps[plan.every]}
        columns={columns}
        series={seriesOf(facts, { words, figures, nameOf })}
        write={write}
        writeAxis={axisWriterFor(metric, figures)}
      />
      {facts.groups.length === 0 ? null : <Groups {...page} nameOf={nameOf} />}
      <WithoutLabel facts={facts} write={write} />
    </>
  );
}

/** What no row has when requests are told apart by what only some of them carry. */
function WithoutLabel({
  facts: { plan, groups, hasMore, total },
  write,
}: Pick<UsagePageProps, 'facts'> & { readonly write: (value: number) => string }) {
  const words = useWords(usageWords);
  const { figures } = useSpeech();
  const { by, metric } = plan;
  if (by !== 'tag' && by !== 'end_user') return null;
  if (groups.length === 0) return <p class="quiet">{words.noLabel[by]}</p>;
  const whole = figureOf(total, metric) ?? 0;
  const left = groups.reduce((rest, row) => rest - (figureOf(row, metric) ?? 0), whole);
  const share = whole === 0 ? 0 : left / whole;
  // Less is what rounding leaves.
  if (!isAdditive(metric) || hasMore || share < 0.0005) return null;
  return <p class="quiet small">{words.withoutLabel[by](write(left), figures.percent(share))}</p>;
}

function useNames({ plan, names }: UsageFacts): (group: string | null) => string {
  const words = useWords(usageWords);
  const isNumbered = ['key', 'person', 'organisation', 'department', 'project'].includes(plan.by);
  return (group) => {
    if (group === null) return words.nothing;
    return names.get(group) ?? (isNumbered ? `#${group}` : group);
  };
}

const dayMs = 86_400_000;

function Change({ facts }: { readonly facts: UsageFacts }) {
  const words = useWords(usageWords);
  const { figures, common } = useSpeech();
  const { plan, total, before } = facts;
  if (plan.before === null) return null;
  const days = Math.max(1, Math.round((plan.fromMs - plan.before.from.getTime()) / dayMs));
  const now = figureOf(total, plan.metric);
  const then = figureOf(before, plan.metric);
  if (now === null || then === null || then === 0) return null;
  const share = now / then - 1;
  if (Math.abs(share) < 0.0005) return <span class="quiet">{words.sameAsBefore(days)}</span>;
  const direction = share > 0 ? common.change.up : common.change.down;
  return (
    <span class="quiet">
      {direction} {figures.percent(Math.abs(share))} {words.onBefore(days)}
    </span>
  );
}

interface GroupsProps extends UsagePageProps {
  readonly nameOf: (group: string | null) => string;
}

function Groups({ facts, query, nameOf }: GroupsProps) {
  const words = useWords(usageWords);
  const { figures } = useSpeech();
  const { plan, groups, total } = facts;
  const { metric } = plan;
  const whole = figureOf(total, metric) ?? 0;
  const write = writerFor(metric, figures, whole);
  const drawn = new Set(facts.courses.map(({ group }) => group));
  const colours = new Map(
    groups.filter(({ group }) => drawn.has(group)).map(({ group }, place) => [group, place + 1]),
  );
  const written = (row: UsageSums | null) => {
    const value = figureOf(row, metric);
    return value === null ? '–' : write(value);
  };
  const shareOf = (row: UsageSums) => (whole === 0 ? 0 : (figureOf(row, metric) ?? 0) / whole);
  const changeOf = (row: UsageSums) =>
    writeChange(figures, figureOf(facts.groupsBefore.get(row.group), metric), figureOf(row, metric));
  const short = (number: number) => {
    const { value, unit } = figures.short(number);
    return unit === '' ? value : `${value} ${unit}`;
  };
  const per = (row: UsageSums) =>
    row.requests === 0 ? '–' : figures.cost((row.costNanoUsd * 1000n) / BigInt(row.requests));
  const name = words.groups[plan.by];
  const title = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  return (
    <section class="section" aria-labelledby="usage-groups">
      <h2 id="usage-groups">{`${words.by} ${name}`}</h2>
      <Table<UsageSums>
        caption={name}
        rows={groups}
        keyOf={({ group }) => group ?? ''}
        hrefOf={({ group }) => requestsAt(query, plan, group) ?? requestsAt(query, plan) ?? usagePath}
        empty={null}
        totals={{
          ...{ group: words.all, metric: written(total), requests: figures.count(total?.requests ?? 0) },
          ...{
            tokens: total === null ? '' : short(tokensOf(total)),
            cached: total === null ? '' : figures.percent(cachedShare(total)),
          },
          ...{
            errors: total === null ? '' : figures.errorRate(errorRate(total)),
            per: total === null ? '' : per(total),
          },
        }}
        columns={[
          {
            key: 'group',
            label: title,
            phone: 'name',
            cell: ({ group }) => (
              <span class="usage-name">
                {colours.has(group) ? (
                  <Swatch number={colours.get(group) ?? 1} />
                ) : (
                  <span class="usage-no-swatch" />
                )}
                {nameOf(group)}
              </span>
            ),
          },
          {
            key: 'metric',
            label: words.metrics[metric],
            isNumber: true,
            phone: 'value',
            title: (row) => (metric === 'spend' ? writeExactUsd(row.costNanoUsd) : undefined),
            cell: (row) => <b>{written(row)}</b>,
          },
          ...(isAdditive(metric)
            ? [
                {
                  key: 'share',
                  label: words.share,
                  phone: 'state' as const,
                  cell: (row: UsageSums) => (
                    <Share share={shareOf(row)} number={colours.get(row.group) ?? 6} />
                  ),
                },
              ]
            : []),
          { key: 'change', label: words.change, isNumber: true, leaves: 'next', cell: changeOf },
          {
            key: 'requests',
            label: words.metrics.requests,
            isNumber: true,
            phone: 'detail',
            cell: ({ requests }) => figures.count(requests),
          },
          {
            key: 'tokens',
            label: words.metrics.tokens,
            isNumber: true,
            leaves: 'next',
            title: (row) => figures.count(tokensOf(row)),
            cell: (row) => short(tokensOf(row)),
          },
          {
            key: 'cached',
            label: words.metrics.cached,
            isNumber: true,
            leaves: 'first',
            cell: (row) => figures.percent(cachedShare(row)),
          },
          {
            key: 'first',
            label: words.metrics.first,
            isNumber: true,
            leaves: 'first',
            cell: ({ firstByteMs }) => (firstByteMs === null ? '–' : figures.span(firstByteMs.p50)),
          },
          {
            key: 'errors',
            label: words.metrics.errors,
            isNumber: true,
            leaves: 'next',
            cell: (row) => figures.errorRate(errorRate(row)),
          },
          { key: 'per', label: words.perThousand, isNumber: true, leaves: 'first', cell: per },
        ]}
      />
      {facts.hasMore ? <p class="quiet small">{words.more(groups.length)}</p> : null}
    </section>
  );
}

function Share({ share, number }: { readonly share: number; readonly number: number }) {
  const { figures } = useSpeech();
  const drawn = Math.min(1, Math.max(0, share));
  return (
    <span class="usage-share">
      <svg class="progress" width="72" height="6" aria-hidden="true">
        <rect class="track" width="100%" height="6" rx="3" />
        <rect
          class={`fill-${Math.min(number, mostSeries + 1)}`}
          width={percent(100 * drawn)}
          height="6"
          rx="3"
        />
      </svg>
      <span class="quiet number">{figures.percent(share)}</span>
    </span>
  );
}
