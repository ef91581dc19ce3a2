/** Which deployments of a model a caller may be served from, in the order to try them. */
import { AppError } from '../base/errors.ts';
import type { Deployment, Model } from '../catalogue/index.ts';
import { type ProviderAdapter, providerAdapters } from '../providers/index.ts';

export interface ProviderLocks {
  /** Null allows everything. */
  readonly allowedProviders: ReadonlySet<string> | null;
  readonly allowedRegions: ReadonlySet<string> | null;
}

export interface Candidate {
  readonly deployment: Deployment;
  readonly adapter: ProviderAdapter;
  readonly secret: string | null;
}

/**
 * @throws AppError provider_not_allowed or region_not_allowed when the caller's locks leave nothing, no_provider when
 *   nobody can serve the model now.
 */
export function findCandidates(model: Model, locks: ProviderLocks): readonly Candidate[] {
  const byProvider = model.deployments.filter(
    ({ provider }) => locks.allowedProviders === null || locks.allowedProviders.has(provider.name),
  );
  if (byProvider.length === 0 && model.deployments.length > 0) {
    throw new AppError({
      code: 'provider_not_allowed',
      public: `This key is locked to certain providers, and none of them serves ${model.publicId}.`,
      param: 'model',
    });
  }
  const byRegion = byProvider.filter(
    ({ provider }) =>
      locks.allowedRegions === null ||
      (provider.region !== null && locks.allowedRegions.has(provider.region)),
  );
  if (byRegion.length === 0 && byProvider.length > 0) {
    throw new AppError({
      code: 'region_not_allowed',
      public: `This key is locked to certain regions, and ${model.publicId} is not served in any of them.`,
      param: 'model',
    });
  }
  const candidates = byRegion.flatMap(asCandidate);
  if (candidates.length === 0) {
    throw new AppError({
      code: 'no_provider',
      public: `No provider can serve ${model.publicId} at the moment. Try another model, or ask your administrator.`,
      param: 'model',
    });
  }
  return candidates;
}

function asCandidate(deployment: Deployment): Candidate[] {
  const { provider } = deployment;
  const adapter = providerAdapters.get(provider.kind);
  if (adapter === undefined || (adapter.needs.baseUrl && provider.baseUrl === null)) return [];
  const secret = provider.credentials[0]?.secret ?? null;
  return adapter.needs.credential && secret === null ? [] : [{ deployment, adapter, secret }];
}
