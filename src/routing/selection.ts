/**
 * Which candidates a request may be served by: the locks of its key, the data policies above it, what the request itself
 * wants of its provider, and what a provider can do. Each leaves some out, and says so.
 */
import { type Deployment, type Model, type Prices, priceAt } from '../catalogue/index.ts';
import { type Candidate, candidatesOf } from './candidates.ts';
import { brokenLock } from './data-policy.ts';
import { refusalFor } from './selection-refusal.ts';
import type { CanServe, Filtered, Terms } from './terms.ts';

/**
 * @param canServe whether a provider can do what is asked.
 * @throws AppError that names the lock or the preference which leaves nothing, no_provider when nobody can serve the
 *   model now.
 */
export function findCandidates(model: Model, terms: Terms, canServe: CanServe): readonly Candidate[] {
  const { allowedProviders, allowedRegions, dataLocks, wish } = terms;
  const isFree =
    allowedProviders === null && allowedRegions === null && dataLocks.length === 0 && wish === undefined;
  const before = isFree ? found.get(model)?.get(canServe) : undefined;
  if (before !== undefined) return before;
  const able = select(model, terms, canServe);
  if (able.length === 0) throw refusalFor(model, terms, explainFilters(model, terms, canServe));
  if (isFree) remember(model, canServe, able);
  return able;
}

/** For keys without locks. A model is one object until the catalogue is read anew, and an endpoint asks with one function. */
const found = new WeakMap<Model, WeakMap<CanServe, readonly Candidate[]>>();

function remember(model: Model, canServe: CanServe, able: readonly Candidate[]): void {
  const ofModel = found.get(model) ?? new WeakMap<CanServe, readonly Candidate[]>();
  found.set(model, ofModel.set(canServe, able));
}

/** Whether `findCandidates` would find any. */
export function isServed(model: Model, terms: Terms, canServe: CanServe): boolean {
  return select(model, terms, canServe).length > 0;
}

function select(model: Model, terms: Terms, canServe: CanServe): readonly Candidate[] {
  return model.deployments.flatMap((deployment) =>
    reasonAgainst(deployment, { model, terms, canServe }) === null ? candidatesOf(deployment) : [],
  );
}

/** Those of a model's deployments that are none of its candidates, and what left them out. */
export function explainFilters(model: Model, terms: Terms, canServe: CanServe): readonly Filtered[] {
  return model.deployments.flatMap(
    (deployment) => reasonAgainst(deployment, { model, terms, canServe }) ?? [],
  );
}

interface Selecting {
  readonly model: Model;
  readonly terms: Terms;
  readonly canServe: CanServe;
}

/** Whether the locks leave somebody who serves it, whether or not they can be asked now. */
export function isAllowed({ deployments }: Pick<Model, 'deployments'>, terms: Terms): boolean {
  return deployments.some((deployment) => lockAgainst(deployment, terms) === null);
}

function lockAgainst(
  deployment: Deployment,
  { allowedProviders, allowedRegions, dataLocks }: Terms,
): Filtered | null {
  const { name: provider, region } = deployment.provider;
  if (allowedProviders?.has(provider) === false) return { provider, by: 'key_providers' };
  if (allowedRegions !== null && (region === null || !allowedRegions.has(region))) {
    return { provider, by: 'key_regions' };
  }
  const broken = dataLocks.length === 0 ? null : brokenLock(dataLocks, deployment);
  return broken === null ? null : { provider, by: 'data_policy', ...broken };
}

function reasonAgainst(deployment: Deployment, { model, terms, canServe }: Selecting): Filtered | null {
  const locked = lockAgainst(deployment, terms);
  if (locked !== null) return locked;
  const { wish } = terms;
  const { name } = deployment.provider;
  const because = (by: Filtered['by']): Filtered => ({ provider: name, by });
  if (wish !== undefined) {
    const plain = name.toLowerCase();
    if (wish.only?.has(plain) === false) return because('request_only');
    if (wish.ignore?.has(plain) === true) return because('request_ignore');
    if (wish.maxPrices !== null && !isWithin(wish.maxPrices, model, deployment, wish.atMs)) {
      return because('request_max_price');
    }
  }
  const [first] = candidatesOf(deployment);
  if (first === undefined) return because('not_usable');
  if (!canServe(first.supports)) return because('not_able');
  if (wish?.takesAll?.(first.supports) === false) return because('request_parameters');
  return null;
}

/** What has no price is within none. */
function isWithin(most: Prices, model: Model, deployment: Deployment, atMs: number): boolean {
  const prices = priceAt(model, deployment, atMs)?.prices;
  if (prices === undefined) return false;
  return Object.entries(most).every(([meter, limit]) => {
    const price = Object.entries(prices).find(([name]) => name === meter)?.[1];
    return price !== undefined && limit !== undefined && price <= limit;
  });
}
