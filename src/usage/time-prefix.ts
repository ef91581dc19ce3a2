/** Request ids begin with their time: a span of time is a span of ids. */

const prefixDigits = 12;
const latestMs = 2 ** 48 - 1;

/** The least id that a request of this time can have; times before 1970 count as that. */
export function firstRequestIdAt(ms: number): string {
  const prefix = Math.min(Math.max(0, Math.trunc(ms)), latestMs)
    .toString(16)
    .padStart(prefixDigits, '0');
  return `${prefix.slice(0, 8)}-${prefix.slice(8)}-0000-0000-000000000000`;
}

export function timeOfRequestId(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, prefixDigits), 16);
}
