/** How long a call is waited for: for its host, its first content, its next piece, and for what it took once nobody waits. */
import type { Deadline, Deadlines } from '../base/deadlines.ts';
import type { TimeoutKind } from '../routing/index.ts';
import type { Asker, UpstreamTimeouts } from './services.ts';

/** What is due: a look at the asker, a look at the host, the end of what is waited for, or the end of all waiting. */
export type Due = 'asker' | 'host' | TimeoutKind | 'all';

interface Waiting {
  readonly streamed: boolean;
  readonly isLast: boolean;
  /** Of the request's time for a first content. */
  readonly contentWithinMs: number | undefined;
  /** The provider's own, where it has them. */
  readonly timeouts: UpstreamTimeouts;
  readonly watch: AskerWatch;
  /** Called once for each; after a timeout, or the end of all waiting, nothing more is due. */
  onDue(due: Due): void;
}

/** How long the upstream was waited for since it was asked: until its stream was handed over, and in all. */
export interface WorkedMs {
  readonly beforeContent: number;
  readonly all: number;
}

/** All that can be due is one deadline among those of the process. */
export class Patience {
  readonly #deadlines: Deadlines;
  readonly #deadline: Deadline;
  readonly #timeouts: UpstreamTimeouts;
  readonly #watch: AskerWatch;
  readonly #onDue: (due: Due) => void;
  readonly #beginsWithinMs: number;
  /** Of a stream's silence before its first content. */
  #contentWithinMs: number;
  /** The request left it less than half of its own time for a first content. */
  #isCutShort: boolean;
  /** That time is what is waited for, and not a silence that is its own. */
  #isContentDue = true;
  #waitsFor: TimeoutKind = 'first_byte';
  /** What is due when, by the deadlines' time; infinite for what is not due, or not any more. */
  #timeOutAtMs: number;
  #hostCheckAtMs = Number.POSITIVE_INFINITY;
  #endsAtMs = Number.POSITIVE_INFINITY;
  #waitingSinceMs = 0;
  /** Spent waiting since the last content. */
  #waitedMs = 0;
  /** When what is awaited was sent, when its stream was handed over, and when all waiting ended. */
  #sentAtMs: number;
  #handedOverAtMs: number | null = null;
  #overAtMs: number | null = null;
  /** A piece of a stream is awaited that was handed over. */
  #awaitsPiece = false;
  #pieceMs = 0;
  #isOver = false;

  constructor(deadlines: Deadlines, { timeouts, watch, streamed, isLast, contentWithinMs, onDue }: Waiting) {
    this.#deadlines = deadlines;
    this.#timeouts = timeouts;
    this.#watch = watch;
    this.#onDue = onDue;
    const { firstByteMs, failOverMs } = timeouts;
    const ownMs = isLast ? firstByteMs : Math.min(failOverMs, firstByteMs);
    this.#contentWithinMs = Math.min(ownMs, contentWithinMs ?? ownMs);
    this.#isCutShort = streamed && this.#contentWithinMs < ownMs / 2;
    this.#beginsWithinMs = streamed ? this.#contentWithinMs : timeouts.wholeAnswerMs;
    this.#sentAtMs = deadlines.nowMs;
    this.#timeOutAtMs = deadlines.nowMs + this.#beginsWithinMs;
    const firstDueMs = Math.min(watch.dueAtMs - deadlines.nowMs, this.#beginsWithinMs);
    this.#deadline = deadlines.start(firstDueMs, this.#due);
  }

  /** How long the look at the host may take. */
  get hostCheckMs(): number {
    return this.#timeouts.connectMs / 2;
  }

  /** Whether its silence so far says nothing of it. */
  get isCutShort(): boolean {
    return this.#isCutShort && this.#isContentDue;
  }

  /** Since what is awaited was sent. */
  get sentForMs(): number {
    return this.#deadlines.nowMs - this.#sentAtMs;
  }

  /** @returns whether the host is looked at when it stays silent: not one whose connection may take as long as its answer. */
  sent(isOverNetwork: boolean): boolean {
    const isChecked = isOverNetwork && this.#timeouts.connectMs < this.#beginsWithinMs;
    this.#waitsFor = 'first_byte';
    this.#isContentDue = true;
    this.#sentAtMs = this.#deadlines.nowMs;
    // Half of the time goes by before anybody asks whether the host is there, and half of it is for the answer.
    this.#hostCheckAtMs = isChecked
      ? this.#deadlines.nowMs + this.#timeouts.connectMs / 2
      : Number.POSITIVE_INFINITY;
    this.waitAtMost(this.#beginsWithinMs);
    return isChecked;
  }

  answered(): void {
    this.#hostCheckAtMs = Number.POSITIVE_INFINITY;
  }

  /** A piece of a whole answer came. @param mostMs what the next one is waited for at the most, beside the idle timeout. */
  progressed(mostMs = Number.POSITIVE_INFINITY): void {
    this.#waitsFor = 'idle';
    this.#isContentDue = false;
    this.waitAtMost(Math.min(this.#timeouts.idleMs, mostMs));
  }

  /** Nobody else can be asked any more. */
  handedOver(): void {
    this.#handedOverAtMs = this.#deadlines.nowMs;
    this.#contentWithinMs = this.#timeouts.firstByteMs;
    this.#isCutShort = false;
  }

  /**
   * From now on the next piece of a stream is awaited. Silence is borne for the idle timeout; comments without
   * content are signs of life, but are borne no longer in all than a first content is waited for.
   */
  awaitPiece(): void {
    this.#waitsFor = 'idle';
    this.#awaitsPiece = true;
    this.#waitingSinceMs = this.#deadlines.nowMs;
    const leftMs = this.#contentWithinMs - this.#waitedMs;
    this.#isContentDue = leftMs < this.#timeouts.idleMs;
    this.waitAtMost(Math.min(this.#timeouts.idleMs, leftMs));
  }

  /** The piece came. Until the asker wants more, silence is not the upstream's doing. */
  receivedPiece(isContent: boolean): void {
    const waitedMs = this.#deadlines.nowMs - this.#waitingSinceMs;
    if (this.#awaitsPiece) this.#pieceMs += waitedMs;
    this.#awaitsPiece = false;
    this.#waitedMs = isContent ? 0 : this.#waitedMs + waitedMs;
    this.waitAtMost(Number.POSITIVE_INFINITY);
  }

  waitAtMost(afterMs: number): void {
    this.#timeOutAtMs = this.#deadlines.nowMs + afterMs;
    this.#arm();
  }

  /** All waiting ends in so much time from now, whatever comes meanwhile. */
  endWithin(ms: number): void {
    this.#endsAtMs = this.#deadlines.nowMs + ms;
    this.#arm();
  }

  /** @param withLast whether the piece counts that is awaited and has not come. */
  workedMs(withLast: boolean): WorkedMs {
    const nowMs = this.#overAtMs ?? this.#deadlines.nowMs;
    const beforeContent = (this.#handedOverAtMs ?? nowMs) - this.#sentAtMs;
    const last = withLast && this.#awaitsPiece ? nowMs - this.#waitingSinceMs : 0;
    return { beforeContent, all: beforeContent + this.#pieceMs + last };
  }

  /** Nothing is waited for any more. */
  stop(): void {
    this.#overAtMs ??= this.#deadlines.nowMs;
    this.#isOver = true;
    this.#deadline.stop();
  }

  #arm(): void {
    const dueAtMs = Math.min(this.#timeOutAtMs, this.#endsAtMs, this.#watch.dueAtMs, this.#hostCheckAtMs);
    this.#deadline.extend(dueAtMs - this.#deadlines.nowMs);
  }

  readonly #due = (): void => {
    const { nowMs } = this.#deadlines;
    if (nowMs >= this.#watch.dueAtMs) this.#onDue('asker');
    if (this.#isOver) return;
    if (nowMs >= this.#endsAtMs || nowMs >= this.#timeOutAtMs) {
      this.#onDue(nowMs >= this.#endsAtMs ? 'all' : this.#waitsFor);
      return;
    }
    if (nowMs >= this.#hostCheckAtMs) {
      this.#hostCheckAtMs = Number.POSITIVE_INFINITY;
      this.#onDue('host');
    }
    this.#arm();
  };
}

/** Looking at the asker's signal costs more than most calls need: only those that take longer than this do. */
const watchAfterMs = 100;

/** Whoever a call is made for, and how their going is noticed. */
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
