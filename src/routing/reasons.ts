/** Why somebody is asked or left out, and what is told where that goes by an earlier request. */
import { AppError } from '../base/errors.ts';
import type { Candidate } from './candidates.ts';
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
  /** It is known to fail, and nobody else is left. */
  | 'last_resort';

/** Why a candidate was left out. */
export type PassedFor = 'open' | 'probing' | 'recovering' | 'failed_alike';

export interface Passed {
  readonly candidate: Candidate;
  readonly why: PassedFor;
}

/** In which order those are asked who were left out. */
export const lastResorts: readonly PassedFor[] = ['recovering', 'failed_alike', 'probing', 'open'];

/** In the middle of an answer: nobody says any more what it was. */
export const brokenOff = (errorCode: string): Failing => ({
  blamed: 'deployment',
  error: null,
  ...(errorCode === 'upstream_timeout' ? { isSilent: true } : {}),
});

/** What went wrong the last time, with the time that is left of it. */
export function stillFailing(error: AppError | null, remainingMs: number): AppError {
  return new AppError({
    code: error?.code ?? 'no_provider',
    public: error?.message ?? 'No provider can serve this model at the moment.',
    internal: `not asked: ${error?.internal ?? 'another process saw it fail'}`,
    retryAfterSeconds: Math.max(1, Math.ceil(remainingMs / 1000)),
  });
}
