/**
 * Where a conversation was answered last, so that its next turn finds the prefix that was kept there. It is a wish: who
 * is known to fail is not asked for it. In the memory of the process, the longest unused out first.
 */
import type { Clock } from '../base/clock.ts';

const lifetimeMs = 7 * 86_400_000;
const mostSessions = 100_000;

/** The conversation of a request, in words that are its caller's and model's own. */
export interface Stickiness {
  readonly session: string;
  /** Nobody has answered in it, so that nobody has kept its prefix. */
  readonly isNew: boolean;
}

interface Kept {
  readonly name: string;
  readonly untilMs: number;
}

export class Affinity {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #most: number;
  /** The longest unused first. */
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Pick<Clock, 'nowMs'>, most = mostSessions) {
    this.#clock = clock;
    this.#most = most;
  }

  /** @returns the name of the account; null where nothing is known. */
  find(session: string): string | null {
    const kept = this.#kept.get(session);
    if (kept === undefined) return null;
    if (kept.untilMs > this.#clock.nowMs()) return kept.name;
    this.#kept.delete(session);
    return null;
  }

  /** Only of what was answered to its end. */
  keep(session: string, name: string): void {
    this.#kept.delete(session);
    this.#kept.set(session, { name, untilMs: this.#clock.nowMs() + lifetimeMs });
    if (this.#kept.size <= this.#most) return;
    const oldest = this.#kept.keys().next();
    if (oldest.done !== true) this.#kept.delete(oldest.value);
  }
}
