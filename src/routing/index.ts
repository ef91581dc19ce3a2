/** Where a request goes, and what the failures on the way mean. */
export { type Candidate, findCandidates, isServed, nextAfter } from './candidates.ts';
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
