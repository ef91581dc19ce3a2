/** The newest requests of a person, whichever key they came with. */
import type { StoredUsageRecord } from '../../usage/index.ts';
import type { DashboardWords } from '../languages/dashboard/en.ts';
import { dashboardWords } from '../languages/dashboard/index.ts';
import { homeWords } from '../languages/home/index.ts';
import { Empty } from '../ui/callout.tsx';
import { type Figures, writeExactUsd } from '../ui/figures.ts';
import { wayTo } from '../ui/navigation.ts';
import { Moment, useSpeech, useWords } from '../ui/speech.tsx';
import { type Mood, State, Tag } from '../ui/state.tsx';
import { Table } from '../ui/table.tsx';

interface RequestsProps {
  readonly requests: readonly StoredUsageRecord[];
  /** Of their keys, by id. */
  readonly keyNames: ReadonlyMap<number, string>;
  readonly nowMs: number;
}

export function Requests({ requests, keyNames, nowMs }: RequestsProps) {
  const words = useWords(dashboardWords).requests;
  const { latest } = useWords(homeWords);
  const { figures } = useSpeech();
  const writeCost = figures.costsLike(requests.map(({ costNanoUsd }) => costNanoUsd));
  return (
    <section class="section" id="requests" aria-labelledby="requests-title">
      <div class="section-head">
        <h2 id="requests-title">{words.title}</h2>
        {requests.length === 0 ? null : (
          <a class="link small" href={wayTo('requests')}>
            {latest.all}
          </a>
        )}
      </div>
      <Table
        caption={words.title}
        rows={requests}
        keyOf={({ requestId }) => requestId}
        empty={
          <Empty icon="list" title={words.none}>
            {words.noneDetail}
          </Empty>
        }
        columns={[
          {
            key: 'time',
            label: words.time,
            cell: ({ startedAt }) => (
              <span class="quiet">
                <Moment at={startedAt} nowMs={nowMs} />
              </span>
            ),
          },
          {
            key: 'status',
            label: words.status,
            phone: 'state',
            cell: (request) => <RequestState request={request} />,
          },
          { key: 'model', label: words.model, phone: 'name', cell: ({ model }) => model },
          {
            key: 'provider',
            label: words.provider,
            leaves: 'first',
            cell: ({ provider, attempts }) => <Provider provider={provider} attempts={attempts} />,
          },
          {
            key: 'key',
            label: words.key,
            leaves: 'first',
            cell: ({ keyId }) => keyNames.get(keyId) ?? <span class="quiet">–</span>,
          },
          {
            key: 'input',
            label: words.input,
            isNumber: true,
            phone: 'detail',
            cell: (request) => writeInput(request, words, figures),
          },
          {
            key: 'output',
            label: words.output,
            isNumber: true,
            leaves: 'next',
            cell: (request) => writeOutput(request, words, figures),
          },
          {
            key: 'cached',
            label: words.cached,
            isNumber: true,
            leaves: 'first',
            cell: ({ cacheReadTokens }) => (cacheReadTokens === 0 ? null : figures.count(cacheReadTokens)),
          },
          {
            key: 'first',
            label: words.firstToken,
            isNumber: true,
            leaves: 'first',
            cell: ({ firstByteMs }) => (firstByteMs === null ? null : figures.span(firstByteMs)),
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
            cell: ({ costNanoUsd }) => writeCost(costNanoUsd),
          },
        ]}
      />
    </section>
  );
}

/** Whom the answer came from, and whether it was the first that was asked. */
function Provider({ provider, attempts }: Pick<StoredUsageRecord, 'provider' | 'attempts'>) {
  const words = useWords(dashboardWords).requests;
  if (provider === null) return <span class="quiet">–</span>;
  return (
    <>
      {provider}
      {attempts > 1 ? <Tag title={words.attempts(attempts)}>{`${attempts}.`}</Tag> : null}
    </>
  );
}

type Words = DashboardWords['requests'];

/** Tokens where there are any, or nothing else is counted; a narrow page says their unit. */
function writeInput(request: StoredUsageRecord, words: Words, figures: Figures) {
  const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens, estimated } = request;
  const tokens = inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens;
  const units = unitsOf(request, words, figures);
  if (units.length > 0) {
    const parts = tokens === 0 ? units : [words.tokens(tokens), ...units];
    return <Amount text={parts.join(', ')} isEstimated={estimated} />;
  }
  const text = figures.count(tokens);
  return (
    <>
      <span class="wide-only">
        <Amount text={text} isEstimated={estimated} />
      </span>
      <span class="narrow-only">
        <Amount text={words.tokensIn(text)} isEstimated={estimated} />
        {`, ${words.tokensOut(figures.count(request.outputTokens))}`}
      </span>
    </>
  );
}

function writeOutput(request: StoredUsageRecord, words: Words, figures: Figures) {
  const { outputTokens, estimated } = request;
  if (outputTokens === 0 && unitsOf(request, words, figures).length > 0) return null;
  return <Amount text={figures.count(outputTokens)} isEstimated={estimated} />;
}

function unitsOf(request: StoredUsageRecord, words: Words, figures: Figures): readonly string[] {
  const { audioMs, characters, rerankUnits, extras = {} } = request;
  const { web_search: searches = 0, file_search: fileSearches = 0, container = 0, image = 0 } = extras;
  return [
    ...(audioMs === 0 ? [] : [words.audio(figures.span(audioMs))]),
    ...(characters === 0 ? [] : [words.characters(characters)]),
    ...(rerankUnits === 0 ? [] : [words.searches(rerankUnits)]),
    ...(searches === 0 ? [] : [words.webSearches(searches)]),
    ...(fileSearches === 0 ? [] : [words.fileSearches(fileSearches)]),
    ...(container === 0 ? [] : [words.containers(container)]),
    ...(image === 0 ? [] : [words.images(image)]),
  ];
}

function Amount({ text, isEstimated }: { readonly text: string; readonly isEstimated: boolean }) {
  const words = useWords(dashboardWords).requests;
  if (!isEstimated) return <>{text}</>;
  return <span title={words.estimated}>≈ {text}</span>;
}

/** What was answered is not all: a stream that began with 200 can still have broken. */
function RequestState({ request }: { readonly request: StoredUsageRecord }) {
  const words = useWords(dashboardWords).requests;
  const { status, outcome, errorCode } = request;
  const { mood, name } = describeOutcome(outcome, status);
  return (
    <State mood={mood} title={errorCode ?? undefined}>
      {name === null ? status : `${status} ${words[name]}`}
    </State>
  );
}

interface Outcome {
  readonly mood: Mood;
  readonly name: 'clientLeft' | 'serverStopped' | 'providerFailed' | 'refused' | null;
}

function describeOutcome(outcome: string, status: number): Outcome {
  if (outcome === 'client_closed') return { mood: 'warn', name: 'clientLeft' };
  if (outcome === 'interrupted') return { mood: 'bad', name: 'serverStopped' };
  if (outcome === 'upstream_failed') return { mood: 'bad', name: 'providerFailed' };
  if (outcome === 'refused') return { mood: status < 500 ? 'warn' : 'bad', name: 'refused' };
  return { mood: status < 400 ? 'good' : status < 500 ? 'warn' : 'bad', name: null };
}
