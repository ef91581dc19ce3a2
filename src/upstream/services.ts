/** What calling a provider takes, and for whom it is done. */
import type { Clock } from '../base/clock.ts';
import type { Deadlines } from '../base/deadlines.ts';
import type { Turns } from '../base/turns.ts';
import type { CredentialKeeper } from '../catalogue/index.ts';

export interface UpstreamTimeouts {
  /** Until the host is known to accept connections. */
  readonly connectMs: number;
  /** Until the first content of a stream. */
  readonly firstByteMs: number;
  /** Until a whole answer begins, which upstreams send when it is ready. */
  readonly wholeAnswerMs: number;
  /** Between two pieces of the answer. */
  readonly idleMs: number;
}

export interface UpstreamServices {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly credentials: Pick<CredentialKeeper, 'fresh'>;
  readonly timeouts: UpstreamTimeouts;
  /** For the beginnings: of requests that come, and of answers to them. Many come at once. */
  readonly beginnings: Turns;
}

/** Whoever the call is made for, such as a client's request. The signal is made when it is first looked at. */
export interface Asker {
  readonly signal: AbortSignal;
}

export interface CallOptions {
  /** The first content counts, and not the time until the answer is whole. */
  readonly streamed: boolean;
  /** The call ends when its signal is aborted; nobody can end it from outside when left out. */
  readonly asker?: Asker | undefined;
}
