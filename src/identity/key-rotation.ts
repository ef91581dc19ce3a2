/** Another secret for a key that stays what it is: for a while both work, so that nobody who uses it stands still. */
import { eq, sql } from 'drizzle-orm';
import { AppError } from '../base/errors.ts';
import { fieldError } from '../base/field-check.ts';
import type { Scope } from '../base/scope.ts';
import { agreedNow } from '../storage/agreed-time.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import type { Work } from '../storage/work.ts';
import { type ApiKey, aboutKey, announceKey, apiKeyTopic } from './key.ts';
import { isOther, type KeyAsked, lockKey, requireChangeable, requireMayHold } from './key-changes.ts';
import { type CreatedKey, requireKey, storedToken } from './keys.ts';
import { hashToken, mintToken } from './token.ts';
import { findUser } from './users.ts';

/** What is chosen where nobody says otherwise, and at most. */
export const usualOverlapHours = 24;
export const mostOverlapHours = 30 * 24;
const hourMs = 3_600_000;

interface Rotation extends KeyAsked {
  readonly tokenPrefix: string;
  /** How long the present secret goes on working; 0 ends it now. */
  readonly overlapHours: number;
}

/**
 * @throws AppError `not_found`, `not_allowed`, `validation_failed`; `conflict` for a key that is not changed here, and
 *   while the secret before the present one still works.
 */
export async function rotateKey(
  scope: Scope,
  work: Work,
  { tokenPrefix, overlapHours, ...asked }: Rotation,
): Promise<CreatedKey> {
  const { executor, clock, ids } = work;
  if (!Number.isInteger(overlapHours) || overlapHours < 0 || overlapHours > mostOverlapHours) {
    const msg = `must be a whole number of hours from 0 to ${mostOverlapHours}`;
    throw fieldError([{ loc: ['overlapHours'], msg, type: 'overlap' }]);
  }
  const { row, owner } = await lockKey(scope, work, asked);
  requireChangeable(row);
  // Whoever has the token spends what is its owner's, who may be elsewhere than what the key belongs to.
  if (asked.actor !== 'program' && (await findUser(scope, executor, owner.id)) === undefined) {
    throw new AppError({
      code: 'not_allowed',
      reason: 'token_of_other',
      public: 'Only its owner, and who administers them, can have another token of this key.',
    });
  }
  requireMayHold(asked.actor, owner.id, row.scopes);
  const nowMs = clock.nowMs();
  if (row.previousEndsAt !== null && row.previousEndsAt.getTime() > nowMs) {
    throw new AppError({
      code: 'conflict',
      reason: 'rotated_before',
      public: `This key was rotated, and the token before works until ${row.previousEndsAt.toISOString()}. End that one first.`,
    });
  }
  const token = mintToken(ids, tokenPrefix);
  await executor
    .update(apiKeys)
    .set({
      ...storedToken(token, tokenPrefix),
      secretNumber: row.secretNumber + 1,
      rotatedAt: new Date(nowMs),
      secretLastUsedAt: null,
      previousTokenHash: row.tokenHash,
      previousTokenPrefix: row.tokenPrefix,
      previousTokenLastFour: row.tokenLastFour,
      previousEndsAt: overlapHours === 0 ? agreedNow(clock) : new Date(nowMs + overlapHours * hourMs),
      // Of the first secret only the key's own time is known.
      previousLastUsedAt: row.rotatedAt === null ? row.lastUsedAt : row.secretLastUsedAt,
      shownToOther: row.shownToOther || isOther(asked.actor, owner.id),
      revision: sql`${apiKeys.revision} + 1`,
    })
    .where(eq(apiKeys.id, row.id));
  announceKey(work, row);
  work.announce(apiKeyTopic, hashToken(token));
  work.note(aboutKey(row, 'key.rotated', { overlapHours }));
  return { key: await requireKey(executor, row.id), token };
}

/**
 * Ends the secret before the present one now; one that is over stays so.
 * @throws AppError `not_found`, `not_allowed`; `conflict` where there is none that works.
 */
export async function endOverlap(scope: Scope, work: Work, asked: KeyAsked): Promise<ApiKey> {
  const { executor, clock } = work;
  const { row } = await lockKey(scope, work, asked);
  const nowMs = clock.nowMs();
  if (row.previousEndsAt === null || row.previousEndsAt.getTime() <= nowMs) {
    throw new AppError({
      code: 'conflict',
      reason: 'no_earlier_token',
      public: 'No earlier token of this key works any more.',
    });
  }
  await executor
    .update(apiKeys)
    .set({ previousEndsAt: agreedNow(clock), revision: sql`${apiKeys.revision} + 1` })
    .where(eq(apiKeys.id, row.id));
  announceKey(work, row);
  work.note(aboutKey(row, 'key.changed', { overlapEnded: true }));
  return await requireKey(executor, row.id);
}
