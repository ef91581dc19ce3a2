/** One call of a provider: the abort that several can pull, who pulled it, and the secret that it is made with. */
import { Abort } from '../base/abort.ts';
import { HeldBytes } from '../base/byte-budget.ts';
import type { BodyReader, HttpAnswer } from '../base/http-answer.ts';
import { AnswerError, UnsentError } from '../http/index.ts';
import type { UpstreamRequest } from '../providers/index.ts';
import type { Candidate, TimeoutKind, UpstreamFailure } from '../routing/index.ts';
import { connectionFailure, timeoutFailure, unrenewedFailure } from '../routing/index.ts';
import { pinOf, type Way } from './outgoing.ts';
import { AskerWatch, type Due, Patience, type WorkedMs } from './patience.ts';
import { freshenSecret, renewSecret, unlessAborted } from './secret.ts';
import type { CallOptions, UpstreamServices, UpstreamTimeouts } from './services.ts';

const drainMs = 1000;
/** A whole answer whose asker has gone: one that is nearly made comes in this time, and a longer one is cut. */
const lingerMs = 10_000;
/** A connection that breaks sooner than this after the request broke for its own reasons. */
const promptMs = 1000;

export class UpstreamCall {
  readonly candidate: Candidate;
  /** Takes what is read of whole answers, until the call ends. */
  readonly held: HeldBytes;
  /** What the provider is asked with: the candidate's, until it was renewed. */
  secret: string | null;
  readonly #services: UpstreamServices;
  readonly #watch: AskerWatch;
  readonly #onLinger: CallOptions['onLinger'];
  /** Whoever asked has gone; what is still awaited is for the bill. */
  #isLingering = false;
  readonly #isRetry: boolean;
  readonly #patience: Patience;
  readonly #beganAtMs: number;
  readonly #abort = new Abort();
  #timedOut: TimeoutKind | undefined;
  #askedUrl: string | null = null;
  /** What was asked and has not answered, where that can be because nobody is there. */
  #url: string | null = null;
  /** Null for what is answered in this process; another address than the asked one where no proxy is on the way. */
  #sentTo: string | null = null;
  #hasSent = false;
  #status: number | null = null;
  #hasAnswered = false;
  #isHandedOver = false;
  #hasRenewed = false;

  constructor(
    candidate: Candidate,
    services: UpstreamServices,
    timeouts: UpstreamTimeouts,
    { streamed, isLast = true, isRetry = false, contentWithinMs, asker, onLinger }: CallOptions,
  ) {
    this.candidate = candidate;
    this.held = HeldBytes.ofAnswer(services.bodies);
    this.#services = services;
    this.#onLinger = streamed ? undefined : onLinger;
    this.secret = candidate.secret;
    this.#isRetry = isRetry;
    this.#beganAtMs = services.clock.monotonicMs();
    this.#watch = new AskerWatch(asker, services.deadlines.nowMs);
    const waiting = { timeouts, watch: this.#watch, streamed, isLast, contentWithinMs, onDue: this.#due };
    this.#patience = new Patience(services.deadlines, waiting);
  }

  /** Of the last answer; null while none has begun. */
  get status(): number | null {
    return this.#status;
  }

  /** What was asked last; null before. */
  get askedUrl(): string | null {
    return this.#askedUrl;
  }

  get elapsedMs(): number {
    return this.#services.clock.monotonicMs() - this.#beganAtMs;
  }

  /** Without what a client takes its time for, and without the silence of an upstream that broke off. */
  get workedMs(): WorkedMs {
    return this.#patience.workedMs(this.#isLingering || this.hasLostAsker());
  }

  /** By the wall clock, for times that a provider gives as dates. */
  get nowMs(): number {
    return this.#services.clock.nowMs();
  }

  get isCancelled(): boolean {
    return this.#abort.isAborted;
  }

  get isLingering(): boolean {
    return this.#isLingering;
  }

  /** True when a reader took the answer over, which then ends the call. */
  get isHandedOver(): boolean {
    return this.#isHandedOver;
  }

  /** A piece of its stream was no JSON. */
  droppedFrame(): void {
    this.#services.onDroppedFrame?.(this.candidate.deployment.provider.name);
  }

  /** Before the provider is asked. @throws AppError no_provider when the secret has ended and cannot be renewed. */
  async freshenSecret(): Promise<void> {
    await freshenSecret(this, this.#services);
  }

  /** Once in a call: whether there is another secret for one that was refused. @throws AppError no_provider */
  async renewSecret(): Promise<boolean> {
    if (this.#hasRenewed || this.candidate.adapter.oauth === undefined) return false;
    this.#hasRenewed = true;
    return renewSecret(this, this.#services);
  }

  /** Can be called again for an answer that takes several requests; each has its own time. */
  send(request: UpstreamRequest): Promise<HttpAnswer> {
    if (this.#isLingering || this.isCancelled) return Promise.reject(new Error('its asker has gone'));
    const { adapter, deployment } = this.candidate;
    this.#askedUrl = request.url;
    this.#status = null;
    if (adapter.answer !== undefined) {
      this.#sends(null);
      return adapter.answer(request, this.signal);
    }
    this.#hasSent = false;
    const way = this.#services.outgoing.admit(request.url, deployment.provider, this.#isRetry);
    return way instanceof Promise
      ? unlessAborted(way, this.signal).then((found) => this.#sendBy(found, request))
      : this.#sendBy(way, request);
  }

  #sendBy(way: Way, request: UpstreamRequest, isFresh = this.#isRetry): Promise<HttpAnswer> {
    this.#sends(pinOf(way)?.url ?? request.url);
    const sent = this.#services.outgoing.send(way, request, this.#abort, isFresh);
    if (!this.#hasAnswered || isFresh || typeof request.body !== 'string') return sent;
    // Were the whole work tried anew for a stale connection, what was answered before would be paid for twice.
    return sent.catch((thrown: unknown) => {
      if (this.isCancelled || this.hasLostAsker() || this.#hasWorked(thrown)) throw thrown;
      return this.#sendBy(way, request, true);
    });
  }

  /** @param url null for what is answered in this process. */
  #sends(url: string | null): void {
    this.#hasSent = true;
    this.#url = this.#patience.sent(url !== null) ? url : null;
    this.#sentTo = url;
  }

  /**
   * The answer to what was sent has begun. Told by whoever awaits it, so that it is awaited once.
   * @returns what to wait for before it is read, where very many answers begin at once.
   */
  answered({ status }: HttpAnswer): Promise<void> | undefined {
    this.#status = status;
    this.#hasAnswered = true;
    this.#url = null;
    this.#patience.answered();
    return this.turnToBegin();
  }

  /** @returns what to wait for where very many answers begin in this turn of the event loop. */
  turnToBegin(): Promise<void> | undefined {
    return this.#services.beginnings.enter();
  }

  /** What was sent last has been answered in full: until more is sent the provider has nothing to do. */
  hasWholeAnswer(): void {
    this.#hasSent = false;
  }

  progressed(mostMs?: number): void {
    this.#patience.progressed(mostMs);
  }

  /** The upstream has answered; until it is asked again its silence is ours. Ends early when the call is cancelled. */
  async pause(ms: number): Promise<void> {
    this.receivedPiece(true);
    const signal = this.signal;
    await this.#services.clock.sleep(ms, signal);
    signal.throwIfAborted();
  }

  /** The answer goes on beyond the attempt: whoever reads it ends the call, and hears by itself when its asker left. */
  handOver(): void {
    this.#isHandedOver = true;
    this.#patience.handedOver();
    this.#watch.stop();
    this.receivedPiece(true);
  }

  /** From now on the next piece of a stream is awaited, until it is received. */
  awaitPiece(): void {
    this.#patience.awaitPiece();
  }

  receivedPiece(isContent: boolean): void {
    this.#patience.receivedPiece(isContent);
  }

  /** Nobody waits for the rest any more; what it took is still to be told, within so much time from now. */
  linger(withinMs: number, onLinger?: CallOptions['onLinger']): void {
    this.#isLingering = true;
    this.#patience.endWithin(withinMs);
    onLinger?.(() => this.cancel());
  }

  /** Whether the provider has what was sent last, and has not refused it. A silent host is asked whether it is there. */
  async isWithProvider(): Promise<boolean> {
    if (!this.#hasSent) return false;
    if (this.#status !== null) return this.#status < 400;
    if (this.#sentTo === null) return true;
    const { reachability } = this.#services;
    return reachability.ask(this.#sentTo, 2 * this.#patience.hostCheckMs, this.#sentTo !== this.#askedUrl);
  }

  /** Ends the call. What was not read of the answer is left to `cancel`. */
  close(): void {
    this.#url = null;
    this.#patience.stop();
    this.#watch.stop();
    this.held.giveBack();
  }

  /** The answer is whole: what still comes is read away for a moment, so that the connection can be kept. */
  async drain(reader: BodyReader): Promise<void> {
    this.#patience.endWithin(drainMs);
    try {
      while (!(await reader.read()).done);
    } catch {
      // It was cancelled, or broke: nobody waits for it.
    }
    this.close();
  }

  /** Ends the call and closes its connection. */
  cancel(): void {
    this.close();
    this.#abort.abort();
  }

  hasLostAsker(): boolean {
    return this.#watch.hasGone;
  }

  /** What a thrown network error means, given who pulled the abort. */
  failureOf(thrown: unknown): UpstreamFailure {
    if (thrown instanceof UnsentError) this.#hasSent = false;
    if (this.#timedOut !== undefined) {
      // Nothing was sent, or it was refused with 401 and the credential is renewed for it.
      if (this.#askedUrl === null || this.#status === 401) return unrenewedFailure();
      return timeoutFailure(this.#hasSent ? this.#timedOut : 'connect', this.#patience.isCutShort);
    }
    if (thrown instanceof UnsentError && this.#sentTo !== null && !this.isCancelled)
      this.#services.outgoing.notReached(this.#sentTo);
    return connectionFailure(thrown, { hadAnswer: this.#hasAnswered || this.#hasWorked(thrown) });
  }

  /** An upstream that worked for a while before the connection broke has done what it will charge for. */
  #hasWorked(thrown: unknown): boolean {
    if (!this.#hasSent || thrown instanceof UnsentError) return false;
    return thrown instanceof AnswerError || this.#patience.sentForMs > promptMs;
  }

  /** Aborted when the call ends before its time. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  readonly #due = (due: Due): void => {
    if (due === 'asker') this.#watch.begin(this.#lose);
    else if (due === 'all') this.cancel();
    else if (due !== 'host') this.#timeOut(due);
    else if (this.#url !== null) void this.#checkReach(this.#url);
  };

  /** Whoever asked has gone. */
  readonly #lose = (): void => {
    // What has not been sent, or was refused, costs nothing.
    if (this.#onLinger === undefined || !this.#hasSent || (this.#status ?? 200) >= 400) this.cancel();
    else this.linger(lingerMs, this.#onLinger);
  };

  #timeOut(kind: TimeoutKind): void {
    if (kind === 'connect' && this.#sentTo !== null) this.#services.outgoing.notReached(this.#sentTo);
    this.#timedOut = kind;
    this.cancel();
  }

  /** Runs only for an upstream that has been silent for a while: is it slow, or is nobody there? */
  async #checkReach(url: string): Promise<void> {
    const { reachability } = this.#services;
    const isOpen = await reachability.ask(url, this.#patience.hostCheckMs, url !== this.#askedUrl);
    if (!isOpen && this.#url === url) this.#timeOut('connect');
  }
}
