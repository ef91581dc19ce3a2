/** Whoever a call is made for, and how their going is noticed. */
import type { Asker } from './services.ts';

/** Looking at the asker's signal costs more than most calls need: only those that take longer than this do. */
const watchAfterMs = 100;

export class AskerWatch {
  /** When it begins, by the deadlines' time; infinite once it has, or where nobody asks. */
  dueAtMs: number;
  readonly #asker: Asker | undefined;
  #stop: (() => void) | undefined;

  constructor(asker: Asker | undefined, nowMs: number) {
    this.#asker = asker;
    this.dueAtMs = asker === undefined ? Number.POSITIVE_INFINITY : nowMs + watchAfterMs;
  }

  /** Whether whoever asked has gone. */
  get hasGone(): boolean {
    return this.#asker?.signal.aborted === true;
  }

  /** @param gone is called at once, or when it happens. */
  begin(gone: () => void): void {
    this.dueAtMs = Number.POSITIVE_INFINITY;
    const signal = this.#asker?.signal;
    if (signal === undefined) return;
    if (signal.aborted) {
      gone();
      return;
    }
    signal.addEventListener('abort', gone, { once: true });
    this.#stop = () => signal.removeEventListener('abort', gone);
  }

  stop(): void {
    this.dueAtMs = Number.POSITIVE_INFINITY;
    this.#stop?.();
    this.#stop = undefined;
  }
}
