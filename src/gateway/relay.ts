/**
 * The bodies of answers that come in events: pulled by the client, piece by piece, and settled when they end, however
 * they end. Those that come in bytes are in `relay-bytes.ts`.
 */
import { AppError, describeThrown } from '../base/errors.ts';
import { FrameTooLargeError, idleComment } from '../base/sse.ts';
import type { ErrorWriter } from '../protocols/translator.ts';
import { invalidAnswerFailure, refusalFailure, type UpstreamFailure } from '../routing/index.ts';
import { type OpenStream, spoiltStream } from '../upstream/index.ts';
import { type ChargedUsage, type StreamEstimate, usageOfStream } from './estimate.ts';
import { ReadingOn } from './reading-on.ts';
import { type RequestEnd, type RequestFacts, settleRequest } from './request-facts.ts';
import type { StreamRescue } from './rescue.ts';
import type { GatewayServices, Relaying } from './services.ts';
import { TurnWatch } from './turn-watch.ts';

export interface StreamRelay {
  readonly stream: OpenStream;
  readonly estimate: StreamEstimate;
  readonly facts: RequestFacts;
  readonly errors: ErrorWriter;
  readonly services: GatewayServices;
  /** Finds the rest should the stream break off, where that is wanted. */
  readonly rescue?: StreamRescue | undefined;
}

const encoder = new TextEncoder();
const idleFrame = encoder.encode(idleComment);

/** A pull-based stream: nothing is read from the upstream until the client has taken what came before. */
export function relayStream(relay: StreamRelay): ReadableStream<Uint8Array> {
  const relaying = new RelayedStream(relay);
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => relaying.start(controller),
      pull: () => relaying.pull(),
      cancel: () => relaying.cancel(),
    },
    { highWaterMark: 0 },
  );
}

type Controller = ReadableStreamDefaultController<Uint8Array>;

class RelayedStream implements Relaying {
  readonly #relay: StreamRelay;
  readonly #turn: TurnWatch;
  #stream: OpenStream;
  #estimate: StreamEstimate;
  #head: Uint8Array | null;
  /** Undefined once it was called for: each request has one. */
  #rescue: StreamRescue | undefined;
  /** While the rest is asked for. */
  #rescuing: StreamRescue | undefined;
  #hasGone = false;
  #isOver = false;
  #controller: Controller | undefined;
  #isReading = false;
  /** Undefined until the client has gone. */
  #readingOn: ReadingOn | undefined;

  constructor(relay: StreamRelay) {
    this.#relay = relay;
    this.#stream = relay.stream;
    this.#estimate = relay.estimate;
    this.#rescue = relay.rescue;
    this.#head = relay.stream.head;
    const { deadlines, settings } = relay.services;
    relay.services.relays.add(this);
    this.#turn = new TurnWatch(deadlines, {
      keepAliveMs: settings.keepAliveMs,
      onSilence: () => this.#controller?.enqueue(this.#stream.translator.idle?.() ?? idleFrame),
      clientStallMs: settings.clientStallMs,
      onStall: () => this.#stalled(),
    });
  }

  start(controller: Controller): void {
    this.#controller = controller;
  }

  pull(): Promise<void> | void {
    const stream = this.#stream;
    const first = this.#head;
    if (first === null) return this.#next();
    this.#head = null;
    if (first.length > 0) this.#controller?.enqueue(first);
    if (stream.translator.complaint !== null) return this.#breakOff();
    else if (stream.isDone || stream.translator.isEnded) return this.#finishSafely();
    else if (first.length === 0) return this.#next();
    else this.#turn.clients(true);
  }

  /** As if the client had gone; its connection is broken, since what waits in it is never taken. */
  #stalled(): void {
    this.cancel();
    this.#controller?.error();
  }

  /** The client has gone. Its stream is read on for a while, unless it was settled: only the end tells what it took. */
  cancel(): void {
    this.#turn.stop();
    this.#hasGone = true;
    if (this.#isOver) return;
    if (this.#rescuing !== undefined) {
      this.#rescuing.abandon();
      return;
    }
    const { facts, services } = this.#relay;
    const stream = this.#stream;
    const { call, translator } = stream;
    if (translator.usage !== null || translator.complaint !== null || stream.isDone) {
      this.#leave();
      return;
    }
    this.#readingOn = new ReadingOn(stream);
    facts.lingers(services.settlement.owe(() => call.cancel()));
    if (!this.#isReading) void this.#next();
  }

  /** What was generated until now is paid for. */
  #leave(): void {
    const { call, reader, translator } = this.#stream;
    if (translator.isEnded || translator.usage !== null) void call.drain(reader);
    else call.cancel();
    this.#end({ status: 200, outcome: 'client_closed', usage: this.#usage() });
  }

  /** What was delivered is paid for, and the client learns why there is no more. */
  interrupt(error: AppError): void {
    // Nobody is there to be told, also where the client left while the rest was asked for.
    if (this.#readingOn !== undefined || this.#hasGone) {
      this.#leave();
      return;
    }
    this.#breakOffWith(error, 'interrupted');
  }

  /** Passes on the next blocks until one has something for the client. */
  async #next(): Promise<void> {
    const { call, reader, frames, translator } = this.#stream;
    const { turns } = this.#relay.services;
    // Of the client's silence: what comes and is nothing for it changes nothing.
    if (this.#readingOn === undefined) this.#turn.upstreams();
    this.#isReading = true;
    let isAwaiting = false;
    try {
      while (true) {
        call.awaitPiece();
        isAwaiting = true;
        const { done, value } = await reader.read();
        isAwaiting = false;
        // Many streams get a piece at once; what comes for this one meanwhile is one piece.
        const turn = turns.enter();
        if (turn !== undefined) await turn;
        const block = done ? frames.close() : frames.push(value, false, translator.repeated);
        const knownCharacters = translator.generatedCharacters;
        const out = block.length === 0 ? block : translator.push(block, frames.count);
        // A part of a frame, and a whole one that brings no text, is a sign of life.
        const isContent = translator.generatedCharacters > knownCharacters;
        call.receivedPiece(isContent);
        if (this.#readingOn !== undefined) {
          if (done || frames.isSpoilt || !this.#readingOn.goesOn(block.length)) return this.#leave();
          continue;
        }
        if (out.length > 0) this.#controller?.enqueue(out);
        if (translator.complaint !== null) return await this.#breakOff();
        if (frames.isSpoilt) return await this.#broke(invalidAnswerFailure(spoiltStream));
        if (done || translator.isEnded) return await this.#finish();
        if (out.length > 0) return this.#turn.clients(isContent);
      }
    } catch (thrown) {
      if (isAwaiting && this.#isWhole()) await this.#finishSafely();
      else await this.#fail(thrown);
    } finally {
      this.#isReading = false;
    }
  }

  /** The answer has said how it ended: a connection that then breaks or stays silent takes nothing from it. */
  #isWhole(): boolean {
    const { call, translator } = this.#stream;
    if (this.#isOver || this.#readingOn !== undefined || call.hasLostAsker()) return false;
    return translator.isComplete && translator.complaint === null;
  }

  /** Nobody else would catch what the end throws. */
  #finishSafely(): Promise<void> | void {
    try {
      return this.#finish();
    } catch (thrown) {
      return this.#fail(thrown);
    }
  }

  #fail(thrown: unknown): Promise<void> | void {
    // Who ended it, at a stop, has settled it: what its reading throws then is no fault of the provider's.
    if (this.#isOver) return;
    if (this.#readingOn !== undefined) {
      this.#leave();
      return;
    }
    const isEndless = thrown instanceof FrameTooLargeError;
    const failure = isEndless ? invalidAnswerFailure(thrown.message) : this.#stream.call.failureOf(thrown);
    return this.#broke(failure);
  }

  /** A stream that ends without its protocol's end was cut: the client must not take it for whole. */
  #finish(): Promise<void> | void {
    const { call, translator, reader } = this.#stream;
    if (!translator.isComplete) {
      return this.#broke(invalidAnswerFailure('the stream ended without its end'));
    }
    this.#turn.stop();
    const tail = translator.end();
    if (tail.length > 0) this.#controller?.enqueue(tail);
    if (translator.complaint !== null) return this.#breakOff();
    void call.drain(reader);
    this.#end({ status: 200, outcome: 'complete', usage: this.#usage() });
    this.#controller?.close();
  }

  #breakOff(): Promise<void> | void {
    const { translator, call } = this.#stream;
    const complaint = { status: 200, complaint: translator.complaint, secret: call.secret };
    return this.#broke(refusalFailure(complaint));
  }

  /** The upstream failed in the middle of its answer: somebody else is asked for the rest, where that can be. */
  #broke(failure: UpstreamFailure): Promise<void> | void {
    const rescue = this.#rescue;
    this.#rescue = undefined;
    if (rescue?.fits(failure) !== true) return this.#breakOffWith(failure.error);
    this.#rescuing = rescue;
    this.#stream.call.cancel();
    this.#turn.upstreams();
    return this.#goOn(failure, rescue);
  }

  async #goOn(failure: UpstreamFailure, rescue: StreamRescue): Promise<void> {
    const rescued = await rescue.goOn(failure);
    this.#rescuing = undefined;
    if (rescued.kind === 'answer') {
      this.#stream = rescued.stream;
      this.#estimate = rescued.estimate;
    } else this.#estimate = { of: () => rescued.usage };
    if (this.#isOver) return this.#stream.call.cancel();
    if (this.#hasGone) return this.#leave();
    if (rescued.kind !== 'answer') return this.#breakOffWith(failure.error);
    this.#head = rescued.stream.head;
    return this.pull();
  }

  /** After the first content an error can only be told inside the stream. What was delivered is paid for. */
  #breakOffWith(error: AppError, outcome: RequestEnd['outcome'] = 'upstream_failed'): void {
    const { facts, errors } = this.#relay;
    this.#turn.stop();
    this.#stream.call.cancel();
    this.#rescuing?.abandon();
    const isFirst = this.#end({
      status: 200,
      outcome,
      errorCode: error.code,
      usage: this.#usage(),
    });
    if (!isFirst) return;
    const position = this.#stream.translator.position?.();
    this.#controller?.enqueue(encoder.encode(errors.writeFrames(error, facts.requestId, position)));
    this.#controller?.close();
  }

  #end(end: RequestEnd): boolean {
    this.#isOver = true;
    this.#relay.services.relays.delete(this);
    return settleRequest(this.#relay.facts, end, this.#relay.services);
  }

  #usage(): ChargedUsage {
    const { facts, services } = this.#relay;
    const taken = { stream: this.#stream, estimate: this.#estimate };
    return usageOfStream(taken, { requestId: facts.requestId, log: services.log });
  }
}

/** Ends every answer that still goes on, because this process ends. */
export function interruptRelays({ relays, log }: Pick<GatewayServices, 'relays' | 'log'>): void {
  const error = new AppError({
    code: 'shutting_down',
    public: 'This server shut down in the middle of the answer. Ask again.',
    retryAfterSeconds: 1,
  });
  for (const relaying of [...relays]) {
    try {
      relaying.interrupt(error);
    } catch (thrown) {
      // One that cannot be ended keeps no other from its end.
      log.error('an answer could not be interrupted', { detail: describeThrown(thrown) });
    }
  }
}
