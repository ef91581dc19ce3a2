/** Sends one request to a candidate's upstream; what is not an answer becomes a failure. */
import { readTextWithin } from '../base/bounded-body.ts';
import type { UpstreamComplaint } from '../protocols/translator.ts';
import type { Support } from '../providers/index.ts';
import {
  type Candidate,
  invalidAnswerFailure,
  refusalFailure,
  type UpstreamFailure,
} from '../routing/index.ts';
import type { UpstreamCall } from './upstream-call.ts';
import { UpstreamFailedError } from './upstream-failed-error.ts';

const maxAnswerBytes = 64 * 1_048_576;
const maxErrorBytes = 262_144;

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

interface Asking {
  readonly candidate: Candidate;
  readonly call: UpstreamCall;
}

/** @throws UpstreamFailedError for every status but success. */
export async function askUpstream(
  { candidate, call }: Asking,
  question: UpstreamQuestion,
): Promise<Response> {
  const { support, stream, body, upload, path = '' } = question;
  const { provider, upstreamId } = candidate.deployment;
  const target = {
    name: provider.name,
    baseUrl: provider.baseUrl,
    region: provider.region,
    settings: provider.settings,
    secret: candidate.secret,
  };
  const addressed = support.address({
    target,
    model: upstreamId,
    stream,
    body,
    forwarded: question.forwarded ?? {},
  });
  const { url, headers } = addressed instanceof Promise ? await addressed : addressed;
  const response = await call.send(candidate.adapter, {
    url: url + path,
    headers: upload === undefined ? headers : { ...headers, ...uploadHeaders(upload) },
    body: upload === undefined ? body : streamOf(upload.parts),
  });
  if (!response.ok) throw new UpstreamFailedError(await readRefusal(response, { support, call, candidate }));
  return support.receive === undefined ? response : support.receive(response);
}

/** @throws BodyTooLargeError beyond what any answer is. */
export function readAnswerText(
  response: Response,
  call: UpstreamCall,
  maxBytes = maxAnswerBytes,
): Promise<string> {
  return readTextWithin(response, maxBytes, call.progressed);
}

/** The text of something short that came instead of what was asked for. */
export function readShortText(response: Response, call: UpstreamCall): Promise<string> {
  return readTextWithin(response, maxErrorBytes, call.progressed);
}

function uploadHeaders({ contentType, parts }: { contentType: string; parts: readonly Uint8Array[] }) {
  const length = parts.reduce((sum, part) => sum + part.byteLength, 0);
  return { 'content-type': contentType, 'content-length': String(length) };
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

async function readRefusal(
  response: Response,
  { support, call, candidate }: Asking & { support: Support<ComplaintReader> },
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
    secret: candidate.secret,
    retryAfterSeconds: readRetryAfter(response.headers.get('retry-after')),
  });
}

/** Seconds or an HTTP date; bounded, because it is passed on. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.min(3600, Math.max(1, Math.ceil(seconds))) : undefined;
}
