/** Who pays for somebody's requests, how much there is, and what it pays a day at present. */
import { LRUCache } from 'lru-cache';
import { onlyOf, type Scope } from '../base/scope.ts';
import { findOrganisation, findUser, type Organisation, type User } from '../identity/index.ts';
import { readUsageReport } from '../usage/index.ts';
import type { PortalServices } from './services.ts';

/** `organisation`: somebody else's wallet, which is not theirs to see. */
interface PaidByOthers {
  readonly by: 'nobody' | 'organisation';
  readonly organisation: Organisation | undefined;
}

interface PaidByThemself {
  readonly by: 'themself';
  readonly organisation: Organisation | undefined;
  /** Whether their wallet pays for everybody of the organisation. */
  readonly paysForAll: boolean;
  /** Below zero for a debt. */
  readonly availableNanoUsd: bigint;
  readonly aDayNanoUsd: bigint;
}

export type Payment = PaidByOthers | PaidByThemself;

type Parts = Pick<PortalServices, 'storage' | 'wallets' | 'clock'>;

export async function findPayment(user: User, services: Parts): Promise<Payment> {
  const { organisationId } = user;
  const organisation =
    organisationId === null
      ? undefined
      : await findOrganisation(
          { whose: 'organisation', organisationId },
          services.storage.db,
          organisationId,
        );
  if (user.billingExempt || organisation?.billingExempt === true) return { by: 'nobody', organisation };
  const billingUserId = organisation?.billingUserId ?? null;
  if (billingUserId !== null && billingUserId !== user.id) {
    const payer = await findUser(onlyOf(billingUserId), services.storage.db, billingUserId);
    return { by: payer?.billingExempt === true ? 'nobody' : 'organisation', organisation };
  }
  const paysForAll = billingUserId !== null && organisation !== undefined;
  const paidFor: Scope = paysForAll
    ? { whose: 'organisation', organisationId: organisation.id }
    : onlyOf(user.id);
  const [availableNanoUsd, aDayNanoUsd] = await Promise.all([
    services.wallets.available(user.id),
    findSpendRate(user, paidFor, services),
  ]);
  return { by: 'themself', organisation, paysForAll, availableNanoUsd, aDayNanoUsd };
}

/** When it is empty at the present rate; null where nothing is spent, or so little that it lasts for years. */
export function emptyAtMs({ availableNanoUsd, aDayNanoUsd }: PaidByThemself, nowMs: number): number | null {
  if (aDayNanoUsd <= 0n) return null;
  if (availableNanoUsd <= 0n) return nowMs;
  const lastsMs = (availableNanoUsd * BigInt(dayMs)) / aDayNanoUsd;
  return lastsMs > BigInt(mostDays * dayMs) ? null : nowMs + Number(lastsMs);
}

const dayMs = 86_400_000;
const mostDays = 999;
/** A week has all of its days, so that a weekend changes nothing. */
const overDays = 7;
/** Every page shows it, and it changes slowly. */
const believedMs = 60_000;
const mostPeople = 10_000;

interface Known {
  readonly aDayNanoUsd: bigint;
  readonly untilMs: number;
}

const known = new WeakMap<PortalServices['storage'], LRUCache<number, Known>>();

/** The mean of the last days, of what their wallet paid for. */
async function findSpendRate(
  { id, createdAt }: User,
  paidFor: Scope,
  { storage, clock }: Parts,
): Promise<bigint> {
  const rates = known.get(storage) ?? new LRUCache<number, Known>({ max: mostPeople });
  known.set(storage, rates);
  const nowMs = clock.nowMs();
  const before = rates.get(id);
  if (before !== undefined && nowMs < before.untilMs && nowMs >= before.untilMs - believedMs) {
    return before.aDayNanoUsd;
  }
  const { rows } = await readUsageReport(paidFor, storage.db, {
    from: new Date(nowMs - overDays * dayMs),
    to: new Date(nowMs + 1),
    where: { payer: id },
  });
  // Somebody who came yesterday has spent for a day, and not for a week.
  const days = Math.min(overDays, Math.max(1, Math.ceil((nowMs - createdAt.getTime()) / dayMs)));
  const aDayNanoUsd = (rows[0]?.chargedNanoUsd ?? 0n) / BigInt(days);
  rates.set(id, { aDayNanoUsd, untilMs: nowMs + believedMs });
  return aDayNanoUsd;
}
