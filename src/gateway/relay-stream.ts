/** The body of a streamed answer: pulled by the client, piece by piece, and settled when it ends, however it ends. */
import type { AppError } from '../base/errors.ts';
import type { TokenUsage } from '../base/token-usage.ts';
import type { ErrorWriter, InferenceRequest } from '../protocols/exchange.ts';
import { invalidAnswerFailure, refusalFailure } from '../routing/index.ts';
import { closingBlock, type OpenStream } from './attempt.ts';
import { estimateUsage } from './estimate.ts';
import type { Exchange } from './exchange.ts';

export interface StreamRelay {
  readonly stream: OpenStream;
  readonly exchange: Exchange;
  readonly request: InferenceRequest;
  readonly errors: ErrorWriter;
}

/** A pull-based stream: nothing is read from the upstream until the client has taken what came before. */
export function relayStream(relay: StreamRelay): ReadableStream<Uint8Array> {
  const { stream } = relay;
  let head: Uint8Array | null = stream.head;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (head === null) return relayNext(relay, controller);
        const first = head;
        head = null;
        if (first.length > 0) controller.enqueue(first);
        if (stream.translator.complaint !== null) breakOff(relay, controller);
        else if (stream.isDone || stream.translator.isEnded) finish(relay, controller);
        else if (first.length === 0) await relayNext(relay, controller);
      },
      cancel() {
        stream.call.cancel();
        relay.exchange.end({ status: 200, outcome: 'client_closed', usage: usageOf(relay) });
      },
    },
    { highWaterMark: 0 },
  );
}

type Controller = ReadableStreamDefaultController<Uint8Array>;

/** Passes on the next blocks until one has something for the client. */
async function relayNext(relay: StreamRelay, controller: Controller): Promise<void> {
  const { call, reader, splitter, translator } = relay.stream;
  try {
    while (true) {
      call.awaitPiece();
      const { done, value } = await reader.read();
      const block = done ? closingBlock(splitter) : splitter.push(value);
      const knownCharacters = translator.generatedCharacters;
      const out = block.length === 0 ? block : translator.push(block);
      // A part of a frame is progress; a whole one that brings no text is a sign of life.
      call.receivedPiece(block.length === 0 || translator.generatedCharacters > knownCharacters);
      if (out.length > 0) controller.enqueue(out);
      if (translator.complaint !== null) return breakOff(relay, controller);
      if (done || translator.isEnded) return finish(relay, controller);
      if (out.length > 0) return;
    }
  } catch (thrown) {
    breakOffWith(relay, controller, call.failureOf(thrown).error);
  }
}

/** A stream that ends without its protocol's end was cut: the client must not take it for whole. */
function finish(relay: StreamRelay, controller: Controller): void {
  const { call, translator } = relay.stream;
  if (!translator.isComplete) {
    breakOffWith(relay, controller, invalidAnswerFailure('the stream ended without its end').error);
    return;
  }
  const tail = translator.end();
  if (tail.length > 0) controller.enqueue(tail);
  void call.drain(relay.stream.reader);
  relay.exchange.end({ status: 200, outcome: 'complete', usage: usageOf(relay) });
  controller.close();
}

function breakOff(relay: StreamRelay, controller: Controller): void {
  const { complaint } = relay.stream.translator;
  breakOffWith(
    relay,
    controller,
    refusalFailure({ status: 200, complaint, secret: relay.stream.secret }).error,
  );
}

/** After the first content an error can only be told inside the stream. What was delivered is paid for. */
function breakOffWith(relay: StreamRelay, controller: Controller, error: AppError): void {
  relay.stream.call.cancel();
  const isFirst = relay.exchange.end({
    status: 200,
    outcome: 'upstream_failed',
    errorCode: error.code,
    usage: usageOf(relay),
  });
  if (!isFirst) return;
  controller.enqueue(new TextEncoder().encode(relay.errors.writeFrames(error, relay.exchange.requestId)));
  controller.close();
}

function usageOf({ request, stream }: StreamRelay): TokenUsage {
  return stream.translator.usage ?? estimateUsage(request, stream.translator.generatedCharacters);
}
