/** By what a person can sign in, so that nobody takes the last way in away from themself. */
import { eq } from 'drizzle-orm';
import { AppError } from '../base/errors.ts';
import { users } from '../storage/schema/identity.ts';
import { linkedIdentities, passkeys } from '../storage/schema/sign-in.ts';
import type { Work } from '../storage/work.ts';

/** What is to be taken away. */
type WayIn =
  | { readonly kind: 'provider'; readonly name: string }
  | { readonly kind: 'passkey'; readonly id: number };

/**
 * Locks the person's row until the work ends, so that of two who each leave the other as the last way, the second sees
 * that it is gone.
 * @param providers the names of all that are configured: an account at another one signs nobody in.
 * @throws AppError `conflict` where nothing else would be left.
 */
export async function requireAnotherWayIn(
  { executor }: Work,
  userId: number,
  { taken, providers }: { readonly taken: WayIn; readonly providers: readonly string[] },
): Promise<void> {
  const [user] = await executor.select().from(users).where(eq(users.id, userId)).for('update');
  if (user !== undefined && user.passwordHash !== null) return;
  const links = await executor
    .select({ provider: linkedIdentities.provider })
    .from(linkedIdentities)
    .where(eq(linkedIdentities.userId, userId));
  const keys = await executor.select({ id: passkeys.id }).from(passkeys).where(eq(passkeys.userId, userId));
  const ways: readonly WayIn[] = [
    ...links.flatMap(({ provider: name }) =>
      providers.includes(name) ? [{ kind: 'provider', name } as const] : [],
    ),
    ...keys.map(({ id }) => ({ kind: 'passkey', id }) as const),
  ];
  const left = ways.filter((way) => !Bun.deepEquals(way, taken));
  // What is no way in, or nobody's here, takes none away.
  if (left.length > 0 || left.length === ways.length) return;
  throw new AppError({
    code: 'conflict',
    reason: 'only_way_in',
    public: 'This is the only way that you can sign in. Set a password first.',
  });
}
