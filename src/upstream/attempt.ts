/** One try at one provider: what comes of it, what a thrown error means, and what the try has to report. */
import { BodyTooLargeError } from '../base/bounded-body.ts';
import { AppError, type ErrorCode } from '../base/errors.ts';
import { FrameTooLargeError } from '../base/sse.ts';
import { RenewalFailedError } from '../catalogue/index.ts';
import { ComplaintError, UnreadableAnswerError } from '../protocols/translator.ts';
import {
  busyFailure,
  type Candidate,
  invalidAnswerFailure,
  refusalFailure,
  renewalFailure,
  type UpstreamFailure,
  unservableFailure,
} from '../routing/index.ts';
import { UpstreamFailedError } from './ask.ts';
import { UpstreamCall } from './call.ts';
import type { CallOptions, UpstreamServices, UpstreamTimeouts } from './services.ts';

/** Enough to tell afterwards who was asked and what came of it; never a secret, never content. */
export interface AttemptReport {
  readonly provider: string;
  /** Which of the provider's credentials was used; null where it needs none. */
  readonly credentialId: number | null;
  /** The status that the provider answered with; null when no answer came. */
  readonly status: number | null;
  /** Until the answer was there, or its first content, or the failure. */
  readonly latencyMs: number;
  /** Null for an answer. */
  readonly errorCode: ErrorCode | null;
}

export type AttemptResult<Answer> =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly report: AttemptReport }
  | {
      readonly kind: 'failure';
      readonly failure: UpstreamFailure;
      /** Null when the provider was not asked at all. */
      readonly report: AttemptReport | null;
      /** Host and path of what was asked last, for the log; null when nothing was. */
      readonly askedAt: string | null;
    }
  /** Whoever asked has gone. */
  | Abandoned<Answer>;

export interface Abandoned<Answer> {
  readonly kind: 'abandoned';
  readonly report: AttemptReport;
  /** A whole one can come all the same. */
  readonly answer: Answer | null;
  /** Whether the provider has what was asked, and will charge for it. */
  isWithProvider(): Promise<boolean>;
}

export interface AttemptOptions extends CallOptions {
  readonly candidate: Candidate;
  readonly services: UpstreamServices;
}

/**
 * Never throws: what the network or the provider does wrong is a failure. A secret that the provider does not take is
 * renewed once, where its kind can be, and the work is done again.
 * @param work asks by the call and reads what comes, up to the first content of a stream.
 */
export async function attempt<Answer>(
  options: AttemptOptions,
  work: (call: UpstreamCall) => Promise<Answer>,
): Promise<AttemptResult<Answer>> {
  const call = callOf(options);
  try {
    return answered(call, await work(call));
  } catch (thrown) {
    return again(call, thrown, work);
  }
}

/** What a refused secret spoilt is done once more; everything else ends the attempt. */
async function again<Answer>(
  call: UpstreamCall,
  thrown: unknown,
  work: (call: UpstreamCall) => Promise<Answer>,
): Promise<AttemptResult<Answer>> {
  let failure = failureOf(thrown, call);
  let wasCut = call.isCancelled;
  try {
    if (failure.isUnauthorised === true && (await call.renewSecret())) {
      return answered(call, await work(call));
    }
  } catch (thrownAgain) {
    failure = failureOf(thrownAgain, call);
    wasCut = call.isCancelled;
  }
  call.cancel();
  if (call.hasLostAsker()) return abandoned(call, { answer: null, wasCut });
  const wasAsked = failure.isUnasked !== true || call.status !== null;
  const report = wasAsked ? reportOf(call, failure.error.code) : null;
  return { kind: 'failure', failure, report, askedAt: placeOf(call.askedUrl) };
}

/** Without the query, where some vendors' keys stand. */
function placeOf(url: string | null): string | null {
  const parsed = url === null ? null : URL.parse(url);
  return parsed === null ? null : `${parsed.host}${parsed.pathname}`;
}

function answered<Answer>(call: UpstreamCall, answer: Answer): AttemptResult<Answer> {
  if (!call.isHandedOver) call.close();
  if (call.isCancelled && call.hasLostAsker()) return abandoned(call, { answer: null, wasCut: true });
  if (call.isLingering) return abandoned(call, { answer, wasCut: false });
  return { kind: 'answer', answer, report: reportOf(call, null) };
}

function abandoned<Answer>(
  call: UpstreamCall,
  { answer, wasCut }: { answer: Answer | null; wasCut: boolean },
): Abandoned<Answer> {
  // A provider that failed by itself charges nothing.
  const isWithProvider = async () => wasCut && call.isWithProvider();
  return { kind: 'abandoned', report: reportOf(call, 'client_closed'), answer, isWithProvider };
}

function reportOf(
  { candidate, status, elapsedMs }: UpstreamCall,
  errorCode: ErrorCode | null,
): AttemptReport {
  return {
    provider: candidate.deployment.provider.name,
    credentialId: candidate.credential?.id ?? null,
    status,
    // To the microsecond: finer is noise.
    latencyMs: Math.round(elapsedMs * 1000) / 1000,
    errorCode,
  };
}

function failureOf(thrown: unknown, call: UpstreamCall): UpstreamFailure {
  if (thrown instanceof UpstreamFailedError) return thrown.failure;
  if (thrown instanceof RenewalFailedError) return renewalFailure(thrown, thrown.waitMs);
  if (thrown instanceof AppError)
    return thrown.code === 'server_busy' ? busyFailure(thrown) : unservableFailure(thrown);
  if (thrown instanceof UnreadableAnswerError) return invalidAnswerFailure(thrown.message);
  if (thrown instanceof ComplaintError) {
    const { secret, nowMs } = call;
    return refusalFailure({ status: 200, complaint: thrown.complaint, secret, nowMs });
  }
  if (thrown instanceof BodyTooLargeError) return invalidAnswerFailure(thrown.message);
  if (thrown instanceof FrameTooLargeError) return invalidAnswerFailure(thrown.message);
  return call.failureOf(thrown);
}

function callOf(options: AttemptOptions): UpstreamCall {
  const { candidate, services } = options;
  return new UpstreamCall(candidate, services, timeoutsOf(candidate, services.timeouts), options);
}

/** A provider may have times of its own. */
function timeoutsOf(candidate: Candidate, defaults: UpstreamTimeouts): UpstreamTimeouts {
  const own = candidate.deployment.provider.settings['timeoutsMs'];
  if (typeof own !== 'object' || own === null) return defaults;
  return {
    connectMs: readMs(own, 'connect') ?? defaults.connectMs,
    firstByteMs: readMs(own, 'firstByte') ?? defaults.firstByteMs,
    failOverMs: readMs(own, 'failOver') ?? readMs(own, 'firstByte') ?? defaults.failOverMs,
    wholeAnswerMs: readMs(own, 'wholeAnswer') ?? defaults.wholeAnswerMs,
    idleMs: readMs(own, 'idle') ?? defaults.idleMs,
  };
}

function readMs(own: object, name: string): number | null {
  const value: unknown = Reflect.get(own, name);
  return typeof value === 'number' && value > 0 ? value : null;
}
