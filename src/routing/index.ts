/** Where a request goes, and what the failures on the way mean. */
export type { Stickiness } from './affinity.ts';
export { type Candidate, explainFilters, findCandidates, isServed } from './candidates.ts';
export {
  busyFailure,
  connectionFailure,
  invalidAnswerFailure,
  refusalFailure,
  type TimeoutKind,
  timeoutFailure,
  type UpstreamFailure,
  unservableFailure,
} from './failure.ts';
export type { Passed } from './reasons.ts';
export { RedisSharing } from './redis-sharing.ts';
export type { Route } from './route.ts';
export { Routes } from './routes.ts';
