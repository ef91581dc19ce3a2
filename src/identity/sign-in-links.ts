/** Links that sign a person in once; only the hash of the secret in them is stored. */
import { and, eq, gt, isNull, lte } from 'drizzle-orm';
import { signInLinks } from '../storage/schema/identity.ts';
import type { IdentityContext } from './context.ts';
import { mintSecret } from './secret.ts';
import { hashToken } from './token.ts';

const lifetimeMs = 3_600_000;

export interface SignInLink {
  /** What the link carries. */
  readonly secret: string;
  readonly expiresAt: Date;
}

/** Good for an hour. Earlier links of the person that were not used stay good for theirs. */
export async function createSignInLink(context: IdentityContext, userId: number): Promise<SignInLink> {
  const { executor, clock, ids } = context;
  const nowMs = clock.nowMs();
  await executor
    .delete(signInLinks)
    .where(and(eq(signInLinks.userId, userId), lte(signInLinks.expiresAt, new Date(nowMs))));
  const secret = mintSecret(ids);
  const expiresAt = new Date(nowMs + lifetimeMs);
  await executor.insert(signInLinks).values({ userId, tokenHash: hashToken(secret), expiresAt });
  return { secret, expiresAt };
}

/**
 * Uses a link up. Of two who redeem it at once, one wins: the row changes under its lock.
 * @returns whose it is; undefined when it is unknown, used or over.
 */
export async function redeemSignInLink(
  context: IdentityContext,
  secret: string,
): Promise<number | undefined> {
  const { executor, clock } = context;
  const now = new Date(clock.nowMs());
  const [redeemed] = await executor
    .update(signInLinks)
    .set({ usedAt: now })
    .where(
      and(
        eq(signInLinks.tokenHash, hashToken(secret)),
        isNull(signInLinks.usedAt),
        gt(signInLinks.expiresAt, now),
      ),
    )
    .returning({ userId: signInLinks.userId });
  return redeemed?.userId;
}
