/** What happens to the credentials of providers, as the token log keeps it. */
import type { ErrorCode } from '../base/errors.ts';
import type { Candidate } from './candidates.ts';
import type { CircuitState } from './circuit.ts';
import type { UpstreamFailure } from './failure.ts';

export const poolEventKinds = [
  /** A credential that ends was renewed. */
  'refresh',
  'refresh_failed',
  /** An upstream said that it has enough of a credential. */
  'rate_limited',
  /** A credential, a model, or a provider is not asked for a while. */
  'cooldown',
  /** It is asked again. */
  'recovered',
  /** A request went on with another credential of the pool. */
  'rotated',
  /** No credential of a pool could be asked. */
  'exhausted',
  /** A credential was refused. */
  'error',
] as const;
export type PoolEventKind = (typeof poolEventKinds)[number];

/** In the course of what it was seen. */
const poolEventSources = ['request', 'renewal', 'probe'] as const;
export type PoolEventSource = (typeof poolEventSources)[number];

export interface PoolEvent {
  readonly kind: PoolEventKind;
  readonly provider: string;
  /** The credential's; null where it is about more than one. */
  readonly keyName: string | null;
  /** The upstream's id of it; null where it is about all of them. */
  readonly model: string | null;
  readonly source: PoolEventSource;
  readonly errorKind: ErrorCode | 'invalid_grant' | null;
  readonly durationMs: number | null;
}

export type TellPoolEvent = (event: PoolEvent) => void;

type Blamed = CircuitState['blamed'];

/** Whose it is: a refused credential is so for all models, a provider has many credentials. */
function subjectOf({ deployment, credential }: Candidate, blamed: Blamed) {
  const isOfCredential = blamed === 'credential' || blamed === 'account';
  return {
    provider: deployment.provider.name,
    keyName: isOfCredential ? (credential?.name ?? null) : null,
    model: blamed === 'account' || blamed === 'deployment' ? deployment.upstreamId : null,
    source: 'request' as const,
  };
}

/** A failure that its credential is to blame for. */
export function failedEvent(
  candidate: Candidate,
  { blamed, error }: Pick<UpstreamFailure, 'blamed'> & { readonly error: { code: ErrorCode } | null },
): PoolEvent | null {
  if (blamed !== 'credential' && blamed !== 'account') return null;
  const errorKind = error?.code ?? null;
  // That it could not be renewed is told by who tried.
  if (errorKind === 'no_provider') return null;
  const kind = errorKind === 'upstream_rate_limited' ? 'rate_limited' : 'error';
  return { kind, ...subjectOf(candidate, blamed), errorKind, durationMs: null };
}

export function cooldownEvent(candidate: Candidate, state: CircuitState, nowMs: number): PoolEvent {
  const { blamed, errorCode: errorKind, openUntilMs } = state;
  const durationMs = Math.max(0, Math.round(openUntilMs - nowMs));
  return { kind: 'cooldown', ...subjectOf(candidate, blamed), errorKind, durationMs };
}

export const recoveredEvent = (candidate: Candidate, blamed: Blamed): PoolEvent => ({
  ...{ kind: 'recovered', ...subjectOf(candidate, blamed) },
  ...{ errorKind: null, durationMs: null },
});

/** @param waitMs until it is tried again; null for one that was renewed. */
export const renewalEvent = (
  named: { readonly provider: string; readonly keyName: string },
  failure: { readonly isFinal: boolean; readonly waitMs: number } | null,
): PoolEvent => ({
  ...{ kind: failure === null ? 'refresh' : 'refresh_failed', ...named, model: null, source: 'renewal' },
  errorKind: failure === null ? null : failure.isFinal ? 'invalid_grant' : 'no_provider',
  durationMs: failure?.waitMs ?? null,
});

/** @param durationMs until the first of them is asked again. */
export const exhaustedEvent = (candidate: Candidate, durationMs: number): PoolEvent => ({
  ...{ kind: 'exhausted', ...subjectOf(candidate, 'deployment') },
  ...{ errorKind: null, durationMs: Math.max(0, Math.round(durationMs)) },
});

/** Where a request goes on with another credential for the same model at the same provider. @returns true, always. */
export function tellRotated(tell: TellPoolEvent | undefined, from: Candidate, to: Candidate | null): true {
  if (tell !== undefined && from.pool !== null && from !== to && from.pool === to?.pool) {
    tell({ kind: 'rotated', ...subjectOf(to, 'account'), errorKind: null, durationMs: null });
  }
  return true;
}
