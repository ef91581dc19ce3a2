/** How a request ran, attempt by attempt, as far as its record says. */
import type { StoredUsageRecord } from '../../../usage/index.ts';
import { failuresWords } from '../../languages/failures/index.ts';
import { requestsWords } from '../../languages/requests/index.ts';
import { useSpeech, useWords } from '../../ui/speech.tsx';
import { type Stage, Waterfall } from '../../ui/waterfall.tsx';

interface RequestWaterfallProps {
  readonly record: StoredUsageRecord;
  readonly credentials: ReadonlyMap<number, string>;
}

export function RequestWaterfall({ record, credentials }: RequestWaterfallProps) {
  const { detail: words } = useWords(requestsWords);
  const { figures } = useSpeech();
  const { durationMs, overheadMs } = record;
  const failures: Readonly<Record<string, string>> = useWords(failuresWords);
  const failure = record.errorCode === null ? undefined : failures[record.errorCode];
  const gateMs = Math.min(overheadMs, durationMs);
  const stages: Stage[] = [
    {
      name: words.gateway,
      detail: words.gatewayDetail,
      parts: [{ kind: 'gate', fromMs: 0, toMs: gateMs }],
    },
  ];
  let atMs = gateMs;
  for (const [place, attempt] of record.attemptRecords.entries()) {
    const { provider, status, latencyMs, errorCode, credentialId, pausedMs = 0 } = attempt;
    if (provider === null || latencyMs === null) continue;
    atMs += pausedMs;
    const credential = credentialId === null ? undefined : credentials.get(credentialId);
    const detail = credential === undefined ? {} : { detail: words.credential(credential) };
    const name = `${place + 1} ${provider}`;
    const answeredMs = atMs + latencyMs;
    if (errorCode !== null) {
      const note = status === null ? errorCode : `${status} ${errorCode}`;
      stages.push({
        name,
        ...detail,
        parts: [{ kind: 'fail', fromMs: atMs, toMs: answeredMs }],
        note,
        isFailed: true,
      });
    } else {
      const endMs = Math.max(answeredMs, durationMs);
      const generatingMs = endMs - answeredMs;
      const rate = tokensPerSecond(record);
      const note = rate === null ? null : words.perSecond(figures.decimal(rate, 0));
      stages.push({
        ...{ name, ...detail },
        parts: [
          { kind: 'wait', fromMs: atMs, toMs: answeredMs },
          ...(generatingMs > 0 ? [{ kind: 'stream' as const, fromMs: answeredMs, toMs: endMs }] : []),
        ],
        ...(note === null ? {} : { note }),
      });
    }
    atMs = answeredMs;
  }
  return (
    <>
      <p class="small log-why">{explainChoice(record, words)}</p>
      {failure === undefined ? null : <p class="small log-why">{failure}</p>}
      <Waterfall
        label={words.waterfall(record.attemptRecords.length, figures.span(durationMs))}
        totalMs={Math.max(durationMs, atMs)}
        kinds={words.kinds}
        stages={stages}
      />
    </>
  );
}

type Timed = Pick<
  StoredUsageRecord,
  'durationMs' | 'overheadMs' | 'outputTokens' | 'attemptRecords' | 'streamed'
>;

/** While it was answered: others' attempts and the pauses between them made no token. A whole answer came in its wait. */
export function tokensPerSecond(record: Timed): number | null {
  const { durationMs, overheadMs, outputTokens, attemptRecords, streamed } = record;
  const last = streamed ? 0 : (attemptRecords.at(-1)?.latencyMs ?? 0);
  const waited = attemptRecords.map(({ latencyMs, pausedMs = 0 }) => (latencyMs ?? 0) + pausedMs);
  const before = waited.reduce((sum, ms) => sum + ms, overheadMs) - last;
  return outputTokens > 0 && durationMs > before ? (1000 * outputTokens) / (durationMs - before) : null;
}

interface WhyWords {
  readonly whyFirst: (provider: string) => string;
  readonly whySession: (provider: string) => string;
  readonly whyAgain: (provider: string) => string;
  readonly whyNext: (provider: string, before: string) => string;
  readonly whySpared: (providers: string) => string;
  readonly whyLastResort: (provider: string) => string;
  readonly whyNone: string;
  readonly whyFailedOne: (provider: string) => string;
  readonly whyFailed: string;
}

/**
 * What the record keeps: whom it asked and what came of it, and whom it left out where that was not the usual way.
 * @internal Its test reads the sentences.
 */
export function explainChoice(
  { attemptRecords }: Pick<StoredUsageRecord, 'attemptRecords'>,
  words: WhyWords,
): string {
  const asked = attemptRecords.filter(({ provider }) => provider !== null);
  const answered = asked.find(({ errorCode }) => errorCode === null);
  const spared = new Set(asked.flatMap(({ passed = [] }) => passed.map(({ provider }) => provider)));
  for (const { provider } of asked) spared.delete(provider ?? '');
  const left = spared.size === 0 ? '' : ` ${words.whySpared([...spared].join(', '))}`;
  if (asked.length === 0) return words.whyNone;
  if (answered?.provider == null) {
    const [only = '', ...others] = new Set(asked.map((attempt) => attempt.provider ?? ''));
    return (others.length === 0 ? words.whyFailedOne(only) : words.whyFailed) + left;
  }
  const { provider, why } = answered;
  const before = new Set(asked.slice(0, asked.indexOf(answered)).map((attempt) => attempt.provider ?? ''));
  if (why === 'last_resort') return words.whyLastResort(provider) + left;
  if (before.size === 0)
    return (why === 'session' ? words.whySession(provider) : words.whyFirst(provider)) + left;
  before.delete(provider);
  if (before.size === 0) return words.whyAgain(provider) + left;
  return words.whyNext(provider, [...before].join(', ')) + left;
}
