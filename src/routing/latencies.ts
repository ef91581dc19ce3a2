/**
 * How long each deployment took to its first content of late: a mean over time that a slow answer raises at once and
 * that quick ones, and time, let sink (peak-EWMA). So who has become slow is spared at once and tried again soon.
 */
import type { Clock } from '../base/clock.ts';
import type { Candidate } from './candidates.ts';

/** Of what was measured so long ago a bit more than a third is left. */
const decayMs = 60_000;
/** Deployments that are remembered, the oldest out first. */
const mostDeployments = 10_000;

interface Latency {
  meanMs: number;
  measuredAtMs: number;
  underWay: number;
}

export class Latencies {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #known = new Map<string, Latency>();

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
  }

  began(candidate: Candidate): void {
    this.#latencyOf(candidate).underWay += 1;
  }

  ended(candidate: Candidate): void {
    const known = this.#known.get(candidate.names.deployment);
    if (known !== undefined && known.underWay > 0) known.underWay -= 1;
  }

  /** Its first content is there, or its whole answer. */
  measured(candidate: Candidate, ms: number): void {
    const known = this.#latencyOf(candidate);
    const nowMs = this.#clock.nowMs();
    if (known.measuredAtMs === 0 || ms > known.meanMs) {
      known.meanMs = ms;
    } else {
      const kept = Math.exp(-Math.max(0, nowMs - known.measuredAtMs) / decayMs);
      // Of measures at one moment each still counts something.
      known.meanMs = ms + (known.meanMs - ms) * Math.min(kept, 0.9);
    }
    known.measuredAtMs = nowMs;
  }

  /** Null where nothing was measured. */
  meanMsOf({ names }: Candidate): number | null {
    const known = this.#known.get(names.deployment);
    return known === undefined || known.measuredAtMs === 0 ? null : known.meanMs;
  }

  /** What one more request would wait, by the mean and those under way; who was never measured is tried first. */
  costOf({ names }: Candidate): number {
    const known = this.#known.get(names.deployment);
    if (known === undefined) return 0;
    const elapsedMs = Math.max(0, this.#clock.nowMs() - known.measuredAtMs);
    return known.meanMs * Math.exp(-elapsedMs / decayMs) * (known.underWay + 1);
  }

  #latencyOf({ names }: Candidate): Latency {
    const before = this.#known.get(names.deployment);
    if (before !== undefined) return before;
    if (this.#known.size >= mostDeployments) {
      const oldest = this.#known.keys().next();
      if (oldest.done !== true) this.#known.delete(oldest.value);
    }
    const latency = { meanMs: 0, measuredAtMs: 0, underWay: 0 };
    this.#known.set(names.deployment, latency);
    return latency;
  }
}
