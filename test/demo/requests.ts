/** The requests of the demonstration: when each key asks, for what, how long it took and what came of it. */
import type { Usage } from '../../src/base/token-usage.ts';
import { noUsage } from '../../src/base/token-usage.ts';
import { costNanoUsd, type Model, type PriceVersion } from '../../src/catalogue/index.ts';
import type { AttemptRecord, UsageRecord } from '../../src/usage/index.ts';
import { firstRequestIdAt } from '../../src/usage/time-prefix.ts';
import { Random } from '../fuzz/random.ts';
import type { Draft } from './calendar.ts';
import type { DemoKey, Habit } from './world.ts';

/** A key as the rows of its requests name it. */
export interface PlacedKey extends DemoKey {
  readonly keyId: number;
  readonly userId: number;
  readonly payerId: number;
  readonly exempt: boolean;
  readonly organisationId: number | null;
  readonly departmentId: number | null;
  readonly projectId: number | null;
}

export interface Making {
  readonly seed: number;
  readonly nowMs: number;
  readonly findModel: (name: string) => Model;
}

const endpoints: Record<Habit, string> = {
  agent: '/v1/messages',
  chat: '/v1/chat/completions',
  batch: '/v1/chat/completions',
  embed: '/v1/embeddings',
  listen: '/v1/audio/transcriptions',
  speak: '/v1/audio/speech',
};

/** The same draft makes the same request, whatever came before it. */
export function makeRequest(key: PlacedKey, draft: Draft, { seed, nowMs, findModel }: Making): UsageRecord {
  const random = new Random(seed, draft.number);
  const model = findModel(random.weighted(key.models));
  const fate = fateOf(random, model, nowMs - draft.atMs);
  const streamed = (key.habit === 'agent' || key.habit === 'chat') && random.next() < 0.85;
  const version = priceOf(model);
  const usage = fate.hasAnswer ? usageOf(key.habit, draft, random) : noUsage;
  const used = fate.outcome === 'client_closed' ? shortened(usage, random) : usage;
  const cost = version?.prices == null ? 0n : costNanoUsd(version.prices, used);
  const { attempts, waitedMs, firstByteMs, durationMs } = timesOf(fate, {
    model,
    usage: used,
    streamed,
    random,
  });
  const last = attempts.at(-1);
  const deployment = model.deployments.find(({ provider }) => provider.name === last?.provider);
  return {
    requestId: idOf(draft.atMs, random),
    startedAt: new Date(draft.atMs),
    keyId: key.keyId,
    userId: key.userId,
    payerId: key.payerId,
    organisationId: key.organisationId,
    departmentId: key.departmentId,
    projectId: key.projectId,
    endpoint: endpoints[key.habit],
    model: model.publicId,
    provider: last?.provider ?? null,
    upstreamModel: deployment?.upstreamId ?? null,
    streamed,
    exempt: key.exempt,
    ...labelsOf(key, draft, random),
    ...{ audioMs: 0, characters: 0, rerankUnits: 0, ...used },
    status: fate.status,
    outcome: fate.outcome,
    errorCode: fate.errorCode,
    attempts,
    priceVersionId: version?.id ?? null,
    costNanoUsd: cost,
    chargedNanoUsd: key.exempt ? 0n : cost,
    durationMs: thousandths(durationMs),
    firstByteMs: streamed && fate.hasAnswer ? thousandths(waitedMs + firstByteMs) : null,
    overheadMs: thousandths(0.2 + 0.6 * random.next()),
  };
}

interface Fate {
  readonly status: number;
  readonly outcome: UsageRecord['outcome'];
  readonly errorCode: string | null;
  readonly hasAnswer: boolean;
  /** Providers that failed before, in order, with why. */
  readonly failed: readonly { readonly status: number | null; readonly errorCode: string }[];
}

const hourMs = 3_600_000;
const answered = { status: 200, outcome: 'complete', errorCode: null, hasAnswer: true } as const;

/** Most are answered; a provider was in trouble for three hours six weeks ago, and again yesterday. */
function fateOf(random: Random, model: Model, agoMs: number): Fate {
  const hoursAgo = agoMs / hourMs;
  const provider = model.deployments[0]?.provider.name;
  const isTroubled =
    provider === 'anthropic' && ((hoursAgo > 1000 && hoursAgo < 1003) || (hoursAgo > 25 && hoursAgo < 26.5));
  const trouble = random.pick([
    { status: 529, errorCode: 'upstream_overloaded' },
    { status: 429, errorCode: 'upstream_rate_limited' },
    { status: null, errorCode: 'upstream_unreachable' },
    { status: 500, errorCode: 'upstream_failed' },
  ] as const);
  const hasBackup = model.deployments.length > 1;
  const dice = random.next() - (isTroubled ? 0.8 : 0);
  if (dice < 0.012 && hasBackup) return { ...answered, failed: [trouble] };
  if (dice < 0.018) return refusedBy(trouble.status === 429 ? 503 : 502, trouble);
  if (dice < 0.02) return refusedBy(504, { status: null, errorCode: 'upstream_timeout' });
  if (dice < 0.03) {
    const error = { status: 400, errorCode: 'upstream_refused_request' };
    return { ...refusedBy(400, error), outcome: 'refused' };
  }
  if (dice < 0.037) return { ...answered, status: 200, outcome: 'client_closed', failed: [] };
  return { ...answered, failed: [] };
}

const refusedBy = (
  status: number,
  failure: { readonly status: number | null; readonly errorCode: string },
): Fate => ({
  ...{ status, outcome: 'upstream_failed', errorCode: failure.errorCode, hasAnswer: false },
  failed: [failure],
});

function usageOf(habit: Habit, { turn }: Draft, random: Random): Usage {
  const some = (least: number, most: number) =>
    Math.round(least * (most / least) ** ((random.next() + random.next()) / 2));
  switch (habit) {
    case 'agent': {
      // A session's prompt grows; what was sent before is read from the cache.
      const prompt = Math.min(150_000, 9_000 + turn * some(800, 6_000));
      const fresh = turn === 0 ? prompt : Math.min(prompt, some(300, 5_000));
      const writes = Math.round(fresh * 0.8);
      const counts = {
        inputTokens: fresh - writes,
        cacheReadTokens: prompt - fresh,
        cacheWrite5mTokens: writes,
      };
      return { ...noUsage, ...counts, outputTokens: some(60, 2_400), reasoningTokens: 0 };
    }
    case 'chat': {
      const prompt = some(200, 6_000) + turn * 300;
      const cacheReadTokens = turn > 0 || random.next() < 0.3 ? Math.round(prompt * 0.6) : 0;
      const outputTokens = some(60, 1_500);
      const reasoningTokens = random.next() < 0.25 ? Math.round(outputTokens * 0.5) : 0;
      return {
        ...noUsage,
        inputTokens: prompt - cacheReadTokens,
        cacheReadTokens,
        outputTokens,
        reasoningTokens,
      };
    }
    case 'batch':
      return { ...noUsage, inputTokens: some(800, 9_000), outputTokens: some(40, 700) };
    case 'embed':
      return { ...noUsage, inputTokens: some(300, 8_000) };
    case 'listen':
      return { ...noUsage, audioMs: some(3_000, 240_000) };
    case 'speak':
      return { ...noUsage, characters: some(40, 900) };
  }
}

const shortened = (usage: Usage, random: Random): Usage => ({
  ...usage,
  outputTokens: Math.round(usage.outputTokens * 0.3 * random.next()),
  reasoningTokens: 0,
  estimated: true,
});

interface Timing {
  readonly model: Model;
  readonly usage: Usage;
  readonly streamed: boolean;
  readonly random: Random;
}

function timesOf(fate: Fate, { model, usage, random }: Timing) {
  const attempts: AttemptRecord[] = [];
  let waitedMs = 0;
  for (const [place, failure] of fate.failed.entries()) {
    const provider = model.deployments[place]?.provider;
    if (provider === undefined) break;
    const isLate = failure.errorCode === 'upstream_timeout';
    const latencyMs = thousandths(isLate ? 30_000 : 80 + 900 * random.next() ** 2);
    waitedMs += latencyMs;
    attempts.push({
      provider: provider.name,
      credentialId: provider.credentials[0]?.id ?? null,
      latencyMs,
      ...failure,
    });
  }
  const prompt = usage.inputTokens + usage.cacheWrite5mTokens + usage.cacheReadTokens / 10;
  const firstByteMs = 120 + prompt / 40 + 500 * random.next() ** 3;
  const rate = 60 + 120 * random.next();
  const generatingMs =
    (1000 * usage.outputTokens) / rate + (usage.audioMs ?? 0) / 40 + (usage.characters ?? 0) * 2;
  const provider = model.deployments[attempts.length]?.provider ?? model.deployments[0]?.provider;
  if (fate.hasAnswer && provider !== undefined) {
    const credentialId = provider.credentials[0]?.id ?? null;
    const latencyMs = thousandths(firstByteMs);
    attempts.push({ provider: provider.name, credentialId, status: 200, latencyMs, errorCode: null });
  }
  const durationMs = fate.hasAnswer
    ? waitedMs + firstByteMs + generatingMs
    : Math.max(1 + 4 * random.next(), waitedMs + 2);
  return { attempts, waitedMs, firstByteMs, durationMs };
}

function labelsOf(key: DemoKey, { session }: Draft, random: Random): Pick<UsageRecord, 'labels'> {
  const { tags = [], endUsers } = key;
  const hasSession = key.habit === 'agent' || (key.habit === 'chat' && session % 2 === 0);
  if (!hasSession && tags.length === 0 && endUsers === undefined) return {};
  return {
    labels: {
      sessionId: hasSession ? `${key.name}-${session.toString(36)}` : null,
      endUser: endUsers === undefined ? null : `customer-${Math.floor(endUsers * random.next() ** 2) + 1}`,
      tags,
    },
  };
}

/** The one that held from the beginning, since nobody changed a price. */
function priceOf({ priceVersions, deployments }: Model): PriceVersion | undefined {
  return deployments[0]?.priceVersions.at(-1) ?? priceVersions.at(-1);
}

function idOf(atMs: number, random: Random): string {
  const hex = () => random.below(65_536).toString(16).padStart(4, '0');
  return `${firstRequestIdAt(atMs).slice(0, 14)}7${hex().slice(1)}-8${hex().slice(1)}-${hex()}${hex()}${hex()}`;
}

const thousandths = (ms: number): number => Math.round(ms * 1000) / 1000;
