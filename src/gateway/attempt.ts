/** One try at one provider: it ends in an answer that has begun to show content, or in a failure. */
import { BodyTooLargeError, readTextWithin } from '../base/bounded-body.ts';
import { AppError } from '../base/errors.ts';
import { FrameSplitter, FrameTooLargeError } from '../base/sse.ts';
import {
  ComplaintError,
  type InferenceRequest,
  type StreamTranslator,
  type Translator,
  UnreadableAnswerError,
  type UpstreamComplaint,
  type WholeAnswer,
} from '../protocols/exchange.ts';
import type { ModelFacts } from '../protocols/turn/request.ts';
import {
  type Candidate,
  invalidAnswerFailure,
  refusalFailure,
  type UpstreamFailure,
  unservableFailure,
} from '../routing/index.ts';
import type { UpstreamCall } from './upstream-call.ts';

const maxAnswerBytes = 64 * 1_048_576;
const maxErrorBytes = 262_144;
/** Frames held back while nothing of them shows the client anything. */
const maxHeldBytes = 1_048_576;
const maxFrameBytes = 16 * 1_048_576;

/** A stream whose first content has come. */
export interface OpenStream {
  readonly kind: 'stream';
  readonly call: UpstreamCall;
  readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly splitter: FrameSplitter;
  readonly translator: StreamTranslator;
  /** What the client gets first. */
  readonly head: Uint8Array;
  /** The upstream has already sent everything. */
  readonly isDone: boolean;
  readonly secret: string | null;
}

export type AttemptResult =
  | { readonly kind: 'whole'; readonly answer: WholeAnswer }
  | OpenStream
  | { readonly kind: 'failure'; readonly failure: UpstreamFailure };

export interface Attempt {
  readonly candidate: Candidate;
  readonly translator: Translator;
  readonly request: InferenceRequest;
  /** Of the model, for requests that are converted. */
  readonly facts: ModelFacts;
  /** Protocol headers of the client's own. */
  readonly forwarded: Readonly<Record<string, string>>;
  readonly call: UpstreamCall;
}

/** Never throws: what the network or the upstream does wrong is a failure. */
export async function attempt(options: Attempt): Promise<AttemptResult> {
  const { candidate, translator, request, call } = options;
  try {
    const { provider, upstreamId } = candidate.deployment;
    const body = translator.writeRequest(request, upstreamId, options.facts);
    const target = {
      name: provider.name,
      baseUrl: provider.baseUrl,
      settings: provider.settings,
      secret: candidate.secret,
    };
    const response = await call.send(
      candidate,
      candidate.adapter.chat.address(target, body, options.forwarded),
    );
    if (!response.ok) return fail(call, await readRefusal(response, options));
    if (request.stream) return await openStream(response, options);
    const text = await readTextWithin(response, maxAnswerBytes, call.progressed);
    call.close();
    return { kind: 'whole', answer: translator.readAnswer(text) };
  } catch (thrown) {
    return fail(call, failureOf(thrown, options));
  }
}

function fail(call: UpstreamCall, failure: UpstreamFailure): AttemptResult {
  call.cancel();
  return { kind: 'failure', failure };
}

function failureOf(thrown: unknown, { call, candidate }: Attempt): UpstreamFailure {
  if (thrown instanceof AppError) return unservableFailure(thrown);
  if (thrown instanceof UnreadableAnswerError) return invalidAnswerFailure(thrown.message);
  if (thrown instanceof ComplaintError) {
    return refusalFailure({ status: 200, complaint: thrown.complaint, secret: candidate.secret });
  }
  if (thrown instanceof BodyTooLargeError) return invalidAnswerFailure(thrown.message);
  if (thrown instanceof FrameTooLargeError) return invalidAnswerFailure(thrown.message);
  return call.failureOf(thrown);
}

async function readRefusal(response: Response, options: Attempt): Promise<UpstreamFailure> {
  if (response.status < 400) return invalidAnswerFailure(`status ${response.status}`);
  let complaint: UpstreamComplaint | null = null;
  try {
    complaint = options.translator.readComplaint(
      await readTextWithin(response, maxErrorBytes, options.call.progressed),
    );
  } catch {
    // The status alone says enough when the body cannot be had.
  }
  return refusalFailure({
    status: response.status,
    complaint,
    secret: options.candidate.secret,
    retryAfterSeconds: readRetryAfter(response.headers.get('retry-after')),
  });
}

/** Seconds or an HTTP date; bounded, because it is passed on. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.min(3600, Math.max(1, Math.ceil(seconds))) : undefined;
}

/** Reads on until the first content, so that anything wrong before it can still go to another provider. */
async function openStream(response: Response, options: Attempt): Promise<AttemptResult> {
  const { call, candidate } = options;
  const { secret } = candidate;
  const type = response.headers.get('content-type') ?? '';
  if (response.body === null || !type.startsWith('text/event-stream')) {
    const text = await readTextWithin(response, maxErrorBytes, call.progressed);
    const complaint = options.translator.readComplaint(text);
    if (complaint !== null) return fail(call, refusalFailure({ status: 200, complaint, secret }));
    return fail(call, invalidAnswerFailure(`a stream was asked for, and ${type || 'nothing'} came`));
  }
  const reader = response.body.getReader();
  const splitter = new FrameSplitter(maxFrameBytes);
  const translator = options.translator.openStream(options.request);
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  while (true) {
    const { done, value } = await reader.read();
    const block = done ? closingBlock(splitter) : splitter.push(value);
    if (block.length > 0) {
      const out = translator.push(block);
      held.push(out);
      heldBytes += out.length;
    }
    const { complaint } = translator;
    if (complaint !== null && !translator.hasContent)
      return fail(call, refusalFailure({ status: 200, complaint, secret }));
    if (translator.hasContent) {
      const head = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
      return { kind: 'stream', call, reader, splitter, translator, head, isDone: done, secret };
    }
    if (done) return fail(call, invalidAnswerFailure('the stream ended before it had any content'));
    if (heldBytes > maxHeldBytes) return fail(call, invalidAnswerFailure('too much came before any content'));
  }
}

/** A last frame whose blank line never came is taken as whole; the translator judges what is in it. */
export function closingBlock(splitter: FrameSplitter): Buffer {
  const rest = splitter.rest();
  return rest.length === 0 ? rest : Buffer.concat([rest, Buffer.from('\n\n')]);
}
