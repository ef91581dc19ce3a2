/** The tries of a request as its usage row keeps them: a list each, without names, because every row has one. */
import { z } from 'zod';
import type { AttemptRecord, StoredAttempt } from './record.ts';

/** Far more than there are candidates; a bound for what one row may hold. */
const maxAttempts = 100;

/** In the order of the members of `AttemptRecord`. */
export function listAttempts(attempts: readonly AttemptRecord[]): readonly unknown[] {
  const listed = attempts.length > maxAttempts ? attempts.slice(0, maxAttempts) : attempts;
  return listed.map(listOf);
}

/** The usual one has no word of why, and nobody who was left out. */
const listOf = (attempt: AttemptRecord) => {
  const { provider, credentialId, status, latencyMs, errorCode, why, passed, model } = attempt;
  const list: unknown[] = [provider, credentialId, status, boundMs(latencyMs), errorCode];
  const hasPassed = why !== undefined && passed !== undefined;
  // What stands before another member has its place, though it may say nothing.
  if (why !== undefined || model !== undefined) list.push(why ?? '');
  if (hasPassed || model !== undefined)
    list.push((hasPassed ? passed : []).map((each) => [each.provider, each.credentialId, each.why]));
  if (model !== undefined) list.push(model);
  return list;
};

/** More than eleven days. */
const maxDurationMs = 1e9;

export function boundMs(ms: number): number {
  return Math.max(0, Math.min(ms || 0, maxDurationMs));
}

const attempt = z
  .tuple([
    z.string().nullable(),
    z.number().nullable(),
    z.number().nullable(),
    z.number().nullable(),
    z.string().nullable(),
  ])
  // A newer version of this program may have added to it.
  .rest(z.unknown());

/** What cannot be read was written by a version that this one does not know: it counts, and says nothing. */
export function readAttempts(list: readonly unknown[]): StoredAttempt[] {
  return list.map((entry) => {
    const read = attempt.safeParse(entry);
    const [provider, credentialId, status, latencyMs, errorCode, ...reasons] = read.success
      ? read.data
      : unknownAttempt;
    return { provider, credentialId, status, latencyMs, errorCode, ...readReasons(reasons) };
  });
}

const reason = z.tuple([
  z.string(),
  z.array(z.tuple([z.string(), z.number().nullable(), z.string()])).optional(),
  z.string().optional(),
]);

function readReasons(
  reasons: readonly unknown[],
): Pick<StoredAttempt, 'why' | 'passed' | 'model'> | undefined {
  const read = reason.safeParse(reasons.slice(0, 3));
  if (!read.success) return undefined;
  const [why, passed = [], model] = read.data;
  const left = passed.map(([provider, credentialId, whyNot]) => ({ provider, credentialId, why: whyNot }));
  return {
    ...(why === '' ? undefined : { why }),
    ...(left.length === 0 ? undefined : { passed: left }),
    ...(model === undefined ? undefined : { model }),
  };
}

const unknownAttempt = [null, null, null, null, null] as const;
