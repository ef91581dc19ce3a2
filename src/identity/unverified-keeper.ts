/** Removes accounts whose address nobody ever verified, while a server runs: at its start and once an hour. */
import { and, asc, eq, inArray, isNull, lt, sql } from 'drizzle-orm';
import { Keeper } from '../base/keeper.ts';
import type { Log } from '../base/log.ts';
import { type AgreeingParts, withAgreedTime } from '../storage/agreed-time.ts';
import { eraseFromTrail } from '../storage/audit-trail.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { budgets } from '../storage/schema/budgets.ts';
import { invites, organisations, users } from '../storage/schema/identity.ts';
import { accounts, journals, wallets } from '../storage/schema/ledger.ts';
import { transact, type Work } from '../storage/work.ts';
import { userTopic } from './user.ts';

const pauseMs = 3_600_000;
const dayMs = 86_400_000;
/** In one transaction, so that none is long. */
const atOnce = 500;

interface UnverifiedKeeperParts extends AgreeingParts {
  readonly log: Log;
  /** How old an account has to be; 0 removes none. */
  readonly afterDays: number;
}

export function unverifiedKeeper({ afterDays, ...parts }: UnverifiedKeeperParts): Keeper {
  const { clock, log } = parts;
  return new Keeper({
    clock,
    log,
    pauseMs,
    failure: 'accounts that were never verified could not be removed; it is tried again in an hour',
    async round(closing) {
      if (afterDays === 0) return;
      const agreed = await withAgreedTime(parts);
      const before = new Date(agreed.clock.nowMs() - afterDays * dayMs);
      let removed = 0;
      for (let count = atOnce; count === atOnce && !closing.aborted; removed += count) {
        count = await transact(parts, (work) => removeUnverified(work, before));
      }
      if (removed > 0) log.info('accounts that were never verified were removed', { count: removed });
    },
  });
}

/**
 * With what is theirs alone: keys that were never used, sessions, tokens, second factors, linked identities and
 * acceptances go with the person, and what is personal in the audit trail. Whoever has a part in something that outlasts them stays: a key that was used, money,
 * an invitation, a role above a member's, a row of the configuration file. So does who is verified meanwhile, since the
 * rows are held from the look at them on.
 * @returns how many, of those that were looked at together.
 */
async function removeUnverified(work: Work, before: Date): Promise<number> {
  const { executor } = work;
  const due = await executor
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        eq(users.status, 'unverified'),
        isNull(users.emailVerifiedAt),
        lt(users.createdAt, before),
        eq(users.role, 'member'),
        isNull(users.managedBy),
        ...lastingParts.map((part) => sql`NOT EXISTS (${part})`),
      ),
    )
    .orderBy(asc(users.id))
    .limit(atOnce)
    .for('update', { of: users, skipLocked: true });
  const ids = due.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await executor.delete(apiKeys).where(inArray(apiKeys.ownerId, ids));
  await executor.delete(users).where(inArray(users.id, ids));
  await eraseFromTrail(executor, { userIds: ids });
  for (const id of ids) work.announce(userTopic, String(id));
  return ids.length;
}

/** What holds an account, as questions about the row of `users` at hand. */
const lastingParts = [
  sql`SELECT 1 FROM ${apiKeys} WHERE ${apiKeys.ownerId} = ${users.id}
    AND (${apiKeys.lastUsedAt} IS NOT NULL OR ${apiKeys.managedBy} IS NOT NULL)`,
  sql`SELECT 1 FROM ${budgets} WHERE ${budgets.subjectKind} = 'user' AND ${budgets.subjectId} = ${users.id}
    AND ${budgets.managedBy} = 'file'`,
  sql`SELECT 1 FROM ${invites} WHERE ${invites.acceptedBy} = ${users.id}
    OR (${invites.email} = ${users.email} AND ${invites.status} <> 'revoked')`,
  sql`SELECT 1 FROM ${organisations} WHERE ${organisations.billingUserId} = ${users.id}`,
  sql`SELECT 1 FROM ${accounts} WHERE ${accounts.userId} = ${users.id}`,
  sql`SELECT 1 FROM ${wallets} WHERE ${wallets.userId} = ${users.id}`,
  sql`SELECT 1 FROM ${journals} WHERE ${journals.createdBy} = ${users.id}`,
];
