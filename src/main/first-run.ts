/** The first account and its key: made once, shown again at every start. */
import { AppError } from '../base/errors.ts';
import { lockConfiguration } from '../configuration/index.ts';
import {
  type CallerDirectory,
  createUser,
  deriveStarterToken,
  findFirstOwner,
  issueToken,
  type User,
  upsertManagedKey,
} from '../identity/index.ts';
import { findDeposit, type Wallets } from '../ledger/index.ts';
import type { Storage } from '../storage/index.ts';
import { transact, type WorkParts } from '../storage/work.ts';

const ownerEmail = 'owner@sluice.localhost';
const starterKeyName = 'starter';
/** Play money of the embedded default, so that the wallet can be watched at work; well above the balance that is told to be low. */
const starterCreditNanoUsd = 25_000_000_000n;
const starterCreditKey = 'first-run:credit';

export interface Welcome {
  readonly ownerEmail: string;
  /** Path of the one-time sign-in link, good for an hour. */
  readonly signInPath: string;
  /** Null when there is no starter key, or when it was revoked. */
  readonly token: string | null;
}

export interface FirstRunOptions extends WorkParts {
  readonly storage: Storage;
  readonly wallets: Wallets;
  readonly callers: CallerDirectory;
  readonly secret: string;
  readonly tokenPrefix: string;
}

/** @returns null when there is an owner already and nothing new to show: on a shared database secrets are said once. */
export async function welcomeOwner(options: FirstRunOptions): Promise<Welcome | null> {
  const { storage, callers, secret, tokenPrefix } = options;
  const token = deriveStarterToken(secret, tokenPrefix);
  const known = await findFirstOwner(storage.db);
  const { owner, isNew } =
    known === undefined ? await createOwner(options, token) : { owner: known, isNew: false };
  if (!isNew && storage.kind !== 'embedded') return null;
  const link = await transact(options, (work) => issueToken(work, 'sign_in', owner.id));
  return {
    ownerEmail: owner.email,
    signInPath: `/sign-in/${link.secret}`,
    token: (await isUsable(token, callers)) ? token : null,
  };
}

async function isUsable(token: string, callers: CallerDirectory): Promise<boolean> {
  try {
    await callers.find(token);
    return true;
  } catch (refusal) {
    if (refusal instanceof AppError) return false;
    throw refusal;
  }
}

/** Of replicas that start together one makes the owner, and the others find it. */
async function createOwner(
  options: FirstRunOptions,
  token: string,
): Promise<{ owner: User; isNew: boolean }> {
  const { storage, wallets, tokenPrefix } = options;
  return transact(options, async (work) => {
    await lockConfiguration(work);
    const known = await findFirstOwner(work.executor);
    if (known !== undefined) return { owner: known, isNew: false };
    const owner = await createUser(work, { email: ownerEmail, role: 'platform_owner' });
    await upsertManagedKey(work, tokenPrefix, {
      name: starterKeyName,
      ownerId: owner.id,
      token,
      managedBy: 'first_run',
    });
    // Where the first owner is gone, the next one begins without: it is given once.
    if (storage.kind === 'embedded' && (await findDeposit(work.executor, starterCreditKey)) === undefined) {
      await wallets.deposit(work, {
        userId: owner.id,
        amountNanoUsd: starterCreditNanoUsd,
        businessKey: starterCreditKey,
        isOpening: true,
      });
    }
    return { owner, isNew: true };
  });
}
