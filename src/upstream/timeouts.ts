/** How long a provider may take: the settings of the house, and where a provider has its own, those. */
import type { Candidate } from '../routing/index.ts';

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

export function timeoutsOf(candidate: Candidate, defaults: UpstreamTimeouts): UpstreamTimeouts {
  const own = candidate.deployment.provider.settings['timeoutsMs'];
  if (typeof own !== 'object' || own === null) return defaults;
  return {
    connectMs: readMs(own, 'connect') ?? defaults.connectMs,
    firstByteMs: readMs(own, 'firstByte') ?? defaults.firstByteMs,
    wholeAnswerMs: readMs(own, 'wholeAnswer') ?? defaults.wholeAnswerMs,
    idleMs: readMs(own, 'idle') ?? defaults.idleMs,
  };
}

function readMs(own: object, name: string): number | null {
  const value: unknown = Reflect.get(own, name);
  return typeof value === 'number' && value > 0 ? value : null;
}
