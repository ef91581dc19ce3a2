/** Where a request goes, and what the failures on the way mean. */
export type { Stickiness } from './affinity.ts';
export { type Candidate, candidatesOf } from './candidates.ts';
export { allowedBy, listOf } from './data-policy.ts';
export {
  busyFailure,
  connectionFailure,
  invalidAnswerFailure,
  refusalFailure,
  renewalFailure,
  type TimeoutKind,
  timeoutFailure,
  type UpstreamFailure,
  unreachableFailure,
  unrenewedFailure,
  unservableFailure,
} from './failure.ts';
export type { Health } from './health.ts';
export { listIncidents } from './incidents.ts';
export { poolEventKinds, renewalEvent } from './pool-events.ts';
export type { Passed } from './reasons.ts';
export { RedisSharing } from './redis-sharing.ts';
export type { Route } from './route.ts';
export { Routes } from './routes.ts';
export { explainFilters, findCandidates, isAllowed, isServed } from './selection.ts';
export type { CanServe, Filtered, Terms, Wish } from './terms.ts';
export { readTokenLog, TokenLog, tokenLogKeeper } from './token-log.ts';
export { boundedSeconds } from './vendor-words.ts';
