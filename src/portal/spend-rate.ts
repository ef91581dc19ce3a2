/** What somebody's wallet pays a day at present: the mean of the last days, for how long a balance lasts. */
import { LRUCache } from 'lru-cache';
import { onlyOf } from '../base/scope.ts';
import type { User } from '../identity/index.ts';
import { readUsageReport } from '../usage/index.ts';
import type { PortalServices } from './services.ts';

/** A week has all of its days, so that a weekend changes nothing. */
const overDays = 7;
const dayMs = 86_400_000;
/** Every page shows it, and it changes slowly. */
const believedMs = 60_000;
const mostPeople = 10_000;

interface Known {
  readonly aDayNanoUsd: bigint;
  readonly untilMs: number;
}

const known = new WeakMap<PortalServices['storage'], LRUCache<number, Known>>();

/** Of their own requests, as far as they pay for them themself. */
export async function spendRateOf(
  { id, createdAt }: Pick<User, 'id' | 'createdAt'>,
  { storage, clock }: Pick<PortalServices, 'storage' | 'clock'>,
): Promise<bigint> {
  const rates = known.get(storage) ?? new LRUCache<number, Known>({ max: mostPeople });
  known.set(storage, rates);
  const nowMs = clock.nowMs();
  const before = rates.get(id);
  if (before !== undefined && nowMs < before.untilMs && nowMs >= before.untilMs - believedMs) {
    return before.aDayNanoUsd;
  }
  const { rows } = await readUsageReport(onlyOf(id), storage.db, {
    from: new Date(nowMs - overDays * dayMs),
    to: new Date(nowMs),
    where: { payer: id },
  });
  // Somebody who came yesterday has spent for a day, and not for a week.
  const days = Math.min(overDays, Math.max(1, Math.ceil((nowMs - createdAt.getTime()) / dayMs)));
  const aDayNanoUsd = (rows[0]?.chargedNanoUsd ?? 0n) / BigInt(days);
  rates.set(id, { aDayNanoUsd, untilMs: nowMs + believedMs });
  return aDayNanoUsd;
}
