/** What is known of one provider, deployment, credential or account that failed lately. */
import { AppError, type ErrorCode } from '../base/errors.ts';
import type { Blamed } from './failure.ts';

/** Three failures without an answer between them, or two that had to be waited for. */
export const opensAtScore = 3;
export const silentScore = 2;
/** What is this old counts half: long enough for two silences behind each other. */
const scoreHalfLifeMs = 300_000;
/** Below it a circuit says nothing any more. */
export const negligibleScore = 0.2;

/** How long a circuit stays open at first; twice as long each time that it opens again, up to a bound. */
const openMs: Readonly<Record<Circuit['blamed'], { readonly first: number; readonly longest: number }>> = {
  provider: { first: 2000, longest: 60_000 },
  deployment: { first: 2000, longest: 60_000 },
  // A limit that says nothing about its end is over in a moment.
  account: { first: 1000, longest: 60_000 },
  // A key that was withdrawn, or has no money, waits for people.
  credential: { first: 60_000, longest: 900_000 },
};

/** What other processes are told of a circuit. */
export interface CircuitState {
  readonly blamed: Exclude<Blamed, 'nobody'>;
  /** In milliseconds since the epoch; 0 once it is closed. */
  readonly openUntilMs: number;
  /** How often it has opened in a row. */
  readonly openings: number;
  /** The upstream itself said for how long (`retry-after`). */
  readonly isTold: boolean;
  readonly isSilent: boolean;
  /** What went wrong last. */
  readonly errorCode: ErrorCode | null;
}

export interface Circuit {
  readonly blamed: Exclude<Blamed, 'nobody'>;
  score: number;
  scoredAtMs: number;
  openedAtMs: number;
  /** 0 while it is closed. */
  openUntilMs: number;
  openings: number;
  isTold: boolean;
  isSilent: boolean;
  /** Of the last probe; 0 while nobody probes. */
  probedAtMs: number;
  /** Of the first since it opened; 0 before. What was asked earlier says nothing of now. */
  firstProbedAtMs: number;
  /** 0 unless it recovers. */
  recoveredAtMs: number;
  /** What went wrong last. */
  error: AppError | null;
}

/** What is known against a candidate. */
export interface Trouble {
  readonly condition: Exclude<Condition, 'sound'>;
  readonly blamed: Circuit['blamed'];
  readonly openUntilMs: number;
  /** Asking now would be in vain, or have somebody wait for nothing. */
  readonly isHopeless: boolean;
  readonly error: AppError | null;
}

/** Of which circuits one request finds out, by their names, and since when. */
export interface Probe {
  readonly names: readonly string[];
  readonly atMs: number;
}
export const nothingProbed: Probe = { names: [], atMs: 0 };

/** `due`: it may be asked by one request, which tells for all. */
export type Condition = 'sound' | 'recovering' | 'due' | 'probing' | 'open';

export const severity: Readonly<Record<Condition, number>> = {
  sound: 0,
  recovering: 1,
  due: 2,
  probing: 3,
  open: 4,
};

const forgottenAfterMs = 86_400_000;

/** Nobody has asked whether it works since it might have been asked, a day ago. */
export const isForgotten = ({ openUntilMs }: Circuit, nowMs: number): boolean =>
  openUntilMs > 0 && nowMs - openUntilMs > forgottenAfterMs;

export function forgetProbes(circuit: Circuit): void {
  circuit.probedAtMs = 0;
  circuit.firstProbedAtMs = 0;
}

export const newCircuit = (blamed: Circuit['blamed'], nowMs: number): Circuit => ({
  blamed,
  score: 0,
  scoredAtMs: nowMs,
  openedAtMs: 0,
  openUntilMs: 0,
  openings: 0,
  isTold: false,
  isSilent: false,
  probedAtMs: 0,
  firstProbedAtMs: 0,
  recoveredAtMs: 0,
  error: null,
});

export const scoreAt = ({ score, scoredAtMs }: Circuit, nowMs: number): number =>
  score * 0.5 ** ((nowMs - scoredAtMs) / scoreHalfLifeMs);

export const stateOf = (circuit: Circuit): CircuitState => {
  const { blamed, openUntilMs, openings, isTold, isSilent, error } = circuit;
  return { blamed, openUntilMs, openings, isTold, isSilent, errorCode: error?.code ?? null };
};

/**
 * After how long a probe that nobody has told the end of holds up no other one. Of who was silent it is short: the probe
 * may be long work, while a short request would find that it serves.
 */
export const longestProbeMs = ({ isSilent }: Circuit): number => (isSilent ? 60_000 : 600_000);

/** How long it stays open when nobody has said it. */
export function openingMs({ blamed, openings }: Circuit): number {
  const { first, longest } = openMs[blamed];
  return Math.min(longest, first * 2 ** Math.min(openings, 20));
}

/** The words of the upstream stay with the process that heard them. */
export const errorOf = ({ errorCode: code }: CircuitState): AppError | null =>
  code === null
    ? null
    : new AppError({
        code,
        public: 'No provider can serve this model at the moment.',
        internal: 'another process saw it fail',
      });
