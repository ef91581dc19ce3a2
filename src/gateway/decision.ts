/** Why a request went where it went: as its usage row keeps it, and as a caller hears it who asks. */
import { allowedBy, type Filtered, type Passed, type Route } from '../routing/index.ts';
import type { AttemptRecord, PassedRecord } from '../usage/index.ts';
import type { RequestSession } from './session.ts';

/** What needs no word: there was no choice, or the first in order was taken. */
const usual: ReadonlySet<string> = new Set(['only', 'first', 'turn']);
const mostPassed = 16;

/** The usual request keeps no word of it, so that its row stays as small as it is. */
export function withReason(
  attempt: AttemptRecord,
  route: Route,
  before: readonly AttemptRecord[],
): AttemptRecord {
  const { why, passed } = route;
  const told = before.reduce((sum, { passed: earlier }) => sum + (earlier?.length ?? 0), 0);
  if (usual.has(why) && passed.length === told) return attempt;
  const news = passed.slice(told, mostPassed).map(recordOf);
  return { ...attempt, why, ...(news.length === 0 ? undefined : { passed: news }) };
}

const recordOf = ({ candidate, why }: Passed): PassedRecord => ({
  provider: candidate.deployment.provider.name,
  credentialId: candidate.credential?.id ?? null,
  why,
});

/** A header has no room for more. */
const mostCharacters = 4096;

/** A request, as far as it decides who is asked. */
interface Decided {
  readonly route: Route | undefined;
  readonly session: RequestSession | null;
  readonly attempts: readonly AttemptRecord[];
}

/**
 * For `x-sluice-explain: 1`: who could have been asked, who was left out and why, and what each try came to. Credentials
 * are told by their place in their pool.
 */
export function explainRoute(decided: Decided): string | null {
  const told = describeRoute(decided);
  if (told === null) return null;
  const text = JSON.stringify(told).replace(/[^ -~]/g, '?');
  return text.length <= mostCharacters
    ? text
    : JSON.stringify({ ...told, candidates: told.candidates.length });
}

/** Who is no candidate, as a caller hears it. */
export const describeFiltered = ({ provider, by, level, lock, demand }: Filtered) => ({
  provider,
  by,
  ...(level === undefined || lock === undefined || demand === undefined
    ? undefined
    : { level, lock, allowed: allowedBy(demand, lock) }),
});

/** The same as data. */
export function describeRoute({ route, session, attempts }: Decided) {
  if (route === undefined) return null;
  const passed = new Map(route.passed.map(({ candidate, why }) => [candidate, why]));
  const candidates = route.order.slice(0, mostPassed).map((candidate) => ({
    provider: candidate.deployment.provider.name,
    ...(candidate.pool === null ? undefined : { credential: candidate.pool.indexOf(candidate) + 1 }),
    ...(passed.has(candidate) ? { passed_for: passed.get(candidate) } : undefined),
  }));
  const { candidate } = route;
  return {
    why: route.why,
    chosen: candidate === null ? null : candidate.deployment.provider.name,
    ...(session === null ? undefined : { session: { source: session.source, kept: route.isKept } }),
    candidates,
    attempts: attempts.slice(-mostPassed).map(({ provider, status, latencyMs, errorCode, why }) => ({
      provider,
      status,
      latency_ms: Math.round(latencyMs),
      error: errorCode,
      ...(why === undefined ? undefined : { why }),
    })),
  };
}
