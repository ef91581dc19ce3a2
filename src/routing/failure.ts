/** What went wrong with an upstream, what the caller is told of it, and whether the next provider may be tried. */
import { AppError, asAppError, type ErrorCode } from '../base/errors.ts';
import { mostComplaintCharacters, type UpstreamComplaint } from '../protocols/translator.ts';
import { isOwnReference, type Meaning, readToldSeconds, readVendorWords } from './vendor-words.ts';
import { withoutCredential } from './without-credential.ts';

/**
 * Of whom a failure tells something that holds for the next request too: the whole provider, the model there, the
 * credential, or the credential with this model. Nobody where the request is at fault, or we are.
 */
export type Blamed = 'provider' | 'deployment' | 'credential' | 'account' | 'nobody';

export interface UpstreamFailure {
  readonly error: AppError;
  readonly blamed: Blamed;
  /** The upstream said how long it will go on; null where it did not. */
  readonly toldMs?: number | null;
  /** It took its time to fail: whoever asks again waits again. */
  readonly isSilent?: true;
  /** False when another provider would say the same, because the request itself is at fault. */
  readonly canFailOver: boolean;
  /** Whether the same provider deserves one more try, and how soon. Null where it would say the same. */
  readonly retry: Retry | null;
  /** The upstream did not know the credential, where a new one may be known. */
  readonly isUnauthorised?: true;
  /** The upstream was not even asked. */
  readonly isUnasked?: true;
  /** Other credentials of the deployment would do no better in this request, although nobody is to blame. */
  readonly isAlike?: true;
}

export interface Retry {
  readonly afterMs: number;
  /** Only where nobody else is left to ask: another provider answers sooner than one that has just failed. */
  readonly isLastResort: boolean;
}

/** A connection that broke before any answer says nothing about the provider. */
const atOnce: Retry = { afterMs: 0, isLastResort: false };

/** Long enough for a load balancer to look elsewhere, short enough that nobody notices. */
const soon: Retry = { afterMs: 300, isLastResort: true };

/** A person waits this long without wondering; a provider that wants more is told to the caller. */
export const longestPauseMs = 2000;

interface FailureDetail {
  readonly code: ErrorCode;
  readonly public: string;
  readonly internal?: string;
  readonly cause?: unknown;
  readonly param?: string;
  readonly retryAfterSeconds?: number;
}

const moveOn = (blamed: Blamed, detail: FailureDetail): UpstreamFailure => ({
  error: new AppError(detail),
  blamed,
  canFailOver: true,
  retry: null,
});

const giveUp = (detail: FailureDetail): UpstreamFailure => ({
  ...moveOn('nobody', detail),
  canFailOver: false,
});

/**
 * A connection that could not be made or broke. What no network does is our own fault, and no provider's.
 * @param hadAnswer the upstream had begun to answer, so that asking it again would be paid for twice.
 */
export function connectionFailure(cause: unknown, { hadAnswer }: { hadAnswer: boolean }): UpstreamFailure {
  if (!isNetworkError(cause)) return ours(asAppError(cause));
  const failure = moveOn(hadAnswer ? 'deployment' : 'provider', {
    code: 'upstream_unreachable',
    public: 'The model provider could not be reached, or dropped the connection.',
    internal: `${cause.name}: ${cause.message}`,
    cause,
  });
  return { ...failure, retry: hadAnswer ? null : atOnce };
}

/** The runtime's network errors carry a code; an abort is a DOMException. */
function isNetworkError(cause: unknown): cause is Error {
  return cause instanceof Error && ('code' in cause || cause.name === 'AbortError');
}

/** Its host takes no connection. */
export const unreachableFailure = (): UpstreamFailure =>
  moveOn('provider', {
    code: 'upstream_unreachable',
    public: 'The model provider could not be reached, or dropped the connection.',
    internal: 'its host takes no connection',
  });

export type TimeoutKind = 'connect' | 'first_byte' | 'idle';

const timeoutSentences: Record<TimeoutKind, string> = {
  connect: 'The model provider did not accept a connection in time.',
  first_byte: 'The model provider did not begin to answer in time.',
  idle: 'The model provider stopped in the middle of its answer.',
};

/** @param isCutShort it had but little of its own time, since others had taken that of the request: nobody's fault. */
export function timeoutFailure(kind: TimeoutKind, isCutShort = false): UpstreamFailure {
  if (isCutShort && kind !== 'connect') {
    const detail = { public: timeoutSentences[kind], internal: 'the time of the request was over' };
    return moveOn('nobody', { code: 'upstream_timeout', ...detail });
  }
  const blamed = kind === 'connect' ? 'provider' : 'deployment';
  const detail = { public: timeoutSentences[kind], internal: `${kind} timeout` };
  return { ...moveOn(blamed, { code: 'upstream_timeout', ...detail }), isSilent: true };
}

/** Its time went by while its credential was being renewed, so that nothing was sent: nobody else's time is its fault. */
export const unrenewedFailure = (): UpstreamFailure =>
  unservableFailure(
    new AppError({
      code: 'upstream_timeout',
      public: 'The credential for the model provider was not renewed in time.',
    }),
  );

/** The candidate's protocol cannot carry the request; another candidate's may. */
export function unservableFailure(error: AppError): UpstreamFailure {
  return { error, blamed: 'nobody', canFailOver: true, retry: null, isUnasked: true };
}

/** The credential has ended and cannot be renewed for a while; another one may work. */
export function renewalFailure(error: AppError, waitMs: number): UpstreamFailure {
  return { ...unservableFailure(error), blamed: 'credential', toldMs: waitMs };
}

/** There is no room here for the answer that the provider gave: another one's would be paid for, too, and find none. */
export function busyFailure(error: AppError): UpstreamFailure {
  return ours(error);
}

const ours = (error: AppError): UpstreamFailure => ({
  error,
  blamed: 'nobody',
  canFailOver: false,
  retry: null,
});

/** An answer that is not what the protocol promises: HTML, nothing, no JSON, a stream without an end. */
export function invalidAnswerFailure(reason: string): UpstreamFailure {
  return moveOn('deployment', {
    code: 'upstream_invalid_answer',
    public: 'The model provider sent an answer that could not be read.',
    internal: reason,
  });
}

/**
 * A refusal by status, or an error inside an answer (status 200 or none). What the vendor's own words say goes first.
 * Refusals that concern the request are told to the caller in the provider's words; those that concern our account
 * with the provider are not.
 */
export function refusalFailure(refusal: {
  status: number;
  complaint: UpstreamComplaint | null;
  /** The credential that was used, which the upstream may have quoted. */
  secret: string | null;
  retryAfterSeconds?: number | undefined;
  /** Until the quota begins anew of which nothing is left, where its headers say so. */
  spentForMs?: number | null;
  /** For what the complaint says as a date. */
  nowMs?: number;
}): UpstreamFailure {
  const complaint = withoutCredential(refusal.complaint, refusal.secret);
  const said = refusal.status < 400 ? (complaint?.status ?? 502) : refusal.status;
  const isCut = (refusal.complaint?.message.length ?? 0) >= mostComplaintCharacters;
  const words = readVendorWords(said, complaint, isCut);
  const status = words === null ? said : (statusMeant[words.means] ?? said);
  const internal = `upstream status ${status}: ${complaint?.message ?? 'no readable error'}`;
  const waitSeconds = refusal.retryAfterSeconds ?? readToldSeconds(complaint, words, refusal.nowMs);
  const toldMs = refusal.spentForMs ?? (waitSeconds ?? 0) * 1000;
  const told = { toldMs: toldMs > 0 ? toldMs : null };
  const retryAfter = waitSeconds === undefined ? {} : { retryAfterSeconds: waitSeconds };
  if (words?.means === 'filtered') return filteredFailure(said, complaint, words.isTellable === true);
  if (words?.means === 'broken_off') {
    const detail = { public: 'The model broke off its answer, over the tools of this request.', internal };
    return { ...moveOn('nobody', { code: 'upstream_failed', ...detail }), retry: soon, isAlike: true };
  }
  if (words?.means === 'beyond_limit') {
    return moveOn('nobody', {
      code: 'body_too_large',
      public:
        'This request, with the answer that it may take, has more tokens than the model provider lets us use in a minute. Shorten it, or ask for a shorter answer.',
      internal: `upstream status ${said}: more tokens than a minute has`,
    });
  }
  if (status === 401 || status === 403) {
    // Some keys may not use every model.
    const failure = moveOn(status === 401 ? 'credential' : 'account', {
      code: 'upstream_rejected_credentials',
      public: 'The model provider did not accept our credentials. Ask your administrator.',
      internal,
    });
    const isOfKey = status === 401 && words?.means !== 'refused_account';
    return isOfKey ? { ...failure, isUnauthorised: true } : failure;
  }
  if (status === 404 && !isOwnReference(complaint)) {
    return moveOn('deployment', {
      code: 'upstream_model_unavailable',
      public: 'The model provider does not have this model at the moment.',
      internal,
    });
  }
  if (status === 402) {
    // People have to pay or to raise a limit. Whoever asks again all the same need not do it before we do.
    const spent = moveOn('credential', {
      code: 'upstream_quota_spent',
      public: 'The model provider serves us no further for now: a quota is used up. Ask your administrator.',
      internal,
      retryAfterSeconds: Math.max(spentRetrySeconds, Math.ceil(toldMs / 1000)),
    });
    return { ...spent, toldMs: toldMs > 0 ? Math.max(spentRetrySeconds * 1000, toldMs) : null };
  }
  if (status === 429) {
    const limited = moveOn('account', {
      code: 'upstream_rate_limited',
      public: 'The model provider is limiting our requests at the moment.',
      internal,
      retryAfterSeconds: refusal.spentForMs == null ? (waitSeconds ?? 5) : Math.ceil(toldMs / 1000),
    });
    // Without a word about when, asking again so soon would only make the limit worse.
    return { ...limited, ...told, retry: retryAfterPause(toldMs) };
  }
  if (status === 503 || status === 529) {
    const failure = moveOn('deployment', {
      code: 'upstream_overloaded',
      public: 'The model provider is overloaded at the moment.',
      internal,
      ...retryAfter,
    });
    return { ...failure, ...told, retry: retryAfterPause(toldMs) };
  }
  if (status === 408 || status === 504) return timeoutFailure('first_byte');
  // Bedrock's word for a model that failed, which is not the request's fault.
  if (status >= 500 || status === 424) {
    const sentence = 'The model provider failed.';
    const failure = moveOn('deployment', { code: 'upstream_failed', public: sentence, internal });
    return { ...failure, retry: soon };
  }
  return giveUp({
    code: codeOfRequestFault(status, complaint),
    public: `The model provider refused the request: ${sentenceOf(complaint)}`,
    // Its words may quote the request, which no log is to hold: whoever asked is told them.
    internal: `upstream status ${status}: ${(complaint?.code ?? complaint?.type ?? 'no code').slice(0, 100)}`,
    ...(complaint?.param == null ? {} : { param: complaint.param.slice(0, mostParamCharacters) }),
  });
}

/** As the provider asks for, where that is soon enough to wait for it. */
function retryAfterPause(toldMs: number): Retry | null {
  if (toldMs <= 0 || toldMs > longestPauseMs) return null;
  return { afterMs: toldMs, isLastResort: true };
}

/** What the vendor's words mean in terms of the status that usually says so. */
const statusMeant: Partial<Record<Meaning, number>> = { refused_key: 401, refused_account: 401, spent: 402 };

/** Everybody else would refuse the prompt too. Its vendor's sentence may name our team and our key. */
function filteredFailure(
  status: number,
  complaint: UpstreamComplaint | null,
  isTellable: boolean,
): UpstreamFailure {
  return giveUp({
    code: 'content_filtered',
    public: isTellable
      ? `The model provider refused the request: ${sentenceOf(complaint)}`
      : 'The model provider refused the request: its content filter does not let it pass.',
    internal: `upstream status ${status}: content filter`,
  });
}

/** As long as a refused credential is left alone at first. */
export const spentRetrySeconds = 60;

function codeOfRequestFault(status: number, complaint: UpstreamComplaint | null): ErrorCode {
  if (status === 413) return 'body_too_large';
  const words = `${complaint?.code ?? ''} ${complaint?.type ?? ''}`;
  if (words.includes('content_filter') || words.includes('content_policy')) return 'content_filtered';
  if (words.includes('context_length')) return 'context_length_exceeded';
  return 'upstream_refused_request';
}

const mostParamCharacters = 200;

function sentenceOf(complaint: UpstreamComplaint | null): string {
  const message = (complaint?.message ?? '').trim();
  return message === '' ? 'it gave no reason.' : message.slice(0, 1000);
}
