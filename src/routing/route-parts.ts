/** What the way of a request is made of. */
import type { Clock } from '../base/clock.ts';
import type { Model } from '../catalogue/index.ts';
import type { Affinity } from './affinity.ts';
import type { Candidate } from './candidates.ts';
import type { Health } from './health.ts';
import type { Latencies } from './ordering.ts';
import type { TellPoolEvent } from './pool-events.ts';
import type { RetryBudget, Spread } from './spread.ts';

export interface RouteParts {
  readonly clock: Clock;
  readonly pause: Clock['sleep'];
  readonly health: Health;
  readonly spread: Spread;
  readonly budget: RetryBudget;
  readonly affinity: Affinity;
  readonly latencies: Latencies;
  readonly onEvent?: TellPoolEvent | undefined;
  /** After it nobody further is asked, and what is awaited of a further one's first content ends with it. */
  readonly deadlineMs: number;
}

export interface Way {
  /** In the order in which they are asked. */
  readonly order: readonly Candidate[];
  /** Of the order, the one that was asked for first. */
  readonly models: readonly [Model, ...Model[]];
  readonly session?: string;
  /** The first of the order, because it answered this conversation last. */
  readonly wanted?: Candidate;
  /** Nobody is asked: it only tells who would be, and leaves no trace. */
  readonly isDry?: boolean | undefined;
}
