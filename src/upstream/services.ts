/** What calling a provider takes, and for whom it is done. */
import type { ByteBudget } from '../base/byte-budget.ts';
import type { Clock } from '../base/clock.ts';
import type { Deadlines } from '../base/deadlines.ts';
import type { Reachability } from '../base/reachability.ts';
import type { Turns } from '../base/turns.ts';
import type { CredentialKeeper } from '../catalogue/index.ts';
import type { Outgoing } from './outgoing.ts';

export interface UpstreamTimeouts {
  /** Until the host is known to accept connections. */
  readonly connectMs: number;
  /** Until the first content of a stream. */
  readonly firstByteMs: number;
  /** The same, while somebody else could be asked instead. */
  readonly failOverMs: number;
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
  readonly reachability: Reachability;
  /** Looks at each address before it is asked. */
  readonly outgoing: Outgoing;
  /** For whole answers that are held. */
  readonly bodies: ByteBudget;
  /** For the beginnings: of requests that come, and of answers to them. Many come at once. */
  readonly beginnings: Turns;
  /** Hears of each piece of a stream that was dropped because it is no JSON. */
  readonly onDroppedFrame?: (provider: string) => void;
}

/** Whoever the call is made for, such as a client's request. The signal is made when it is first looked at. */
export interface Asker {
  readonly signal: AbortSignal;
}

export interface CallOptions {
  /** The first content counts, and not the time until the answer is whole. */
  readonly streamed: boolean;
  /** Nobody else could be asked instead, so that a first content is worth a longer wait. */
  readonly isLast?: boolean;
  /** What is left of the time for a first content, where that may be less than the provider's own. */
  readonly contentWithinMs?: number | undefined;
  /** The same provider was asked before and its connection may have been stale: this call takes a fresh one. */
  readonly isRetry?: boolean;
  /** The call ends when its signal is aborted; nobody can end it from outside when left out. */
  readonly asker?: Asker | undefined;
  /**
   * The asker of a whole answer has gone, which is awaited for a while all the same, since only the answer tells what it
   * took. Without this the call ends at once.
   * @param cut ends the call before.
   */
  readonly onLinger?: ((cut: () => void) => void) | undefined;
}
