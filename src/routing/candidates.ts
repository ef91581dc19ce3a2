/** Who can serve a model for a caller: each of its deployments with each credential that its provider has. */
import { AppError } from '../base/errors.ts';
import type { Credential, Deployment, Model, Provider } from '../catalogue/index.ts';
import {
  type ProviderAdapter,
  type ProviderTarget,
  providerAdapters,
  type Supports,
} from '../providers/index.ts';

export interface ProviderLocks {
  /** Null allows everything. */
  readonly allowedProviders: ReadonlySet<string> | null;
  readonly allowedRegions: ReadonlySet<string> | null;
}

/** One deployment with one credential. An object is the same until the catalogue is read anew, its names outlive that. */
export interface Candidate {
  readonly deployment: Deployment;
  readonly names: CandidateNames;
  /** All of the deployment, this one among them, where there are several. */
  readonly pool: readonly Candidate[] | null;
  readonly adapter: ProviderAdapter;
  readonly supports: Supports;
  /** Null where the provider needs none. */
  readonly credential: Credential | null;
  readonly secret: string | null;
  /** The provider as its adapter is told of it; one object until the catalogue is read anew. */
  readonly target: ProviderTarget;
}

/** What health is remembered by, here and in other processes. */
export interface CandidateNames {
  readonly provider: string;
  readonly deployment: string;
  /** Another one when its secret is changed, since nothing is known of the new one. */
  readonly credential: string;
  /** The credential with the model. */
  readonly account: string;
}

type CanServe = (supports: Supports) => boolean;

/**
 * @param canServe whether a provider can do what is asked.
 * @throws AppError provider_not_allowed or region_not_allowed when the caller's locks leave nothing, no_provider when
 *   nobody can serve the model now.
 */
export function findCandidates(model: Model, locks: ProviderLocks, canServe: CanServe): readonly Candidate[] {
  const isUnlocked = locks.allowedProviders === null && locks.allowedRegions === null;
  const before = isUnlocked ? found.get(model)?.get(canServe) : undefined;
  if (before !== undefined) return before;
  const { byProvider, byRegion, usable, able } = select(model, locks, canServe);
  if (able.length > 0) {
    if (isUnlocked) remember(model, canServe, able);
    return able;
  }
  if (byProvider.length === 0 && model.deployments.length > 0) {
    throw new AppError({
      code: 'provider_not_allowed',
      public: `This key is locked to certain providers, and none of them serves ${model.publicId}.`,
      param: 'model',
    });
  }
  if (byRegion.length === 0 && byProvider.length > 0) {
    throw new AppError({
      code: 'region_not_allowed',
      public: `This key is locked to certain regions, and ${model.publicId} is not served in any of them.`,
      param: 'model',
    });
  }
  throw new AppError({
    code: 'no_provider',
    public:
      usable.length === 0
        ? `No provider can serve ${model.publicId} at the moment. Try another model, or ask your administrator.`
        : `No provider of ${model.publicId} can do this. Try another model, or ask your administrator.`,
    param: 'model',
    retryAfterSeconds: 30,
  });
}

/** For keys without locks. A model is one object until the catalogue is read anew, and an endpoint asks with one function. */
const found = new WeakMap<Model, WeakMap<CanServe, readonly Candidate[]>>();

function remember(model: Model, canServe: CanServe, able: readonly Candidate[]): void {
  const ofModel = found.get(model) ?? new WeakMap<CanServe, readonly Candidate[]>();
  found.set(model, ofModel.set(canServe, able));
}

/** Whether `findCandidates` would find any. */
export function isServed(model: Model, locks: ProviderLocks, canServe: CanServe): boolean {
  return select(model, locks, canServe).able.length > 0;
}

/** Why a deployment is no candidate. */
export interface Filtered {
  readonly provider: string;
  readonly by: 'key_providers' | 'key_regions' | 'not_usable' | 'not_able';
}

/** Those of a model's deployments that are none of its candidates, and what left them out. */
export function explainFilters(model: Model, locks: ProviderLocks, canServe: CanServe): readonly Filtered[] {
  const { byProvider, byRegion, usable, able } = select(model, locks, canServe);
  const has = (candidates: readonly Candidate[], deployment: Deployment) =>
    candidates.some((candidate) => candidate.deployment === deployment);
  return model.deployments.flatMap((deployment): Filtered[] => {
    const provider = deployment.provider.name;
    if (!byProvider.includes(deployment)) return [{ provider, by: 'key_providers' }];
    if (!byRegion.includes(deployment)) return [{ provider, by: 'key_regions' }];
    if (!has(usable, deployment)) return [{ provider, by: 'not_usable' }];
    return has(able, deployment) ? [] : [{ provider, by: 'not_able' }];
  });
}

function select({ deployments }: Model, locks: ProviderLocks, canServe: CanServe) {
  const { allowedProviders, allowedRegions } = locks;
  const byProvider =
    allowedProviders === null
      ? deployments
      : deployments.filter(({ provider }) => allowedProviders.has(provider.name));
  const byRegion =
    allowedRegions === null
      ? byProvider
      : byProvider.filter(({ provider }) => provider.region !== null && allowedRegions.has(provider.region));
  const usable = byRegion.flatMap(candidatesOf);
  return { byProvider, byRegion, usable, able: usable.filter(({ supports }) => canServe(supports)) };
}

/** A deployment is one object until the catalogue is read anew; none for one that cannot be used. */
const candidates = new WeakMap<Deployment, readonly Candidate[]>();

function candidatesOf(deployment: Deployment): readonly Candidate[] {
  const known = candidates.get(deployment);
  if (known !== undefined) return known;
  const read = readCandidates(deployment);
  candidates.set(deployment, read);
  return read;
}

function readCandidates(deployment: Deployment): readonly Candidate[] {
  const { provider } = deployment;
  const adapter = providerAdapters.get(provider.kind);
  if (adapter === undefined || (adapter.defaultBaseUrl === null && provider.baseUrl === null)) return [];
  const isOpen = provider.credentials.length === 0 && !adapter.needsCredential;
  const credentials: readonly (Credential | null)[] = isOpen ? [null] : provider.credentials;
  const supports = supportsOf(provider, adapter);
  const { name, baseUrl, region, settings } = provider;
  const members: Candidate[] = [];
  const pool = credentials.length > 1 ? members : null;
  for (const credential of credentials) {
    const secret = credential?.secret ?? null;
    const names = namesOf(deployment, credential, adapter.oauth !== undefined);
    const target = { name, baseUrl, region, settings, secret };
    members.push({ deployment, names, pool, adapter, supports, credential, secret, target });
  }
  return members;
}

function namesOf(
  { provider, upstreamId }: Deployment,
  credential: Credential | null,
  isRenewed: boolean,
): CandidateNames {
  const one = `${provider.id}.${credential?.id ?? 0}`;
  const print = credential === null ? '' : fingerprintOf(credential.secret);
  return {
    provider: `provider ${provider.id}`,
    deployment: `deployment ${provider.id} ${upstreamId}`,
    credential: `credential ${one}${print}`,
    // What an account has used up is so whichever of its tokens asks.
    account: `account ${one}${isRenewed ? '' : print} ${upstreamId}`,
  };
}

/** Tells secrets apart, and nothing of them. */
function fingerprintOf(secret: string): string {
  return `#${new Bun.CryptoHasher('sha256').update(secret).digest('hex').slice(0, 12)}`;
}

/** A provider's row is one object until the catalogue is read anew. */
const known = new WeakMap<Provider, Supports>();

function supportsOf(provider: Provider, adapter: ProviderAdapter): Supports {
  const before = known.get(provider);
  if (before !== undefined) return before;
  const supports = readSupports(provider, adapter);
  known.set(provider, supports);
  return supports;
}

/** A row whose settings nobody could have declared serves nothing, and does not take its model's other rows along. */
function readSupports({ settings, baseUrl }: Provider, adapter: ProviderAdapter): Supports {
  try {
    return adapter.supports(settings, baseUrl);
  } catch {
    return {};
  }
}
