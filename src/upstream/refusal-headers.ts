/** What the headers of a refusal say beside its body: how long to wait, until when a quota is spent, what kind of error it is. */
import type { HttpFields } from '../base/http-answer.ts';
import type { UpstreamComplaint } from '../protocols/translator.ts';
import { boundedSeconds } from '../routing/index.ts';

/** Seconds or an HTTP date; bounded, because it is passed on. */
export function readRetryAfter(headers: HttpFields, nowMs: number): number | undefined {
  const header = headers.get('retry-after');
  if (header === null) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(header) ? Number(header) : (Date.parse(header) - nowMs) / 1000;
  return boundedSeconds(seconds);
}

/**
 * AWS tells the type of an error in a header, with a namespace in front or an address behind, and the body mostly has none
 * (read in November 2026 from `clients/serde/json` of its own @aws-amplify/core 6.16.2).
 */
export function withErrorType(
  complaint: UpstreamComplaint | null,
  headers: HttpFields,
): UpstreamComplaint | null {
  const header = headers.get('x-amzn-errortype');
  if (header === null || complaint?.type != null) return complaint;
  const [named = ''] = header.split(/[,:]/, 1);
  const type = named.slice(named.lastIndexOf('#') + 1).trim();
  if (type === '') return complaint;
  return { ...(complaint ?? { message: '', code: null, param: null, status: null }), type };
}

const percentWindows = ['primary', 'secondary'] as const;
const longestMs = 31 * 86_400_000;

/**
 * Whether an account has nothing left of a quota, and until when. Only that makes for a long pause: a limit that says
 * nothing of it is over in a moment. Read 2026-11-22 from the headers that services behind OAuth send with their 429
 * (`x-codex-…`) and from Anthropic's page on rate limits (`anthropic-ratelimit-unified-…`).
 * @returns null where no header says that a quota is spent.
 */
export function readSpentMs(headers: HttpFields, nowMs: number): number | null {
  let spentMs: number | null = null;
  for (const window of percentWindows) {
    const used = Number(headers.get(`x-codex-${window}-used-percent`) ?? Number.NaN);
    if (!(used >= 100)) continue;
    const resetMs = Number(headers.get(`x-codex-${window}-reset-after-seconds`) ?? Number.NaN) * 1000;
    if (resetMs > 0) spentMs = Math.max(spentMs ?? 0, resetMs);
  }
  if (headers.get('anthropic-ratelimit-unified-status') === 'rejected') {
    const resetMs = readMoment(headers.get('anthropic-ratelimit-unified-reset') ?? '') - nowMs;
    if (resetMs > 0) spentMs = Math.max(spentMs ?? 0, resetMs);
  }
  return spentMs === null ? null : Math.min(spentMs, longestMs);
}

/** Seconds since the epoch, or a date. */
function readMoment(text: string): number {
  return /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text);
}
