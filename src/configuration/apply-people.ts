/** The users, keys, opening credits and budgets of the configuration file. */
import { writeUsd } from '../base/money.ts';
import {
  endUndeclaredKeys,
  findUserByEmail,
  groupOfKey,
  holdManagedKeys,
  releaseUndeclaredUsers,
  upsertManagedKey,
  upsertManagedUser,
} from '../identity/index.ts';
import { findDeposit, giveDefaultBudgets, removeGivenBudgets, type Wallets } from '../ledger/index.ts';
import type { Work } from '../storage/work.ts';
import { applyBudgetDefaults, applyBudgets } from './apply-budgets.ts';
import { type ConfigurationFile, locating } from './file.ts';
import { sameEmail } from './file-checks.ts';
import { ConfigurationError, type Mistake } from './mistake.ts';

export interface PeopleParts {
  readonly wallets: Pick<Wallets, 'deposit'>;
  /** What every API token of this service begins with, separator included. */
  readonly tokenPrefix: string;
}

export interface ApplyReport {
  /** False when the database said all of it already; then nothing was announced either. */
  readonly changed: boolean;
  readonly warnings: readonly Mistake[];
}

export async function applyPeople(
  work: Work,
  file: ConfigurationFile,
  { tokenPrefix, wallets }: PeopleParts,
): Promise<ApplyReport> {
  // First, so that keys which are new have them.
  const defaultsChanged = await applyBudgetDefaults(work, file);
  const users = await applyUsers(work, file);
  const declared = { file, userIds: users.ids };
  const keys = await applyKeys(work, tokenPrefix, declared);
  const credits = await creditWallets(work, wallets, declared);
  const budgetsChanged = await applyBudgets(work, file, keys.ids);
  return {
    changed: defaultsChanged || users.changed || keys.changed || credits.changed || budgetsChanged,
    warnings: [...keys.warnings, ...credits.warnings],
  };
}

interface DeclaredPeople {
  readonly file: ConfigurationFile;
  /** By address. */
  readonly userIds: ReadonlyMap<string, number>;
}

async function applyUsers(
  work: Work,
  file: ConfigurationFile,
): Promise<{ ids: ReadonlyMap<string, number>; changed: boolean }> {
  const ids = new Map<string, number>();
  let changed = false;
  for (const [index, { email, password, role, name, ...limits }] of file.content.users.entries()) {
    const {
      requests_per_minute: requestsPerMinute,
      tokens_per_minute: tokensPerMinute,
      concurrent_requests: concurrentRequests,
    } = limits;
    const declared = {
      ...{ email, password, role },
      ...(name !== undefined && { name }),
      ...(requestsPerMinute !== undefined && { requestsPerMinute }),
      ...(tokensPerMinute !== undefined && { tokensPerMinute }),
      ...(concurrentRequests !== undefined && { concurrentRequests }),
    };
    const written = await locating(file, ['users', index], () => upsertManagedUser(work, declared));
    const { id } = written.user;
    // They came with the place that a stranger registered the address at.
    if (written.isTakenOver) await removeGivenBudgets(work, { kind: 'user', id });
    ids.set(sameEmail(email), id);
    changed ||= written.changed;
  }
  changed = (await releaseUndeclaredUsers(work, [...ids.values()])) || changed;
  return { ids, changed };
}

async function applyKeys(
  work: Work,
  tokenPrefix: string,
  { file, userIds }: DeclaredPeople,
): Promise<ApplyReport & { readonly ids: ReadonlyMap<string, number> }> {
  await holdManagedKeys(work.executor, 'file');
  let changed = false;
  const warnings: Mistake[] = [];
  const ids = new Map<string, number>();
  const declaredIds = new Set<number>();
  const nobodys: Mistake[] = [];
  for (const [index, key] of file.content.keys.entries()) {
    const ownerId =
      userIds.get(sameEmail(key.owner)) ?? (await findUserByEmail(work.executor, key.owner))?.id;
    if (ownerId === undefined) {
      const message = `nobody has an account with the address "${key.owner}": declare it under users, or make it with npx sluice users create`;
      nobodys.push(file.mistakeAt(['keys', index, 'owner'], message));
      continue;
    }
    const stored = await locating(file, ['keys', index], () =>
      upsertManagedKey(work, tokenPrefix, {
        ownerId,
        name: key.name,
        token: key.token,
        scopes: key.scopes,
        allowedModels: key.allowed_models,
        allowedProviders: key.allowed_providers,
        allowedRegions: key.allowed_regions,
        dataPolicy: key.data_policy,
        requestsPerMinute: key.requests_per_minute,
        tokensPerMinute: key.tokens_per_minute,
        concurrentRequests: key.concurrent_requests,
        strictOutput: key.strict_output,
        rescue: key.rescue,
        expiresAt: key.expires_at,
        managedBy: 'file',
      }),
    );
    const { id } = stored.key;
    if (stored.isNew) {
      await giveDefaultBudgets(work, { kind: 'key', id }, await groupOfKey(work.executor, id));
    }
    declaredIds.add(id);
    ids.set(key.name, id);
    changed ||= stored.changed;
    if (stored.key.revokedAt === null) continue;
    const message = 'this key was revoked and stays so: mint another token, or drop the key';
    warnings.push(file.mistakeAt(['keys', index, 'token'], message));
  }
  if (nobodys.length > 0) throw new ConfigurationError(nobodys);
  changed = (await endUndeclaredKeys(work, declaredIds)) || changed;
  return { changed, warnings, ids };
}

/** A credit once for each address: the file says what a wallet opens with, not what is in it. */
async function creditWallets(
  work: Work,
  wallets: PeopleParts['wallets'],
  { file, userIds }: DeclaredPeople,
): Promise<ApplyReport> {
  let changed = false;
  const warnings: Mistake[] = [];
  for (const [index, { email, wallet_usd: amountNanoUsd }] of file.content.users.entries()) {
    const userId = userIds.get(sameEmail(email));
    if (userId === undefined || amountNanoUsd === undefined || amountNanoUsd === 0n) continue;
    const businessKey = `file:opening:${sameEmail(email)}`;
    // Looked for first, so that a start that credits nothing locks no wallet.
    const earlier = await findDeposit(work.executor, businessKey);
    if (earlier === undefined) {
      const opening = { userId, amountNanoUsd, businessKey, isOpening: true } as const;
      changed = (await wallets.deposit(work, opening)) || changed;
      continue;
    }
    if (earlier.amountNanoUsd === amountNanoUsd) continue;
    const message = `the wallet was opened with ${writeUsd(earlier.amountNanoUsd)} USD, once and for all; the new figure changes nothing`;
    warnings.push(file.mistakeAt(['users', index, 'wallet_usd'], message));
  }
  return { changed, warnings };
}
