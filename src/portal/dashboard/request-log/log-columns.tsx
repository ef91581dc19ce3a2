/** The columns of the request log, and how a request's state, tokens and cost are written in them. */
import type { StoredUsageRecord } from '../../../usage/index.ts';
import type { RequestsWords } from '../../languages/requests/en.ts';
import { requestsWords } from '../../languages/requests/index.ts';
import { type Figures, writeExactUsd } from '../../ui/figures.ts';
import { useSpeech, useWords } from '../../ui/speech.tsx';
import { type Mood, State, Tag } from '../../ui/state.tsx';
import type { Column } from '../../ui/table.tsx';

export interface LogNames {
  readonly keys: ReadonlyMap<number, string>;
}

interface Written {
  readonly words: RequestsWords;
  readonly figures: Figures;
  readonly names: LogNames;
  /** Behind the point, in the whole column. */
  readonly digits: CostDigits;
}

export type CostDigits = 2 | 4 | 6;

/** As many digits as tell most of the amounts apart. */
export function digitsFor(records: readonly Pick<StoredUsageRecord, 'costNanoUsd'>[]): CostDigits {
  const paid = records
    .map(({ costNanoUsd }) => costNanoUsd)
    .filter((cost) => cost > 0n)
    .sort((one, other) => (one < other ? -1 : 1));
  const middle = paid[Math.floor(paid.length / 2)] ?? 0n;
  if (middle >= 1_000_000_000n) return 2;
  return middle >= 10_000_000n || middle === 0n ? 4 : 6;
}

/** Whether anything of an amount is left: rows that come later can be far cheaper than those by which digits were chosen. */
const isShownBy = (digits: CostDigits, costNanoUsd: bigint): boolean =>
  costNanoUsd * 2n >= 10n ** BigInt(9 - digits);

/** @param isNarrow beside a sheet, where there is room for what tells requests apart. */
function logColumns(written: Written, isNarrow: boolean): readonly Column<StoredUsageRecord>[] {
  const { words, figures, names, digits } = written;
  const all: readonly Column<StoredUsageRecord>[] = [
    {
      key: 'time',
      label: words.time,
      phone: 'detail',
      title: ({ startedAt }) => figures.moment(startedAt),
      cell: ({ startedAt }) => (
        <time class="quiet number log-when" datetime={startedAt.toISOString()}>
          {clockOf(startedAt, figures)}
        </time>
      ),
    },
    {
      key: 'status',
      label: words.status,
      phone: 'state',
      cell: (request) => (
        <span class="log-status">
          <RequestState request={request} />
        </span>
      ),
    },
    { key: 'model', label: words.model, phone: 'name', cell: ({ model }) => model },
    {
      key: 'provider',
      label: words.provider,
      leaves: 'next',
      cell: ({ provider, attempts }) => (
        <>
          {provider ?? <span class="quiet">–</span>}{' '}
          {attempts > 1 ? <Tag title={words.attempts(attempts)}>{words.attempt(attempts)}</Tag> : null}
        </>
      ),
    },
    {
      key: 'key',
      label: words.key,
      leaves: 'first',
      cell: ({ keyId }) => <code>{names.keys.get(keyId) ?? `#${keyId}`}</code>,
    },
    {
      key: 'tokens',
      label: words.tokens,
      isNumber: true,
      leaves: 'next',
      cell: (request) => <Counted request={request} words={words} figures={figures} />,
    },
    {
      key: 'cached',
      label: words.cached,
      isNumber: true,
      leaves: 'first',
      title: ({ cacheReadTokens }) => figures.count(cacheReadTokens),
      cell: (request) => {
        const prompt = promptOf(request);
        if (request.cacheReadTokens === 0) return <span class="quiet">–</span>;
        return figures.percent(request.cacheReadTokens / prompt, 0);
      },
    },
    {
      key: 'first',
      label: words.first,
      isNumber: true,
      leaves: 'first',
      cell: ({ firstByteMs }) =>
        firstByteMs === null ? <span class="quiet">–</span> : figures.span(firstByteMs),
    },
    {
      key: 'duration',
      label: words.duration,
      isNumber: true,
      leaves: 'next',
      cell: ({ durationMs }) => figures.span(durationMs),
    },
    {
      key: 'cost',
      label: words.cost,
      isNumber: true,
      phone: 'value',
      title: ({ costNanoUsd }) => writeExactUsd(costNanoUsd),
      cell: ({ costNanoUsd }) =>
        costNanoUsd === 0n ? (
          <span class="quiet">{figures.usdTo(0n, digits)}</span>
        ) : (
          figures.usdTo(costNanoUsd, isShownBy(digits, costNanoUsd) ? digits : 6)
        ),
    },
  ];
  return isNarrow ? all.filter(({ key }) => narrowKeys.has(key)) : all;
}

const narrowKeys: ReadonlySet<string> = new Set(['time', 'status', 'model', 'first', 'cost']);

/** The day is in its title, and in the list where it changes. */
const clockOf = (at: Date, figures: Figures): string =>
  `${figures.shortDay(at)}, ${at.toISOString().slice(11, 19)}`;

export const promptOf = (request: StoredUsageRecord): number =>
  request.inputTokens + request.cacheReadTokens + request.cacheWrite5mTokens + request.cacheWrite1hTokens;

interface CountedProps {
  readonly request: StoredUsageRecord;
  readonly words: RequestsWords;
  readonly figures: Figures;
}

/** Tokens where there are any, and what else is counted. */
function Counted({ request, words, figures }: CountedProps) {
  const units = unitsOf(request, words, figures);
  const prompt = promptOf(request);
  const tokens = `${figures.count(prompt)} → ${figures.count(request.outputTokens)}`;
  const hasTokens = prompt + request.outputTokens > 0;
  if (!hasTokens && units.length === 0) return <span class="quiet">–</span>;
  const text = [...(hasTokens ? [tokens] : []), ...units].join(', ');
  return (
    <span title={request.estimated ? words.estimated : undefined}>
      {request.estimated ? `≈ ${text}` : text}
    </span>
  );
}

export function unitsOf(
  { audioMs, characters, rerankUnits, extras = {} }: StoredUsageRecord,
  { units }: RequestsWords,
  figures: Figures,
): readonly string[] {
  const { web_search: searches = 0, file_search: fileSearches = 0, container = 0, image = 0 } = extras;
  return [
    ...(audioMs === 0 ? [] : [units.audio(figures.span(audioMs))]),
    ...(characters === 0 ? [] : [units.characters(characters)]),
    ...(rerankUnits === 0 ? [] : [units.searches(rerankUnits)]),
    ...(searches === 0 ? [] : [units.webSearches(searches)]),
    ...(fileSearches === 0 ? [] : [units.fileSearches(fileSearches)]),
    ...(container === 0 ? [] : [units.containers(container)]),
    ...(image === 0 ? [] : [units.images(image)]),
  ];
}

/** What was answered is not all: a stream that began with 200 can still have broken. */
export function RequestState({ request }: { readonly request: StoredUsageRecord }) {
  const { outcomes } = useWords(requestsWords);
  const { status, outcome, errorCode } = request;
  const { mood, name } = describeOutcome(outcome, status);
  return (
    <State
      mood={mood}
      title={
        [name === null ? null : outcomes[name], errorCode].filter((part) => part !== null).join(': ') ||
        undefined
      }
    >
      {status}
      {name === 'refused' || name === null ? null : <span class="small"> {outcomes[name]}</span>}
    </State>
  );
}

interface Outcome {
  readonly mood: Mood;
  readonly name: keyof RequestsWords['outcomes'] | null;
}

function describeOutcome(outcome: string, status: number): Outcome {
  if (outcome === 'client_closed') return { mood: 'warn', name: 'clientLeft' };
  if (outcome === 'interrupted') return { mood: 'bad', name: 'serverStopped' };
  if (outcome === 'upstream_failed') return { mood: 'bad', name: 'providerFailed' };
  if (outcome === 'refused') return { mood: status < 500 ? 'warn' : 'bad', name: 'refused' };
  return { mood: status < 400 ? 'good' : status < 500 ? 'warn' : 'bad', name: null };
}

interface ColumnsAsked {
  readonly names: LogNames;
  readonly isNarrow: boolean;
  /** Where other rows have them already. */
  readonly digits?: CostDigits;
}

/** Within a component. */
export function useLogColumns(
  records: readonly StoredUsageRecord[],
  { names, isNarrow, digits }: ColumnsAsked,
): readonly Column<StoredUsageRecord>[] {
  const words = useWords(requestsWords);
  const { figures } = useSpeech();
  return logColumns({ words, figures, names, digits: digits ?? digitsFor(records) }, isNarrow);
}

/** Where there is no room for it, it goes on in another line behind an underscore. */
export const CodeWord = ({ word }: { readonly word: string }) => (
  <code>
    {word.split(/(?<=_)/).map((part) => (
      <>
        {part}
        <wbr />
      </>
    ))}
  </code>
);
