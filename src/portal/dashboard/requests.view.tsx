/** The newest requests of a person, whichever key they came with. */
import type { StoredUsageRecord } from '../../usage/index.ts';
import { Moment, writeCost, writeCount, writeCounted, writeExactUsd, writeSpan } from '../ui/figures.tsx';

interface RequestsProps {
  readonly requests: readonly StoredUsageRecord[];
  readonly nowMs: number;
}

export function Requests({ requests, nowMs }: RequestsProps) {
  return (
    <section aria-labelledby="requests">
      <h2 id="requests">Latest requests</h2>
      {requests.length === 0 ? (
        <div class="empty">
          <p>No request yet. Send one, then load this page again.</p>
        </div>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Model</th>
              <th scope="col">Status</th>
              <th scope="col" class="number">
                Input tokens
              </th>
              <th scope="col" class="number">
                Output tokens
              </th>
              <th scope="col" class="number">
                Duration
              </th>
              <th scope="col" class="number">
                Cost
              </th>
            </tr>
          </thead>
          <tbody>
            {requests.map((request) => (
              <RequestRow key={request.requestId} request={request} nowMs={nowMs} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function RequestRow({ request, nowMs }: { readonly request: StoredUsageRecord; readonly nowMs: number }) {
  const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = request;
  const input = inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens;
  const units = unitsOf(request);
  return (
    <tr>
      <td class="detail">
        <Moment at={request.startedAt} nowMs={nowMs} />
      </td>
      <td class="name">{request.model}</td>
      <td class="detail">
        <RequestState request={request} />
      </td>
      <td class="number detail" {...(units.length === 0 ? { 'data-unit': 'in' } : {})}>
        <Input tokens={input} units={units} isEstimated={request.estimated} />
      </td>
      <td class="number detail" data-unit="out">
        {units.length > 0 && request.outputTokens === 0 ? null : (
          <Figure text={writeCount(request.outputTokens)} isEstimated={request.estimated} />
        )}
      </td>
      <td class="number detail">{writeSpan(request.durationMs)}</td>
      <td class="number value" title={writeExactUsd(request.costNanoUsd)}>
        {writeCost(request.costNanoUsd)}
      </td>
    </tr>
  );
}

interface InputProps {
  readonly tokens: number;
  readonly units: readonly string[];
  readonly isEstimated: boolean;
}

/** Tokens where there are any, or nothing else is counted. */
function Input({ tokens, units, isEstimated }: InputProps) {
  if (units.length === 0) return <Figure text={writeCount(tokens)} isEstimated={isEstimated} />;
  const parts = tokens === 0 ? units : [writeCounted(tokens, 'token', 'tokens'), ...units];
  return <Figure text={parts.join(', ')} isEstimated={isEstimated} />;
}

function unitsOf({ audioMs, characters, rerankUnits, extras = {} }: StoredUsageRecord): readonly string[] {
  const { web_search: searches = 0, file_search: fileSearches = 0, container = 0, image = 0 } = extras;
  return [
    ...(audioMs === 0 ? [] : [`${writeSpan(audioMs)} of audio`]),
    ...(characters === 0 ? [] : [writeCounted(characters, 'character', 'characters')]),
    ...(rerankUnits === 0 ? [] : [writeCounted(rerankUnits, 'search', 'searches')]),
    ...(searches === 0 ? [] : [writeCounted(searches, 'web search', 'web searches')]),
    ...(fileSearches === 0 ? [] : [writeCounted(fileSearches, 'file search', 'file searches')]),
    ...(container === 0 ? [] : [writeCounted(container, 'container', 'containers')]),
    ...(image === 0 ? [] : [writeCounted(image, 'image', 'images')]),
  ];
}

function Figure({ text, isEstimated }: { readonly text: string; readonly isEstimated: boolean }) {
  if (!isEstimated) return <>{text}</>;
  return <span title="Estimated: the provider sent no count">≈ {text}</span>;
}

/** What was answered is not all: a stream that began with 200 can still have broken. */
function RequestState({ request }: { readonly request: StoredUsageRecord }) {
  const { status, outcome, errorCode } = request;
  const { mood, words } = describeOutcome(outcome, status);
  return (
    <span class={`state ${mood}`} {...(errorCode === null ? {} : { title: errorCode })}>
      {words === '' ? status : `${status} ${words}`}
    </span>
  );
}

function describeOutcome(outcome: string, status: number): { readonly mood: string; readonly words: string } {
  if (outcome === 'client_closed') return { mood: 'warn', words: 'client left' };
  if (outcome === 'interrupted') return { mood: 'bad', words: 'server stopped' };
  if (outcome === 'upstream_failed') return { mood: 'bad', words: 'provider failed' };
  if (outcome === 'refused') return { mood: status < 500 ? 'warn' : 'bad', words: 'refused' };
  return { mood: status < 400 ? 'good' : status < 500 ? 'warn' : 'bad', words: '' };
}
