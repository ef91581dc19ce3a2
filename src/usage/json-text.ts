/** Values of usage records as the JSON that the database reads: one odd value must not keep a whole batch out. */

const maxKnownNames = 2000;
const knownNames = new Map<string, string>();

/** Names are few, and each is written once. */
export function writeName(name: string | null): string {
  if (name === null) return 'null';
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const written = writeText(name);
  if (knownNames.size >= maxKnownNames) knownNames.clear();
  knownNames.set(name, written);
  return written;
}

/** PostgreSQL keeps neither NUL nor half a surrogate pair. */
export function writeText(text: string): string {
  const isStorable = text.isWellFormed() && !text.includes('\0');
  return JSON.stringify(isStorable ? text : text.toWellFormed().replaceAll('\0', '\ufffd'));
}

const maxInteger = 2_147_483_647;
const maxNanoUsd = 9_223_372_036_854_775_807n;
/** More than eleven days. */
const maxDurationMs = 1e9;

export function writeCount(count: number, most = maxInteger): number {
  return Math.trunc(Math.max(0, Math.min(count || 0, most)));
}

export function writeMs(ms: number): number {
  return Math.max(0, Math.min(ms || 0, maxDurationMs));
}

export function writeNanoUsd(nanoUsd: bigint): bigint {
  if (nanoUsd < 0n) return 0n;
  return nanoUsd > maxNanoUsd ? maxNanoUsd : nanoUsd;
}
