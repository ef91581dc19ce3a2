/** One request to a webhook: to the address that was looked at and no other, without following, bounded in time and size. */
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import type { ResolvedAddress, ResolveName } from '../base/addresses.ts';
import type { Clock } from '../base/clock.ts';
import { withinTime } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { type AddressRules, readWebhookUrl, resolveWebhookHost } from './public-address.ts';

const limitMs = 15_000;
/** What is read of an answer, of which only the status counts. */
const mostAnswerBytes = 16_384;

export interface WebhookNetwork extends AddressRules {
  readonly resolve: ResolveName;
}

export interface WebhookAnswer {
  /** Null where none came. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Null where it was taken. */
  readonly error: string | null;
}

interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** It never throws: whatever becomes of it is an answer. */
export async function sendWebhook(
  clock: Clock,
  network: WebhookNetwork,
  sent: Sent,
  stopping: AbortSignal,
): Promise<WebhookAnswer> {
  const beganMs = clock.monotonicMs();
  const tookMs = () => Math.round(clock.monotonicMs() - beganMs);
  try {
    const status = await withinTime(clock, limitMs, async (late) => {
      const signal = AbortSignal.any([late, stopping]);
      const url = readWebhookUrl(sent.url, network);
      const address = await resolveWebhookHost(url, network, signal);
      return await post(url, address, sent, signal);
    });
    const isTaken = status >= 200 && status < 300;
    return { status, durationMs: tookMs(), error: isTaken ? null : `answered with status ${status}` };
  } catch (error) {
    return { status: null, durationMs: tookMs(), error: reasonOf(error) };
  }
}

function post(
  url: URL,
  { address, family }: ResolvedAddress,
  { headers, body }: Sent,
  signal: AbortSignal,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  if (signal.aborted) return Promise.reject(signal.reason);
  const send = url.protocol === 'https:' ? requestTls : requestPlain;
  const request = send(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    agent: false,
    // Names are not asked again: this is the address that was found to be public.
    lookup: (_hostname, { all }, done) => {
      if (all === true) done(null, [{ address, family }]);
      else done(null, address, family);
    },
  });
  let status: number | undefined;
  const abort = () => {
    // Once it is there the status is the answer, whether or not its body ever ends.
    if (status === undefined) reject(signal.reason);
    else resolve(status);
    request.destroy();
  };
  signal.addEventListener('abort', abort, { once: true });
  request.once('error', reject);
  request.once('response', (answer) => {
    const answered = answer.statusCode ?? 0;
    status = answered;
    let bytes = 0;
    const end = () => {
      resolve(answered);
      request.destroy();
    };
    answer.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes >= mostAnswerBytes) end();
    });
    answer.once('end', end);
    answer.once('error', end);
  });
  request.end(body);
  return promise.finally(() => signal.removeEventListener('abort', abort));
}

/** In words of ours: what a stranger's server says of itself does not come into our lists. */
function reasonOf(error: unknown): string {
  if (error instanceof AppError) return error.message;
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'no answer within 15 seconds';
  if (error instanceof DOMException) return 'broken off, because this service stopped';
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' && /^[A-Za-z0-9_]{1,60}$/.test(code)
    ? `no connection (${code})`
    : 'no connection';
}
