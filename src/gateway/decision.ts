/** Why a request went where it went: as its usage row keeps it, and as a caller hears it who asks. */
import type { Model } from '../catalogue/index.ts';
import {
  allowedBy,
  type Candidate,
  type CanServe,
  explainFilters,
  type Filtered,
  type Passed,
  type Route,
  type Terms,
} from '../routing/index.ts';
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
  readonly firstModel: Model | undefined;
  /** Of all models that may answer; undefined where nobody asked for it. */
  readonly filtered: readonly object[] | undefined;
}

/** The header of a caller who wants to know. */
export const isExplained = (headers: Headers): boolean => headers.get('x-sluice-explain') === '1';

/**
 * For `x-sluice-explain: 1`: who could have been asked, who was left out and why, and what each try came to. Credentials
 * are told by their place in their pool.
 */
export function explainRoute(decided: Decided): string | null {
  const told = describeRoute(decided);
  if (told === null) return null;
  const { filtered = [] } = decided;
  const { candidates } = told;
  // What is too long is told shorter, what matters least first.
  const forms = [
    { ...told, filtered: filtered.slice(0, mostPassed) },
    { ...told, candidates: candidates.length, filtered: filtered.slice(0, mostPassed) },
    { ...told, candidates: candidates.length, filtered: filtered.length },
  ];
  const texts = forms.map((form) => JSON.stringify(form).replace(/[^ -~]/g, '?'));
  return texts.find((text) => text.length <= mostCharacters) ?? texts.at(-1) ?? null;
}

interface Planned {
  readonly model: Model;
  readonly candidates: readonly Candidate[];
}

interface Filtering {
  readonly planned: readonly Planned[];
  /** Those of them who can go on with what an upstream holds, where the request does. */
  readonly bound: readonly Planned[];
  readonly terms: Terms;
  readonly canServe: CanServe;
}

/** The same in one list. */
export const allFilteredOf = (filtering: Filtering): readonly object[] =>
  filteredOf(filtering).flatMap(({ model, filtered }) =>
    filtered.map((each) => ({ model: model.publicId, ...each })),
  );

/** Who is no candidate, model by model: by the locks and wishes, and because the request goes on with what others hold. */
export function filteredOf({ planned, bound, terms, canServe }: Filtering) {
  return planned.map(({ model, candidates }) => {
    const left = bound.find((plan) => plan.model === model)?.candidates ?? [];
    return {
      model,
      filtered: [
        ...explainFilters(model, terms, canServe).map(describeFiltered),
        ...candidates.filter((each) => !left.includes(each)).map(describeUnbound),
      ],
    };
  });
}

/** Somebody else than who holds the state. */
const describeUnbound = (candidate: Candidate) => ({ ...nameOf(candidate), by: 'upstream_state' });

/** Credentials are told by their place in their pool. */
const nameOf = (candidate: Candidate) => ({
  provider: candidate.deployment.provider.name,
  ...(candidate.pool === null ? undefined : { credential: candidate.pool.indexOf(candidate) + 1 }),
});

/** Who is no candidate, as a caller hears it. */
const describeFiltered = ({ provider, by, level, lock, demand }: Filtered) => ({
  provider,
  by,
  ...(level === undefined || lock === undefined || demand === undefined
    ? undefined
    : { level, lock, allowed: allowedBy(demand, lock) }),
});

/** The same as data. */
export function describeRoute({ route, session, attempts, firstModel }: Decided) {
  if (route === undefined) return null;
  const passed = new Map(route.passed.map(({ candidate, why }) => [candidate, why]));
  const candidates = route.order.slice(0, mostPassed).map((candidate) => ({
    ...nameOf(candidate),
    ...(passed.has(candidate) ? { passed_for: passed.get(candidate) } : undefined),
  }));
  const { candidate } = route;
  return {
    why: route.why,
    chosen: candidate === null ? null : candidate.deployment.provider.name,
    ...(session === null ? undefined : { session: { source: session.source, kept: route.isKept } }),
    candidates,
    attempts: attempts.slice(-mostPassed).map(({ provider, model, status, latencyMs, errorCode, why }) => ({
      provider,
      model: model ?? firstModel?.publicId ?? null,
      status,
      latency_ms: Math.round(latencyMs),
      error: errorCode,
      ...(why === undefined ? undefined : { why }),
    })),
  };
}
