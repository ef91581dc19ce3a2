/**
 * One call of an upstream: a single abort that the client, a deadline or the end of the exchange can pull, and what
 * pulled it.
 */
import type { Clock } from '../base/clock.ts';
import type { Deadline, Deadlines } from '../base/deadlines.ts';
import { isReachable } from '../base/reachability.ts';
import type { ProviderAdapter, UpstreamRequest } from '../providers/index.ts';
import {
  type Candidate,
  connectionFailure,
  type TimeoutKind,
  timeoutFailure,
  type UpstreamFailure,
} from '../routing/index.ts';
import type { GatewayServices, UpstreamTimeouts } from './services.ts';

const drainMs = 1000;
/** A connection that breaks sooner than this after the request broke for its own reasons. */
const promptMs = 1000;

export class UpstreamCall {
  readonly #abort = new AbortController();
  readonly #deadline: Deadline;
  readonly #deadlines: Deadlines;
  readonly #beginsWithinMs: number;
  readonly #timeouts: UpstreamTimeouts;
  readonly #clock: Clock;
  #sentAtMs = 0;
  #waitingSinceMs = 0;
  /** Spent waiting since the last content. */
  #waitedMs = 0;
  #connectCheck: Deadline | undefined;
  #timedOut: TimeoutKind | undefined;
  /** The upstream has answered, or the call is over: it needs no more proof that somebody is there. */
  #isSettled = false;
  #hasHeaders = false;
  #waitsFor: TimeoutKind = 'first_byte';

  constructor(services: GatewayServices, candidate: Candidate, { streamed }: { streamed: boolean }) {
    this.#clock = services.clock;
    this.#timeouts = timeoutsOf(candidate, services.settings.timeouts);
    this.#beginsWithinMs = streamed ? this.#timeouts.firstByteMs : this.#timeouts.wholeAnswerMs;
    this.#deadlines = services.deadlines;
    this.#deadline = services.deadlines.start(this.#beginsWithinMs, () => this.#timeOut(this.#waitsFor));
  }

  /** Can be called again for an answer that takes several requests; each has its own time. */
  async send({ answer }: ProviderAdapter, request: UpstreamRequest): Promise<Response> {
    const { signal } = this.#abort;
    this.#waitsFor = 'first_byte';
    this.#deadline.extend(this.#beginsWithinMs);
    this.#sentAtMs = this.#clock.monotonicMs();
    if (answer !== undefined) return this.#answered(await answer(request, signal));
    this.#isSettled = false;
    if (this.#timeouts.connectMs < this.#beginsWithinMs) {
      this.#connectCheck?.stop();
      this.#connectCheck = this.#deadlines.start(
        this.#timeouts.connectMs,
        () => void this.#checkReach(request.url),
      );
    }
    const response = await fetch(request.url, {
      method: 'POST',
      headers: request.headers,
      body: request.body,
      signal,
      redirect: 'manual',
      decompress: true,
      timeout: false,
    });
    return this.#answered(response);
  }

  #answered(response: Response): Response {
    this.#hasHeaders = true;
    this.#isSettled = true;
    this.#connectCheck?.stop();
    return response;
  }

  /** Waits no longer than the call may last; what is waited for goes on by itself. */
  async unlessCancelled<Value>(waited: Promise<Value>): Promise<Value> {
    const { signal } = this.#abort;
    const { promise: cancelled, reject } = Promise.withResolvers<never>();
    const cancel = () => reject(signal.reason);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await Promise.race([waited, cancelled]);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  /** A piece of a whole answer came. */
  progressed = (): void => {
    this.#waitsFor = 'idle';
    this.#deadline.extend(this.#timeouts.idleMs);
  };

  /**
   * From now on the next piece of a stream is awaited. Silence is borne for the idle timeout; comments without
   * content are signs of life, but are borne no longer in all than a first content is waited for.
   */
  awaitPiece(): void {
    this.#waitsFor = 'idle';
    this.#waitingSinceMs = this.#clock.monotonicMs();
    this.#deadline.extend(Math.min(this.#timeouts.idleMs, this.#timeouts.firstByteMs - this.#waitedMs));
  }

  /** The piece came. Until the client asks for more, silence is not the upstream's doing. */
  receivedPiece(isContent: boolean): void {
    this.#waitedMs = isContent ? 0 : this.#waitedMs + this.#clock.monotonicMs() - this.#waitingSinceMs;
    this.#deadline.extend(Number.POSITIVE_INFINITY);
  }

  /** Ends the call; closes the connection when the answer was not read to its end. */
  close(): void {
    this.#isSettled = true;
    this.#deadline.stop();
    this.#connectCheck?.stop();
  }

  /** The answer is whole: what the upstream still sends is read away for a moment, so that its connection can be kept. */
  async drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    this.#isSettled = true;
    this.#deadline.extend(drainMs);
    try {
      while (!(await reader.read()).done);
    } catch {
      // It was cancelled, or broke: nobody waits for it.
    }
    this.close();
  }

  cancel(): void {
    this.close();
    this.#abort.abort();
  }

  /** What a thrown network error means, given who pulled the abort. */
  failureOf(thrown: unknown): UpstreamFailure {
    if (this.#timedOut !== undefined) return timeoutFailure(this.#timedOut);
    // An upstream that worked for a while before the connection broke has done what it will charge for.
    const hadAnswer = this.#hasHeaders || this.#clock.monotonicMs() - this.#sentAtMs > promptMs;
    return connectionFailure(thrown, { hadAnswer });
  }

  #timeOut(kind: TimeoutKind): void {
    this.#timedOut = kind;
    this.cancel();
  }

  /** Runs only for an upstream that has been silent for the connect timeout: is it slow, or is nobody there? */
  async #checkReach(url: string): Promise<void> {
    const isOpen = await isReachable(url, this.#timeouts.connectMs, this.#clock);
    if (!isOpen && !this.#isSettled) this.#timeOut('connect');
  }
}

function timeoutsOf(candidate: Candidate, defaults: UpstreamTimeouts): UpstreamTimeouts {
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
