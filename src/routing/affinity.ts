/**
 * Where a conversation was answered last, so that its next turn finds the prefix that was kept there. It is a wish: who
 * is known to fail is not asked for it. In the memory of the process, the longest unused out first; what is told to
 * others, and asked of them where nothing is known here, is `redis-sharing.ts`.
 */
import type { Clock } from '../base/clock.ts';

export interface Remembered {
  readonly lifetimeMs: number;
  /** In this process. */
  readonly most: number;
}

const ofSessions: Remembered = { lifetimeMs: 7 * 86_400_000, most: 100_000 };
/**
 * State that upstreams hold: a note for each response, of which only the newest of a conversation is gone on with, and
 * that within hours.
 */
export const ofStates: Remembered = { lifetimeMs: 86_400_000, most: 50_000 };
/** Others are told again of a conversation that goes on, long before they would forget it. */
const toldAgainAfterMs = 86_400_000;

/** The conversation of a request, in words that are its caller's and model's own. */
export interface Stickiness {
  readonly session: string;
  /** Nobody has answered in it, so that nobody has kept its prefix. */
  readonly isNew: boolean;
}

interface Kept {
  readonly name: string;
  readonly untilMs: number;
  /** When others were told. */
  readonly toldAtMs: number;
}

export class Affinity {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #bounds: Remembered;
  /** The longest unused first. */
  readonly #kept = new Map<string, Kept>();

  #tell: ((session: string, name: string) => void) | null = null;
  /** What was told before it may have been lost. */
  #lostBeforeMs = 0;

  constructor(clock: Pick<Clock, 'nowMs'>, bounds = ofSessions) {
    this.#clock = clock;
    this.#bounds = bounds;
  }

  /** Others are told from now on what is new here. */
  shareWith(tell: (session: string, name: string) => void): void {
    this.#tell = tell;
  }

  /** Those who were told may have lost it. */
  tellAgain(): void {
    this.#lostBeforeMs = this.#clock.nowMs();
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
    const before = this.#kept.get(session);
    const nowMs = this.#clock.nowMs();
    const isTold =
      before?.name === name &&
      before.toldAtMs > this.#lostBeforeMs &&
      nowMs - before.toldAtMs < toldAgainAfterMs;
    this.#set(session, {
      ...{ name, untilMs: nowMs + this.#bounds.lifetimeMs },
      toldAtMs: isTold ? before.toldAtMs : nowMs,
    });
    if (!isTold) this.#tell?.(session, name);
  }

  /** Another process has answered it. */
  adopt(session: string, name: string): void {
    if (this.#kept.has(session)) return;
    this.#set(session, { name, untilMs: this.#clock.nowMs() + this.#bounds.lifetimeMs, toldAtMs: 0 });
  }

  #set(session: string, kept: Kept): void {
    this.#kept.delete(session);
    this.#kept.set(session, kept);
    if (this.#kept.size <= this.#bounds.most) return;
    const oldest = this.#kept.keys().next();
    if (oldest.done !== true) this.#kept.delete(oldest.value);
  }
}
