/** The tries of a request as its usage row keeps them: a list each, without names, because every row has one. */
import { z } from 'zod';
import { writeMs, writeName } from './json-text.ts';
import type { AttemptRecord, StoredAttempt } from './record.ts';

/** Far more than there are candidates; a bound for what one row may hold. */
const maxAttempts = 100;

/** As JSON, in the order of the members of `AttemptRecord`. */
export function writeAttempts(attempts: readonly AttemptRecord[]): string {
  if (attempts.length === 1 && attempts[0] !== undefined) return `[${writeAttempt(attempts[0])}]`;
  return `[${attempts.slice(0, maxAttempts).map(writeAttempt).join(',')}]`;
}

function writeAttempt({ provider, credentialId, status, latencyMs, errorCode }: AttemptRecord): string {
  return `[${writeName(provider)},${credentialId},${status},${writeMs(latencyMs)},${writeName(errorCode)}]`;
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
    const [provider, credentialId, status, latencyMs, errorCode] = read.success ? read.data : unknownAttempt;
    return { provider, credentialId, status, latencyMs, errorCode };
  });
}

const unknownAttempt = [null, null, null, null, null] as const;
