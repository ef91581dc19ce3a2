/** The sheet of one request: how it ran, what it cost line by line, what it used, and what it belongs to. */
import { writeAttoUsd, writeUsd } from '../../../base/money.ts';
import type { LineItem } from '../../../catalogue/index.ts';
import type { StoredUsageRecord } from '../../../usage/index.ts';
import { requestsWords } from '../../languages/requests/index.ts';
import { CopyButton, LinkButton } from '../../ui/button.tsx';
import { Facts } from '../../ui/callout.tsx';
import { Shares } from '../../ui/course.tsx';
import { Sheet, SheetPart } from '../../ui/dialog.tsx';
import { writeExactUsd } from '../../ui/figures.ts';
import { useSpeech, useWords } from '../../ui/speech.tsx';
import { State } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { CodeWord, digitsFor, promptOf, RequestState, unitsOf } from './log-columns.tsx';
import { listAt, logPath, type PageQuery, requestAt, writeQuery } from './log-query.ts';
import type { Bill } from './request-bill.ts';
import { RequestWaterfall, tokensPerSecond } from './request-waterfall.tsx';

export interface DetailProps {
  readonly record: StoredUsageRecord;
  readonly bill: Bill;
  readonly query: PageQuery;
  /** Its neighbours in the list; null at an end. */
  readonly previous: string | null;
  readonly next: string | null;
  /** Others of the same session, newest first; empty where it has none. */
  readonly ofSession: readonly StoredUsageRecord[];
  readonly names: Readonly<
    Record<'key' | 'person' | 'organisation' | 'department' | 'project', string | null>
  >;
  /** By their ids, for who runs the house; empty for others. */
  readonly credentials: ReadonlyMap<number, string>;
}

export function RequestDetail(detail: DetailProps) {
  const { record, query, previous, next } = detail;
  const { detail: words } = useWords(requestsWords);
  const { figures } = useSpeech();
  return (
    <Sheet
      title={record.model}
      overline={
        <>
          <code class="small log-id">{record.requestId}</code>
          <CopyButton text={record.requestId} label={words.copyId} />
        </>
      }
      state={
        <>
          <RequestState request={record} />
          <span class="quiet small number">{figures.moment(record.startedAt)}</span>
        </>
      }
      closeHref={`${logPath}${writeQuery(query)}`}
      previousHref={previous === null ? null : requestAt(query, previous)}
      nextHref={next === null ? null : requestAt(query, next)}
    >
      <Head {...detail} />
      <SheetPart title={words.why} note={whyNote(record, words)}>
        <RequestWaterfall record={record} credentials={detail.credentials} />
      </SheetPart>
      <Cost {...detail} />
      <Tokens {...detail} />
      <Belongs {...detail} />
      <SameSession {...detail} />
      <SheetPart>
        <p class="row">
          <LinkButton size="small" icon="code" href={`${logPath}/${record.requestId}/json`}>
            {words.asJson}
          </LinkButton>
        </p>
      </SheetPart>
    </Sheet>
  );
}

const whyNote = (
  record: StoredUsageRecord,
  words: { readonly streamed: string; readonly whole: string },
): string => (record.streamed ? words.streamed : words.whole);

function Head({ record, names }: DetailProps) {
  const all = useWords(requestsWords);
  const { figures } = useSpeech();
  const { firstByteMs, durationMs } = record;
  const rate = tokensPerSecond(record);
  return (
    <SheetPart>
      <Facts
        items={[
          {
            name: all.cost,
            value: <span title={writeExactUsd(record.costNanoUsd)}>{figures.cost(record.costNanoUsd)}</span>,
          },
          { name: all.first, value: firstByteMs === null ? '–' : figures.span(firstByteMs) },
          { name: all.duration, value: figures.span(durationMs) },
          {
            name: all.detail.throughput,
            value: rate === null ? '–' : all.detail.perSecond(figures.decimal(rate, 0)),
          },
          { name: all.key, value: <code>{names.key ?? `#${record.keyId}`}</code> },
        ]}
      />
    </SheetPart>
  );
}

function Cost({ record, bill }: DetailProps) {
  const { detail: words, meters, cost } = useWords(requestsWords);
  const { figures } = useSpeech();
  const { lines, isPriced } = bill;
  const meterNames: Readonly<Record<string, string>> = meters;
  const nameOf = ({ meter }: LineItem) => meterNames[meter] ?? meter;
  const [total = '', ...amounts] = figures.exactColumn([
    writeUsd(record.costNanoUsd),
    ...(lines ?? []).map(({ amountAttoUsd }) => writeAttoUsd(amountAttoUsd)),
  ]);
  // Nothing was used, and nothing has to be explained.
  if (lines?.length === 0 && record.costNanoUsd === 0n && record.rerated === undefined) return null;
  return (
    <SheetPart title={cost}>
      {lines === null || lines.length === 0 ? null : (
        <Table<LineItem>
          caption={cost}
          rows={lines}
          keyOf={({ meter }) => meter}
          empty={null}
          totals={{ line: words.total, amount: total }}
          columns={[
            { key: 'line', label: words.costLine, cell: nameOf },
            {
              key: 'quantity',
              label: words.quantity,
              isNumber: true,
              cell: ({ quantity }) => figures.count(quantity),
            },
            {
              key: 'price',
              label: words.perMillion,
              isNumber: true,
              cell: ({ nanoUsdPerMillion }) => <span class="quiet">{figures.price(nanoUsdPerMillion)}</span>,
            },
            {
              key: 'amount',
              label: words.amount,
              isNumber: true,
              cell: (line) => amounts[lines.indexOf(line)],
            },
          ]}
        />
      )}
      <p class="quiet small">
        {lines === null ? (isPriced ? words.noPrice : words.unpriced) : words.rounded}{' '}
        {chargedNote(record, words)}
      </p>
      {record.rerated === undefined ? null : (
        <p class="small">
          <State mood="warn">
            {words.rerated(figures.moment(record.rerated.at), figures.cost(record.rerated.costNanoUsd))}
          </State>
        </p>
      )}
    </SheetPart>
  );
}

function chargedNote(
  { exempt, costNanoUsd, chargedNanoUsd }: StoredUsageRecord,
  words: { readonly notCharged: string; readonly chargedLess: string },
): string {
  if (costNanoUsd === chargedNanoUsd) return '';
  return exempt || chargedNanoUsd === 0n ? words.notCharged : words.chargedLess;
}

function Tokens({ record }: DetailProps) {
  const all = useWords(requestsWords);
  const { figures } = useSpeech();
  const { parts, cacheShare, tokens } = all.detail;
  const counts = [
    { name: parts.cacheRead, amount: record.cacheReadTokens },
    { name: parts.input, amount: record.inputTokens },
    { name: parts.cacheWrite, amount: record.cacheWrite5mTokens + record.cacheWrite1hTokens },
    { name: parts.reasoning, amount: record.reasoningTokens },
    { name: parts.output, amount: record.outputTokens - record.reasoningTokens },
  ].filter(({ amount }) => amount > 0);
  const units = unitsOf(record, all, figures);
  if (counts.length === 0 && units.length === 0) return null;
  const whole = counts.reduce((sum, { amount }) => sum + amount, 0);
  const prompt = promptOf(record);
  return (
    <SheetPart title={tokens} note={[...(whole === 0 ? [] : [figures.count(whole)]), ...units].join(', ')}>
      {counts.length === 0 ? null : (
        <Shares
          label={tokens}
          parts={counts.map(({ name, amount }) => ({ name, amount, written: figures.count(amount) }))}
        />
      )}
      <p class="quiet small">
        {record.estimated ? `${all.estimated}. ` : ''}
        {record.cacheReadTokens === 0 ? '' : cacheShare(figures.percent(record.cacheReadTokens / prompt))}
      </p>
    </SheetPart>
  );
}

function Belongs({ record, names, query }: DetailProps) {
  const { detail: words, filters } = useWords(requestsWords);
  const { figures } = useSpeech();
  const { labels } = record;
  const find = (field: keyof PageQuery, value: string | number, text: string) => (
    <a class="link" href={listAt({ range: query.range, from: query.from, to: query.to }, { [field]: value })}>
      {text}
    </a>
  );
  const given = (items: readonly { name: string; value: unknown }[]) =>
    items.filter(({ value }) => value !== null && value !== undefined && value !== '') as Parameters<
      typeof Facts
    >[0]['items'];
  return (
    <SheetPart title={words.facts}>
      <Facts
        items={given([
          { name: words.endpoint, value: <code>{record.endpoint}</code> },
          {
            name: words.upstreamModel,
            value: record.upstreamModel === null ? null : <code>{record.upstreamModel}</code>,
          },
          { name: words.owner, value: names.person },
          { name: words.organisation, value: names.organisation },
          { name: words.department, value: names.department },
          { name: words.project, value: names.project },
          {
            name: words.error,
            value: record.errorCode === null ? null : <CodeWord word={record.errorCode} />,
          },
          { name: words.overhead, value: figures.span(record.overheadMs) },
          {
            name: filters.endUser,
            value: labels?.endUser == null ? null : find('end_user', labels.endUser, labels.endUser),
          },
          {
            name: words.tags,
            value:
              labels === undefined || labels.tags.length === 0
                ? null
                : labels.tags.map((tag, place) => (
                    <>
                      {place === 0 ? '' : ', '}
                      {find('tag', tag, tag)}
                    </>
                  )),
          },
        ])}
      />
    </SheetPart>
  );
}

function SameSession({ record, ofSession, query }: DetailProps) {
  const { detail: words } = useWords(requestsWords);
  const { figures } = useSpeech();
  const session = record.labels?.sessionId ?? null;
  if (session === null) return null;
  const digits = digitsFor(ofSession);
  return (
    <SheetPart title={words.sameSession}>
      <p class="row">
        <code class="small log-id">{session}</code>
        <CopyButton text={session} label={words.copySession} />
      </p>
      <ul class="log-session">
        {ofSession.map((each) => (
          <li>
            <a
              href={requestAt(query, each.requestId)}
              {...(each.requestId === record.requestId ? { 'aria-current': 'true' } : {})}
            >
              <span class="quiet number">{each.startedAt.toISOString().slice(11, 19)}</span>
              <span>{each.model}</span>
              <RequestState request={each} />
              <span class="number">{figures.usdTo(each.costNanoUsd, digits)}</span>
            </a>
          </li>
        ))}
      </ul>
      <a class="link small" href={listAt({ range: 'all' }, { session })}>
        {words.allOfSession}
      </a>
    </SheetPart>
  );
}
