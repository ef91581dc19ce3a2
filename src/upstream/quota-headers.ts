/**
 * Whether an account has nothing left of a quota, and until when. Only that makes for a long pause: a limit that says
 * nothing of it is over in a moment. Read 2026-11-22 from the headers that services behind OAuth send with their 429
 * (`x-codex-…`) and from Anthropic's page on rate limits (`anthropic-ratelimit-unified-…`).
 */

import type { HttpFields } from '../base/http-answer.ts';

const percentWindows = ['primary', 'secondary'] as const;
const longestMs = 31 * 86_400_000;

/** @returns null where no header says that a quota is spent. */
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
