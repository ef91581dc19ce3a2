/** Which deployments of a model a caller may be served from, in the order to try them. */
import { AppError } from '../base/errors.ts';
import type { Credential, Deployment, Model, Provider } from '../catalogue/index.ts';
import {
  type ProviderAdapter,
  type ProviderTarget,
  providerAdapters,
  type Supports,
} from '../providers/index.ts';
import type { UpstreamFailure } from './failure.ts';

export interface ProviderLocks {
  /** Null allows everything. */
  readonly allowedProviders: ReadonlySet<string> | null;
  readonly allowedRegions: ReadonlySet<string> | null;
}

export interface Candidate {
  readonly deployment: Deployment;
  readonly adapter: ProviderAdapter;
  readonly supports: Supports;
  /** Null where the provider needs none. */
  readonly credential: Credential | null;
  readonly secret: string | null;
  /** The provider as its adapter is told of it; one object until the catalogue is read anew. */
  readonly target: ProviderTarget;
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
  const usable = byRegion.flatMap((deployment) => candidateOf(deployment) ?? []);
  return { byProvider, byRegion, usable, able: usable.filter(({ supports }) => canServe(supports)) };
}

/** A deployment is one object until the catalogue is read anew; null for one that cannot be used. */
const candidates = new WeakMap<Deployment, Candidate | null>();

function candidateOf(deployment: Deployment): Candidate | null {
  const known = candidates.get(deployment);
  if (known !== undefined) return known;
  const candidate = readCandidate(deployment);
  candidates.set(deployment, candidate);
  return candidate;
}

function readCandidate(deployment: Deployment): Candidate | null {
  const { provider } = deployment;
  const adapter = providerAdapters.get(provider.kind);
  if (adapter === undefined || (adapter.defaultBaseUrl === null && provider.baseUrl === null)) return null;
  const credential = provider.credentials[0] ?? null;
  const secret = credential?.secret ?? null;
  if (adapter.needsCredential && secret === null) return null;
  const { name, baseUrl, region, settings } = provider;
  const target = { name, baseUrl, region, settings, secret };
  return { deployment, adapter, supports: supportsOf(provider, adapter), credential, secret, target };
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

/** Where to go after a failure: an index into the candidates, and how soon. */
export interface NextStep {
  readonly at: number;
  readonly afterMs: number;
}

/**
 * Who is asked after a failure: the same provider once more, where that can help, or the next one.
 * @returns null when the failure is what the caller is told.
 */
export function nextAfter(
  failure: UpstreamFailure,
  tried: {
    readonly candidates: readonly Candidate[];
    readonly at: number;
    readonly model: Model;
    readonly wasRetried: boolean;
  },
): NextStep | null {
  const { candidates, at, model, wasRetried } = tried;
  if (!failure.canFailOver) {
    const larger = failure.error.code === 'context_length_exceeded' ? findLarger(candidates, at, model) : -1;
    return larger === -1 ? null : { at: larger, afterMs: 0 };
  }
  const isLast = at === candidates.length - 1;
  const { retry } = failure;
  if (retry !== null && !wasRetried && (isLast || !retry.isLastResort)) return { at, afterMs: retry.afterMs };
  return isLast ? null : { at: at + 1, afterMs: 0 };
}

/** The next candidate that takes a longer prompt than the one that refused it. */
function findLarger(candidates: readonly Candidate[], at: number, model: Model): number {
  const windowOf = (candidate: Candidate | undefined) =>
    candidate?.deployment.contextWindow ?? model.contextWindow ?? 0;
  const refused = windowOf(candidates[at]);
  return candidates.findIndex((candidate, index) => index > at && windowOf(candidate) > refused);
}
