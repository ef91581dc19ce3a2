/** The request log: its filters, how many came when, and the requests, newest first. */
import type { Child } from 'hono/jsx';
import type { StoredUsageRecord } from '../../../usage/index.ts';
import { requestsWords } from '../../languages/requests/index.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Empty } from '../../ui/callout.tsx';
import { Histogram } from '../../ui/course.tsx';
import { useSpeech, useWords } from '../../ui/speech.tsx';
import { State } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { Steps } from '../../ui/way.tsx';
import { digitsFor, type LogNames, useLogColumns } from './log-columns.tsx';
import { type Choices, LogFilters } from './log-filters.tsx';
import { type LogQuery, listAt, logPath, type PageQuery, requestAt, writeQuery } from './log-query.ts';
import type { BarsOfRequests } from './request-bars.ts';

export interface LogPageProps {
  readonly query: PageQuery;
  readonly records: readonly StoredUsageRecord[];
  readonly newerHref: string | null;
  readonly olderHref: string | null;
  /** To where the rows were looked through, when few of them fit; null where the page is full or the end is reached. */
  readonly searchedTo: Date | null;
  readonly names: LogNames;
  readonly choices: Choices;
  readonly named: Readonly<Partial<Record<keyof LogQuery, string>>>;
  /** Null where the sums cannot tell what the filter asks. */
  readonly bars: BarsOfRequests | null;
  /** Beside a sheet: the request that is open there. */
  readonly openId: string | null;
  /** The id from which on what comes is new: of the newest in the list, or where it has none, of a while before now. */
  readonly since: string;
}

export function LogPage(page: LogPageProps) {
  const { query, records, openId } = page;
  const words = useWords(requestsWords);
  const columns = useLogColumns(records, { names: page.names, isNarrow: openId !== null });
  return (
    <>
      <div class="page-head">
        <h1>{words.title}</h1>
        <span class="grow" />
        <Live {...page} />
        <LinkButton
          look="ghost"
          icon="download"
          href={`${logPath}/export${writeQuery({ ...query, before: undefined, after: undefined })}`}
        >
          {words.exportCsv}
        </LinkButton>
      </div>
      <LogFilters query={query} choices={page.choices} named={page.named} />
      <Bars bars={page.bars} />
      <Table
        caption={words.title}
        rows={records}
        keyOf={({ requestId }) => requestId}
        hrefOf={({ requestId }) => requestAt(query, requestId)}
        isSelected={({ requestId }) => requestId === openId}
        isSticky
        columns={columns}
        empty={<NoRequest {...page} />}
      />
      <Below {...page} />
    </>
  );
}

/** Stays away until the island has something to tell; beside an open request, and on older pages, nothing is added. */
function Live({ query, records, openId, since }: LogPageProps) {
  const { live } = useWords(requestsWords);
  const isNewest = query.before === undefined && query.after === undefined && query.to === undefined;
  if (openId !== null || !isNewest) return null;
  const fields = new URLSearchParams(writeQuery(query));
  fields.set('digits', String(digitsFor(records)));
  fields.set('since', since);
  return (
    <>
      <button
        type="button"
        class="button ghost log-live"
        data-tail={`${logPath}/live?${fields}`}
        data-on={live.on}
        data-paused={live.paused}
        data-off={live.off}
        aria-pressed="true"
        hidden
      >
        <State mood="good">{live.on}</State>
      </button>
      <button
        type="button"
        class="button small log-new"
        data-tail-new={live.show(2).replace('2', '#')}
        data-tail-one={live.show(1)}
        data-tail-many={live.showMany}
        hidden
      />
    </>
  );
}

/** How many came when, where there were any. */
export function Bars({ bars }: Pick<LogPageProps, 'bars'>) {
  const words = useWords(requestsWords);
  const { figures } = useSpeech();
  if (bars === null) return null;
  const all = bars.bars.reduce((sum, bar) => sum + bar.all, 0);
  const failed = bars.bars.reduce((sum, bar) => sum + bar.failed, 0);
  if (all === 0) return null;
  return (
    <Histogram
      label={words.histogram(all, failed)}
      bars={bars.bars}
      marks={[
        figures.shortDay(bars.from),
        words.histogram(all, failed),
        bars.lastDay === null ? words.now : figures.shortDay(bars.lastDay),
      ]}
    />
  );
}

function NoRequest({ query, searchedTo }: LogPageProps) {
  const words = useWords(requestsWords);
  if (searchedTo !== null) return null;
  const isNarrowed = writeQuery({ ...query, range: undefined }) !== '';
  const widened =
    query.range === 'all' ? null : listAt(query, { range: 'all', from: undefined, to: undefined });
  const unnarrowed = widened === null ? words.none : words.noneInTime;
  return (
    <Empty
      icon="list"
      title={isNarrowed ? words.noneFits : unnarrowed}
      {...(widened === null ? {} : { action: <LinkButton href={widened}>{words.atAnyTime}</LinkButton> })}
    >
      {isNarrowed ? words.noneFitsDetail : words.noneDetail}
    </Empty>
  );
}

function Below({ query, newerHref, olderHref, searchedTo, records, openId }: LogPageProps) {
  const words = useWords(requestsWords);
  const { figures } = useSpeech();
  const searched = query.after === undefined ? words.searchedBack : words.searchedOn;
  return (
    <div class="log-below">
      <p class="quiet small">
        {searchedTo === null ? null : <span>{searched(figures.moment(searchedTo))} </span>}
        <span>{words.inUtc}</span>
        {records.length === 0 ? null : (
          <Keys>
            <kbd>↑</kbd> <kbd>↓</kbd> {openId === null ? words.keyboard : words.keyboardBeside}
          </Keys>
        )}
      </p>
      {query.before === undefined && query.after === undefined ? null : (
        <a class="link small" href={listAt(query)}>
          {words.newest}
        </a>
      )}
      <Steps previous={newerHref} next={olderHref} />
    </div>
  );
}

/** For who has a keyboard. */
function Keys({ children }: { readonly children?: Child }) {
  return <span class="wide-only"> {children}</span>;
}
