/** Another e-mail address for an account: it becomes theirs once a link that came to it was followed. */
import { and, eq, ne } from 'drizzle-orm';
import { z } from 'zod';
import { AppError } from '../base/errors.ts';
import { checkFields, fieldError } from '../base/field-check.ts';
import type { PersonScope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { users } from '../storage/schema/identity.ts';
import { databaseErrorCode } from '../storage/storage-error.ts';
import type { Work } from '../storage/work.ts';
import { tellOfAccount } from './account-events.ts';
import { isNamedByFile } from './account-removal.ts';
import { holdOneself } from './hold-person.ts';
import {
  findTokenHolder,
  issueToken,
  type OneTimeToken,
  redeemToken,
  type TokenHolder,
  withdrawTokens,
} from './one-time-tokens.ts';
import { aboutPerson, readUser, type User, userTopic } from './user.ts';
import { emailField } from './users.ts';

const changeFields = z.object({ email: emailField });

export type AskedChange =
  | { readonly outcome: 'asked'; readonly email: string; readonly token: OneTimeToken }
  /** Whoever owns the address is told by mail, and whoever asks nothing. */
  | { readonly outcome: 'taken'; readonly owner: User };

/**
 * What was asked for before is worth nothing from then on.
 * @throws AppError `validation_failed`; `conflict` for an account that the configuration file names by its address.
 */
export async function requestEmailChange(
  scope: PersonScope,
  work: Work,
  change: z.input<typeof changeFields>,
): Promise<AskedChange> {
  const { email } = checkFields(changeFields, change);
  const before = await holdOneself(scope, work.executor);
  if (await isNamedByFile(work.executor, before)) {
    throw new AppError({
      code: 'conflict',
      reason: 'declared_account',
      public: 'This account is named in the configuration file. Its address is changed there.',
    });
  }
  if (before.email === email) {
    throw fieldError([{ loc: ['email'], msg: 'is your address already', type: 'same_address' }]);
  }
  await withdrawTokens(work, 'change_email', before.id);
  const [owner] = await work.executor.select().from(users).where(eq(users.email, email));
  if (owner !== undefined) return { outcome: 'taken', owner: readUser(owner) };
  const token = await issueToken(work, 'change_email', before.id, { from: before.email, to: email });
  return { outcome: 'asked', email, token };
}

/** To which address a link would change the person's, without using it up; undefined when it is none of theirs. */
export async function findEmailChange(
  { userId }: PersonScope,
  executor: Executor,
  sought: { readonly secret: string; readonly nowMs: number },
): Promise<string | undefined> {
  return addressIn(await findTokenHolder(executor, 'change_email', sought), userId);
}

/**
 * Links that went to the address of before are worth nothing from then on.
 * @returns undefined when the link is unknown, used, over or somebody else's.
 * @throws AppError `validation_failed` when somebody else has the address meanwhile.
 */
export async function changeEmail(
  { userId }: PersonScope,
  work: Work,
  secret: string,
): Promise<{ readonly before: User; readonly after: User } | undefined> {
  const { executor, clock } = work;
  const sought = { secret, nowMs: clock.nowMs() };
  const holder = await findTokenHolder(executor, 'change_email', sought);
  const email = addressIn(holder, userId);
  // Somebody else's link is left as it is.
  if (holder === undefined || email === undefined) return undefined;
  // The file may name them since they asked.
  if (await isNamedByFile(executor, holder.user)) return undefined;
  if ((await redeemToken(work, 'change_email', secret)) === undefined) return undefined;
  const others = await executor
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.email, email), ne(users.id, userId)));
  if (others.length > 0) throw taken();
  const [row] = await executor
    .update(users)
    .set({ email, emailVerifiedAt: new Date(sought.nowMs) })
    .where(and(eq(users.id, userId), eq(users.email, holder.user.email)))
    .returning()
    .catch((thrown: unknown) => {
      // By somebody who did the same at this moment.
      throw databaseErrorCode(thrown) === uniqueViolation ? taken() : thrown;
    });
  if (row === undefined) return undefined;
  for (const purpose of ['reset_password', 'verify_email', 'sign_in', 'change_email'] as const) {
    await withdrawTokens(work, purpose, userId);
  }
  work.note(aboutPerson(userId, 'account.email_changed'));
  await tellOfAccount(work, 'account.email_changed', userId);
  work.announce(userTopic, String(userId));
  return { before: holder.user, after: readUser(row) };
}

const uniqueViolation = '23505';
const taken = () => fieldError([{ loc: ['email'], msg: 'belongs to another account', type: 'taken' }]);

/** Nothing once the address has changed since by another way. */
function addressIn(holder: TokenHolder | undefined, userId: number): string | undefined {
  if (holder === undefined || holder.user.id !== userId) return undefined;
  const { from, to } = holder.detail;
  return from === holder.user.email && typeof to === 'string' ? to : undefined;
}
