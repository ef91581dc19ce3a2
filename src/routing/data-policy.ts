/**
 * Whether a provider keeps what somebody demands of it, by what is known of it. A demand fails closed: what nobody has
 * said, or nobody has said where and when, keeps none.
 */
import type { DataClaim, DataLock, LevelLock } from '../base/data-policy.ts';
import type { Deployment } from '../catalogue/index.ts';

/** Which part of a demand. */
export type LockName = 'data_collection' | 'zdr' | 'quantizations' | 'regions';

/** What is kept for so long, to find abuse, counts as passing through. */
const mostTransientDays = 30;

/** The first of the demands that a deployment is not known to keep; null where it keeps all. */
export function brokenLock(
  locks: readonly LevelLock[],
  deployment: Deployment,
): { readonly level: LevelLock['level']; readonly lock: LockName; readonly demand: DataLock } | null {
  for (const { level, lock: demand } of locks) {
    const lock = brokenDemand(demand, deployment);
    if (lock !== null) return { level, lock, demand };
  }
  return null;
}

function brokenDemand(demand: DataLock, { provider, quantization }: Deployment): LockName | null {
  const { dataClaim: claim } = provider;
  if (demand.data_collection === 'deny' && !collectsNothing(claim)) return 'data_collection';
  if (demand.zdr === true && claim?.retention_days !== 0) return 'zdr';
  const known = quantization ?? claim?.quantization ?? 'unknown';
  if (demand.quantizations?.includes(known) === false) return 'quantizations';
  const { regions } = demand;
  if (regions !== undefined) {
    // Where nobody has claimed it, the region that the row was made for.
    const workedOnIn = claim?.regions ?? (provider.region === null ? [] : [provider.region]);
    if (workedOnIn.length === 0 || !workedOnIn.every((each) => regions.includes(each))) return 'regions';
  }
  return null;
}

const collectsNothing = (claim: DataClaim | null): boolean =>
  claim?.training === false &&
  claim.retention_days !== undefined &&
  claim.retention_days <= mostTransientDays;

/** What a demand lets pass, in a few words. */
export function allowedBy(demand: DataLock, lock: LockName): string {
  switch (lock) {
    case 'data_collection':
      return `providers known not to train with what they are sent, and to keep it for ${mostTransientDays} days at most`;
    case 'zdr':
      return 'providers known to keep nothing of what they are sent';
    case 'quantizations':
      return `quantizations: ${listOf(demand.quantizations)}`;
    case 'regions':
      return `providers known to work in no other region than: ${listOf(demand.regions)}`;
  }
}

const mostNamed = 20;

/** Some of the names, for a sentence. */
export function listOf(names: Iterable<string> = []): string {
  const all = [...names];
  if (all.length === 0) return 'none';
  const shown = all.slice(0, mostNamed).join(', ');
  return all.length > mostNamed ? `${shown} and ${all.length - mostNamed} more` : shown;
}
