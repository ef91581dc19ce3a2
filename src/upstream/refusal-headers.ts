/** What the headers of a refusal say beside its body: how long to wait, and what kind of error it is. */
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
