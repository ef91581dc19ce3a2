/** Sends one request to a call's provider; what is no answer becomes a failure, and a secret that ended is renewed. */
import { readTextWithin } from '../base/bounded-body.ts';
import type { UpstreamComplaint } from '../protocols/translator.ts';
import type { Support, UpstreamAddress } from '../providers/index.ts';
import { invalidAnswerFailure, refusalFailure, type UpstreamFailure } from '../routing/index.ts';
import type { UpstreamCall } from './call.ts';
import { readSpentMs } from './quota-headers.ts';

const maxAnswerBytes = 64 * 1_048_576;
const maxErrorBytes = 262_144;

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
export async function askUpstream(call: UpstreamCall, question: UpstreamQuestion): Promise<Response> {
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
  response: Response,
  call: UpstreamCall,
  maxBytes = maxAnswerBytes,
): Promise<string> {
  return readTextWithin(response, { maxBytes, held: call.held, onProgress: () => call.progressed() });
}

/** The text of something short that came instead of what was asked for. */
export function readShortText(response: Response, call: UpstreamCall): Promise<string> {
  return readAnswerText(response, call, maxErrorBytes);
}

async function readRefusal(
  response: Response,
  { support }: UpstreamQuestion,
  call: UpstreamCall,
): Promise<UpstreamFailure> {
  if (response.status < 400) return invalidAnswerFailure(`status ${response.status}`);
  let complaint: UpstreamComplaint | null = null;
  try {
    complaint = support.protocol.readComplaint(await readShortText(response, call));
  } catch {
    // The status alone says enough when the body cannot be had.
  }
  return refusalFailure({
    status: response.status,
    complaint,
    secret: call.secret,
    retryAfterSeconds: readRetryAfter(response.headers.get('retry-after'), call.nowMs),
    spentForMs: readSpentMs(response.headers, call.nowMs),
  });
}

/** Seconds or an HTTP date; bounded, because it is passed on. */
function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(header) ? Number(header) : (Date.parse(header) - nowMs) / 1000;
  return Number.isFinite(seconds) ? Math.min(3600, Math.max(1, Math.ceil(seconds))) : undefined;
}
