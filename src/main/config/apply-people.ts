/** The users, keys and opening credits of the configuration file. */
import { asc, eq } from 'drizzle-orm';
import { writeUsd } from '../../base/money.ts';
import {
  findUserByEmail,
  type IdentityContext,
  listKeys,
  revokeKey,
  upsertManagedKey,
  upsertManagedUser,
} from '../../identity/index.ts';
import type { ChangeFeed } from '../../storage/change-feed.ts';
import type { Executor } from '../../storage/database.ts';
import { apiKeys, users } from '../../storage/schema/identity.ts';
import { walletDeposits } from '../../storage/schema/ledger.ts';
import type { ApplyParts, ApplyReport } from './apply.ts';
import type { ConfigurationFile } from './file.ts';
import { sameEmail } from './file-checks.ts';
import { ConfigurationError, type Mistake } from './mistake.ts';
import { locating } from './refusal.ts';

export async function applyPeople(
  executor: Executor,
  file: ConfigurationFile,
  parts: ApplyParts,
): Promise<ApplyReport> {
  const held = holdBack(parts.storage.changes);
  const context: IdentityContext = { ...parts, executor, changes: held.changes };
  const before = await readRows(executor);
  const userIds = await applyUsers(context, file);
  const keyWarnings = await applyKeys(context, file, userIds);
  const changed = !Bun.deepEquals(before, await readRows(executor));
  // The room publishes at every upsert; a start that changed no row need not empty anybody's cache.
  if (changed) await held.release(executor);
  const { deposited, warnings } = await creditWallets(executor, file, { parts, userIds });
  return { changed: changed || deposited, warnings: [...keyWarnings, ...warnings] };
}

async function applyUsers(
  context: IdentityContext,
  file: ConfigurationFile,
): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>();
  for (const [index, { email, password, role, name }] of file.content.users.entries()) {
    const declared = { email, password, role, ...(name !== undefined && { name }) };
    const user = await locating(file, ['users', index], () => upsertManagedUser(context, declared));
    ids.set(sameEmail(email), user.id);
  }
  return ids;
}

async function applyKeys(
  context: IdentityContext,
  file: ConfigurationFile,
  userIds: ReadonlyMap<string, number>,
): Promise<readonly Mistake[]> {
  const warnings: Mistake[] = [];
  const declaredIds = new Set<number>();
  for (const [index, key] of file.content.keys.entries()) {
    const ownerId =
      userIds.get(sameEmail(key.owner)) ?? (await findUserByEmail(context.executor, key.owner))?.id;
    if (ownerId === undefined) {
      const message = `nobody has an account with the address "${key.owner}"`;
      throw new ConfigurationError([file.mistakeAt(['keys', index, 'owner'], message)]);
    }
    const stored = await locating(file, ['keys', index], () =>
      upsertManagedKey(context, {
        ownerId,
        name: key.name,
        token: key.token,
        scopes: key.scopes,
        allowedModels: key.allowed_models,
        allowedProviders: key.allowed_providers,
        allowedRegions: key.allowed_regions,
        requestsPerMinute: key.requests_per_minute,
        tokensPerMinute: key.tokens_per_minute,
        concurrentRequests: key.concurrent_requests,
        expiresAt: key.expires_at,
        managedBy: 'file',
      }),
    );
    declaredIds.add(stored.id);
    if (stored.revokedAt === null) continue;
    const message = 'this key was revoked and stays so: mint another token, or drop the key';
    warnings.push(file.mistakeAt(['keys', index, 'token'], message));
  }
  for (const key of await listKeys(context.executor)) {
    if (key.managedBy === 'file' && !declaredIds.has(key.id)) await revokeKey(context, key.id);
  }
  return warnings;
}

/** A credit once for each address: the file says what a wallet opens with, not what is in it. */
async function creditWallets(
  executor: Executor,
  file: ConfigurationFile,
  { parts, userIds }: { parts: ApplyParts; userIds: ReadonlyMap<string, number> },
): Promise<{ deposited: boolean; warnings: readonly Mistake[] }> {
  let deposited = false;
  const warnings: Mistake[] = [];
  for (const [index, { email, wallet_usd: amountNanoUsd }] of file.content.users.entries()) {
    const userId = userIds.get(sameEmail(email));
    if (userId === undefined || amountNanoUsd === undefined || amountNanoUsd === 0n) continue;
    const businessKey = `file:opening:${sameEmail(email)}`;
    if (await parts.wallets.deposit(executor, { userId, amountNanoUsd, businessKey })) {
      deposited = true;
      continue;
    }
    const [earlier] = await executor
      .select({ amountNanoUsd: walletDeposits.amountNanoUsd })
      .from(walletDeposits)
      .where(eq(walletDeposits.businessKey, businessKey));
    if (earlier === undefined || earlier.amountNanoUsd === amountNanoUsd) continue;
    const message = `the wallet was opened with ${writeUsd(earlier.amountNanoUsd)} USD, once and for all; the new figure changes nothing`;
    warnings.push(file.mistakeAt(['users', index, 'wallet_usd'], message));
  }
  return { deposited, warnings };
}

async function readRows(executor: Executor) {
  return {
    users: await executor.select().from(users).where(eq(users.managedBy, 'file')).orderBy(asc(users.id)),
    keys: await executor.select().from(apiKeys).where(eq(apiKeys.managedBy, 'file')).orderBy(asc(apiKeys.id)),
  };
}

/** Keeps publications until it is known whether there was anything to tell. */
function holdBack(feed: ChangeFeed): {
  changes: ChangeFeed;
  release: (executor: Executor) => Promise<void>;
} {
  const publications: { topic: string; key: string }[] = [];
  return {
    changes: {
      publish: async (_executor, topic, key) => {
        publications.push({ topic, key });
      },
      subscribe: (topic, listener) => feed.subscribe(topic, listener),
    },
    release: async (executor) => {
      for (const { topic, key } of publications) await feed.publish(executor, topic, key);
    },
  };
}
