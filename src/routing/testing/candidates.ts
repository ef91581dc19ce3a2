/** Candidates for tests, as the catalogue's rows make them. */
import type { Credential, Deployment, Model } from '../../catalogue/index.ts';
import type { Candidate } from '../candidates.ts';
import { findCandidates } from '../selection.ts';

export interface ProviderSpec {
  readonly name: string;
  /** Names of its credentials, of which each is its secret too. */
  readonly keys?: readonly string[];
  readonly contextWindow?: number;
  /** Of each of its credentials. */
  readonly limits?: Pick<Credential, 'maxConcurrent' | 'requestsPerMinute'>;
}

export interface Served {
  readonly model: Model;
  readonly candidates: readonly Candidate[];
}

const unlocked = { allowedProviders: null, allowedRegions: null, dataLocks: [] };

/** Providers with the same name are the same, whichever model they serve. */
export function servedBy(specs: readonly ProviderSpec[], upstreamId = 'double-1'): Served {
  const deployments = specs.map(({ name, keys = ['k1'], contextWindow, limits }): Deployment => {
    const id = [...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7);
    const credentials = keys.map((key, at) => ({
      id: id * 100 + at,
      name: key,
      secret: `secret ${key}`,
      ...limits,
    }));
    const provider = {
      ...{ id, name, kind: 'openai', baseUrl: null, region: null, settings: {}, credentials },
      isDeclared: true,
      dataClaim: null,
    };
    return {
      ...{ provider, upstreamId, contextWindow: contextWindow ?? null, priceVersions: [] },
      ...{ weight: 1, quantization: null },
    };
  });
  const model: Model = {
    publicId: 'double',
    type: 'chat',
    ownedBy: 'doubles',
    aliases: [],
    contextWindow: 100,
    maxOutputTokens: null,
    capabilities: [],
    rescue: false,
    prices: null,
    priceVersions: [],
    deployments,
    routing: 'order',
    createdAtMs: 0,
  };
  return { model, candidates: findCandidates(model, unlocked, () => true) };
}

/** Who it is, in a word. */
export const nameOf = (candidate: Candidate | null): string | null =>
  candidate === null ? null : `${candidate.deployment.provider.name}/${candidate.credential?.name}`;
