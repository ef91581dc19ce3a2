/** Who can serve a model: each of its deployments with each credential that its provider has. */
import type { Credential, Deployment, Provider } from '../catalogue/index.ts';
import {
  type ProviderAdapter,
  type ProviderTarget,
  providerAdapters,
  type Supports,
} from '../providers/index.ts';

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
  /** Who holds what an upstream keeps of a conversation: the credential, whichever of its tokens or models is asked. */
  readonly state: string;
}

/** A deployment is one object until the catalogue is read anew; none for one that cannot be used. */
const candidates = new WeakMap<Deployment, readonly Candidate[]>();

export function candidatesOf(deployment: Deployment): readonly Candidate[] {
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
    state: `state ${one}${isRenewed ? '' : print}`,
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
