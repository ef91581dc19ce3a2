/** How the credentials of each provider stand: for the pages of those who look after them. */
import type { CatalogueSnapshot, Provider } from '../catalogue/index.ts';
import { type Candidate, candidatesOf } from './candidates.ts';
import type { Trouble } from './circuit.ts';
import type { Health } from './health.ts';
import type { Spread } from './spread.ts';

/** `refused`: the key itself; `limited`: for some models, those that are named. */
export type CredentialState = 'healthy' | 'limited' | 'refused' | 'recovering';

export interface CredentialHealth {
  readonly id: number;
  readonly name: string;
  readonly state: CredentialState;
  /** Requests of this process. */
  readonly underWay: number;
  /** Null where it can be asked now. */
  readonly openUntilMs: number | null;
  readonly errorKind: string | null;
  /** Models at the upstream for which it is not asked at the moment. */
  readonly limitedModels: readonly string[];
}

export interface ProviderHealth {
  readonly provider: string;
  readonly kind: string;
  /** `exhausted`: no credential can be asked for any model; `down`: the provider itself fails. */
  readonly state: 'healthy' | 'degraded' | 'exhausted' | 'down';
  readonly total: number;
  readonly healthy: number;
  readonly openUntilMs: number | null;
  readonly failingModels: readonly string[];
  readonly credentials: readonly CredentialHealth[];
}

/** One credential, a model at a time. */
interface Seen {
  readonly candidate: Candidate;
  readonly trouble: Trouble | null;
}

export function describePools(
  { models }: Pick<CatalogueSnapshot, 'models'>,
  { health, spread }: { readonly health: Health; readonly spread: Spread },
): readonly ProviderHealth[] {
  const seen = new Map<Provider, Seen[]>();
  for (const { deployments } of models) {
    for (const deployment of deployments) {
      const ofProvider = seen.get(deployment.provider) ?? [];
      seen.set(deployment.provider, ofProvider);
      for (const candidate of candidatesOf(deployment)) {
        ofProvider.push({ candidate, trouble: health.troubleOf(candidate) });
      }
    }
  }
  return [...seen].map(([provider, all]) => describeProvider(provider, all, spread));
}

const isClosedTo = ({ trouble }: Seen) => trouble?.condition === 'open' || trouble?.condition === 'probing';

function describeProvider(provider: Provider, all: readonly Seen[], spread: Spread): ProviderHealth {
  const credentials = provider.credentials.map(({ id, name }) =>
    describeCredential(
      { id, name, underWay: spread.underWayOf(id) },
      all.filter(({ candidate }) => candidate.credential?.id === id),
    ),
  );
  const healthy = credentials.filter(({ state }) => state === 'healthy').length;
  const down = all.filter((each) => isClosedTo(each) && each.trouble?.blamed === 'provider');
  const failing = all.filter((each) => isClosedTo(each) && each.trouble?.blamed === 'deployment');
  const isExhausted = all.length > 0 && all.every(isClosedTo);
  const isDegraded = healthy < credentials.length || failing.length > 0;
  return {
    provider: provider.name,
    kind: provider.kind,
    state: down.length > 0 ? 'down' : isExhausted ? 'exhausted' : isDegraded ? 'degraded' : 'healthy',
    total: credentials.length,
    healthy,
    openUntilMs: down.length > 0 || isExhausted ? firstOpen(all) : null,
    failingModels: modelsOf(failing),
    credentials,
  };
}

function describeCredential(
  known: Pick<CredentialHealth, 'id' | 'name' | 'underWay'>,
  all: readonly Seen[],
): CredentialHealth {
  const isOwn = ({ trouble }: Seen) => trouble?.blamed === 'credential' || trouble?.blamed === 'account';
  const own = all.filter(isOwn);
  const closed = own.filter(isClosedTo);
  const isRefused = closed.some(({ trouble }) => trouble?.blamed === 'credential');
  const limited = closed.filter(({ trouble }) => trouble?.blamed === 'account');
  return {
    ...known,
    state: isRefused ? 'refused' : limited.length > 0 ? 'limited' : own.length > 0 ? 'recovering' : 'healthy',
    openUntilMs: firstOpen(closed),
    errorKind: closed[0]?.trouble?.error?.code ?? null,
    limitedModels: modelsOf(limited),
  };
}

/** When the first of them is asked again. */
const firstOpen = (seen: readonly Seen[]): number | null =>
  seen.reduce<number | null>(
    (first, { trouble }) =>
      trouble === null ? first : Math.min(first ?? trouble.openUntilMs, trouble.openUntilMs),
    null,
  );

const modelsOf = (seen: readonly Seen[]): readonly string[] =>
  [...new Set(seen.map(({ candidate }) => candidate.deployment.upstreamId))].slice(0, mostModels);

const mostModels = 100;
