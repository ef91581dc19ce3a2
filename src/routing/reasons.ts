/** Why somebody is asked or left out, and what is told where that goes by an earlier request. */
import { AppError } from '../base/errors.ts';
import type { Deployment, Model } from '../catalogue/index.ts';
import type { Candidate } from './candidates.ts';
import { spentRetrySeconds } from './failure.ts';
import type { Failing } from './health.ts';

/** Why somebody was asked: the only one, the first in order, by turn of its pool, and so on. */
export type AskedFor =
  | 'only'
  | 'first'
  /** Of the credentials of a provider. */
  | 'turn'
  /** It answered the conversation last. */
  | 'session'
  /** Those before it are known to fail. */
  | 'spared_others'
  | 'retried'
  | 'failed_over'
  /** For the rest of an answer that broke off. */
  | 'rescued'
  /** It is known to fail, and nobody else is left. */
  | 'last_resort';

/** Why a candidate was left out. */
export type PassedFor = 'open' | 'probing' | 'recovering' | 'full' | 'failed_alike';

export interface Passed {
  readonly candidate: Candidate;
  readonly why: PassedFor;
}

/** In which order those are asked who were left out. */
export const lastResorts: readonly PassedFor[] = ['recovering', 'full', 'failed_alike', 'probing', 'open'];

/** In the middle of an answer: nobody says any more what it was. */
export const brokenOff = (errorCode: string): Failing => ({
  blamed: 'deployment',
  error: null,
  ...(errorCode === 'upstream_timeout' ? { isSilent: true } : {}),
});

/** What went wrong the last time, with the time that is left of it. */
export function stillFailing(error: AppError | null, remainingMs: number): AppError {
  const leastSeconds = error?.code === 'upstream_quota_spent' ? spentRetrySeconds : 1;
  return new AppError({
    code: error?.code ?? 'no_provider',
    public: error?.message ?? 'No provider can serve this model at the moment.',
    internal: `not asked: ${error?.internal ?? 'another process saw it fail'}`,
    retryAfterSeconds: Number.isFinite(remainingMs)
      ? Math.max(leastSeconds, Math.ceil(remainingMs / 1000))
      : leastSeconds,
  });
}

/** All that could be asked are at the limits that their settings name. */
export const allFull = (): AppError =>
  new AppError({
    code: 'upstream_rate_limited',
    public: 'The credentials for this model are at the limits that are set for them. Try again in a moment.',
  });

interface Larger {
  /** Undefined where nobody takes longer prompts. */
  readonly next: Candidate | undefined;
  /** Before whom it goes. */
  readonly passed: readonly Passed[];
}

/**
 * Who is asked in place of one in the order for which a prompt was too long: of those after it that take longer ones, the
 * first that nothing speaks against; where something speaks against each, one that recovers, else the first that is not
 * full.
 */
export function findLarger(
  order: readonly Candidate[],
  from: number,
  models: readonly [Model, ...Model[]],
  whyNot: (candidate: Candidate) => PassedFor | null,
): Larger {
  const modelOf = (one: Deployment) =>
    models.find(({ deployments }) => deployments.includes(one)) ?? models[0];
  const windowOf = (one: Deployment) => one.contextWindow ?? modelOf(one).contextWindow ?? 0;
  const passed: Passed[] = [];
  const deployment = order[from]?.deployment;
  if (deployment === undefined) return { next: undefined, passed };
  const full = windowOf(deployment);
  for (const candidate of order.slice(from + 1)) {
    const other = candidate.deployment;
    const window = windowOf(other);
    // Nobody knows which of two models is the larger one.
    const isUnknown = (window === 0 || full === 0) && modelOf(other) !== modelOf(deployment);
    if (window <= full && !isUnknown) continue;
    const why = whyNot(candidate);
    if (why === null) return { next: candidate, passed };
    passed.push({ candidate, why });
  }
  const next = passed.find(({ why }) => why === 'recovering') ?? passed.find(({ why }) => why !== 'full');
  return { next: next?.candidate, passed: [] };
}
