/**
 * Sends one request to a call's provider; what is no answer becomes a failure, and a secret that ended is renewed. What
 * comes in pieces is read up to its first content, so that anything wrong before it can still go elsewhere.
 */
import { readTextWithin, takeTextWithin } from '../base/bounded-body.ts';
import { type BodyReader, type HttpAnswer, readerOf } from '../base/http-answer.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { ReadableFrames } from '../protocols/frames/readable-frames.ts';
import type { StreamTranslator, UpstreamComplaint } from '../protocols/translator.ts';
import { refuse } from '../protocols/turn/refuse.ts';
import type { Support, UpstreamAddress } from '../providers/index.ts';
import { invalidAnswerFailure, refusalFailure, type UpstreamFailure } from '../routing/index.ts';
import type { UpstreamCall } from './call.ts';
import { readRetryAfter, readSpentMs, withErrorType } from './refusal-headers.ts';

const maxAnswerBytes = 64 * 1_048_576;
const maxErrorBytes = 262_144;
/** For what a refusal says beside its status. */
const refusalMs = 5_000;

/** A provider that did not answer, or refused to. */
export class UpstreamFailedError extends Error {
  readonly failure: UpstreamFailure;

  constructor(failure: UpstreamFailure) {
    super(failure.error.message);
    this.name = 'UpstreamFailedError';
    this.failure = failure;
  }
}

/** Who reads the body of a refusal. */
interface ComplaintReader {
  readComplaint(body: string): UpstreamComplaint | null;
}

export interface UpstreamQuestion {
  readonly support: Support<ComplaintReader>;
  readonly stream: boolean;
  /** JSON, which is signed where the upstream wants that. */
  readonly body: string;
  /** Sent instead of `body`. */
  readonly upload?: { readonly contentType: string; readonly parts: readonly Uint8Array[] };
  /** Behind the address. */
  readonly path?: string;
  readonly forwarded?: Readonly<Record<string, string>>;
}

const nothingForwarded: Readonly<Record<string, string>> = {};

/** @throws UpstreamFailedError for every status but success. */
export async function askUpstream(call: UpstreamCall, question: UpstreamQuestion): Promise<HttpAnswer> {
  if (call.candidate.adapter.oauth !== undefined) await call.freshenSecret();
  while (true) {
    const addressed = addressOf(call, question);
    const address = addressed instanceof Promise ? await addressed : addressed;
    const response = await call.send(requestTo(address, question));
    const turn = call.answered(response);
    if (turn !== undefined) await turn;
    const { receive } = question.support;
    if (response.ok) return receive === undefined ? response : receive(response, address.url);
    const failure = await readRefusal(response, question, call);
    if (failure.isUnauthorised !== true || !(await call.renewSecret())) {
      throw new UpstreamFailedError(failure);
    }
  }
}

function addressOf({ candidate, secret }: UpstreamCall, question: UpstreamQuestion) {
  const { target } = candidate;
  return question.support.address({
    target: target.secret === secret ? target : { ...target, secret },
    model: candidate.deployment.upstreamId,
    stream: question.stream,
    body: question.body,
    forwarded: question.forwarded ?? nothingForwarded,
  });
}

function requestTo({ url, headers }: UpstreamAddress, { body, upload, path = '' }: UpstreamQuestion) {
  const to = path === '' ? url : url + path;
  if (upload === undefined) return { url: to, headers, body };
  const length = upload.parts.reduce((sum, part) => sum + part.byteLength, 0);
  const described = { 'content-type': upload.contentType, 'content-length': String(length) };
  return { url: to, headers: { ...headers, ...described }, body: streamOf(upload.parts) };
}

/** Part after part as the upstream takes them; none is copied. */
function streamOf(parts: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream(
    {
      pull(controller) {
        const part = parts[next];
        next += 1;
        if (part === undefined) controller.close();
        else controller.enqueue(part);
      },
    },
    { highWaterMark: 0 },
  );
}

/** @throws BodyTooLargeError beyond what any answer is, AppError server_busy where there is no room for it. */
export function readAnswerText(
  response: HttpAnswer,
  call: UpstreamCall,
  maxBytes = maxAnswerBytes,
): MaybePromise<string> {
  const bounds = { maxBytes, held: call.held, onProgress: () => call.progressed() };
  const whole = takeTextWithin(response, bounds);
  if (whole !== null) return whole;
  // Who says how long it is has all of it; without a length some hosts send the head long before they have anything.
  if (response.headers.get('content-length') !== null) call.progressed();
  return readTextWithin(response, bounds);
}

/** The text of something short that came instead of what was asked for. */
function readShortText(response: HttpAnswer, call: UpstreamCall): MaybePromise<string> {
  return readAnswerText(response, call, maxErrorBytes);
}

/** What a refusal says, as far as it says it soon. */
function readRefusalText(response: HttpAnswer, call: UpstreamCall): MaybePromise<string> {
  call.progressed(refusalMs);
  const bounds = { maxBytes: maxErrorBytes, held: call.held, onProgress: () => {} };
  return takeTextWithin(response, bounds) ?? readTextWithin(response, bounds);
}

async function readRefusal(
  response: HttpAnswer,
  { support }: UpstreamQuestion,
  call: UpstreamCall,
): Promise<UpstreamFailure> {
  if (response.status < 400) return invalidAnswerFailure(`status ${response.status}`);
  let complaint: UpstreamComplaint | null = null;
  try {
    complaint = support.protocol.readComplaint(await readRefusalText(response, call));
  } catch {
    // The status alone says enough when the body cannot be had.
  }
  return refusalFailure({
    status: response.status,
    complaint: withErrorType(complaint, response.headers),
    secret: call.secret,
    retryAfterSeconds: readRetryAfter(response.headers, call.nowMs),
    spentForMs: readSpentMs(response.headers, call.nowMs),
    nowMs: call.nowMs,
  });
}

/** Frames held back while nothing of them shows the client anything, beside those that repeat the request. */
const maxHeldBytes = 1_048_576;
/** The Responses protocol repeats instructions, tools and formats in two or three events, and may write them longer. */
const mostRepeats = 4;
const maxFrameBytes = 16 * 1_048_576;

/** A stream whose first content has come. */
export interface OpenStream {
  readonly kind: 'stream';
  readonly call: UpstreamCall;
  readonly reader: BodyReader;
  readonly frames: ReadableFrames;
  readonly translator: StreamTranslator;
  /** What the client gets first. */
  readonly head: Uint8Array;
  /** The upstream has already sent everything. */
  readonly isDone: boolean;
}

export interface StreamOpening {
  readonly call: UpstreamCall;
  readonly translator: StreamTranslator;
  /** How long the request was, where the protocol repeats it before it answers. */
  readonly askedLength?: number;
  /** No piece may be dropped, since somebody else can be asked for it. */
  readonly isStrict?: boolean;
  readComplaint(body: string): UpstreamComplaint | null;
}

/** @throws UpstreamFailedError when it is no stream, complains or ends before any content. */
export async function openStream(response: HttpAnswer, opening: StreamOpening): Promise<OpenStream> {
  const { call } = opening;
  const type = (response.headers.get('content-type') ?? '').toLowerCase();
  const reader = type.startsWith('text/event-stream') ? readerOf(response) : null;
  if (reader === null) {
    const complaint = opening.readComplaint(await readShortText(response, call));
    throw complaint === null
      ? invalid(`a stream was asked for, and ${type || 'nothing'} came`)
      : refused(complaint, call);
  }
  try {
    return await readToContent(reader, opening);
  } catch (thrown) {
    // The provider may be asked once more in this call, so that its end alone would come too late.
    reader.cancel().catch(() => undefined);
    throw thrown;
  }
}

async function readToContent(
  reader: BodyReader,
  { call, translator, askedLength = 0, isStrict = false }: StreamOpening,
): Promise<OpenStream> {
  const frames = new ReadableFrames(maxFrameBytes, () => call.droppedFrame(), isStrict);
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  while (true) {
    const { done, value } = await reader.read();
    const turn = call.turnToBegin();
    if (turn !== undefined) await turn;
    const block = done ? frames.close() : frames.push(value, true);
    if (block.length > 0) {
      const out = translator.push(block, frames.count);
      held.push(out);
      heldBytes += out.length;
    }
    const { complaint } = translator;
    if (complaint !== null && !translator.hasContent) throw refused(complaint, call);
    if (frames.isSpoilt) throw invalid(spoiltStream);
    if (translator.hasContent) {
      // From here on the client sets the pace; its silence is not the upstream's.
      call.handOver();
      const head = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
      return { kind: 'stream', call, reader, frames, translator, head, isDone: done };
    }
    if (done || translator.isEnded) throw invalid('the stream ended before it had any content');
    if (heldBytes > maxHeldBytes + mostRepeats * askedLength)
      throw invalid('too much came before any content');
  }
}

/** Of a stream with more pieces that nobody can read than are passed over, or one that must not be. */
export const spoiltStream = 'pieces of the stream were no JSON: too many of them, or one of a call';

/** Bytes whose first piece has come. */
export interface OpenBytes {
  readonly kind: 'bytes';
  readonly call: UpstreamCall;
  readonly reader: BodyReader;
  readonly head: Uint8Array;
  readonly contentType: string;
}

export interface BytesOpening {
  readonly call: UpstreamCall;
  readonly contentType: string;
  /** Of a content type: it names what was not asked for. */
  isOther(type: string): boolean;
  readComplaint(body: string): UpstreamComplaint | null;
}

/** @throws UpstreamFailedError when text, other bytes or nothing came. */
export async function openBytes(response: HttpAnswer, opening: BytesOpening): Promise<OpenBytes> {
  const { call, contentType } = opening;
  const type = (response.headers.get('content-type') ?? '').toLowerCase();
  const reader = /^(?:application\/json|text\/)/.test(type) ? null : readerOf(response);
  if (reader === null) {
    const complaint = opening.readComplaint(await readShortText(response, call));
    throw complaint === null
      ? invalid(`audio was asked for, and ${type || 'nothing'} came`)
      : refused(complaint, call);
  }
  // A host that does not make what was asked for is sound for everybody who asks for something else.
  if (opening.isOther(type)) throw refuse(`${contentType} as the form of sound`, 'response_format');
  while (true) {
    const { done, value } = await reader.read();
    if (done) throw invalid('the answer has no bytes');
    if (value.length === 0) continue;
    // From here on the client sets the pace; its silence is not the upstream's.
    call.handOver();
    return { kind: 'bytes', call, reader, head: value, contentType };
  }
}

const invalid = (reason: string) => new UpstreamFailedError(invalidAnswerFailure(reason));

const refused = (complaint: UpstreamComplaint, { secret, nowMs }: UpstreamCall) =>
  new UpstreamFailedError(refusalFailure({ status: 200, complaint, secret, nowMs }));
