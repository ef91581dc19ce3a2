/** The upstream room: calling a provider, and what comes of it. */
export {
  askUpstream,
  type OpenBytes,
  type OpenStream,
  openBytes,
  openStream,
  readAnswerText,
  spoiltStream,
} from './ask.ts';
export { type Abandoned, attempt } from './attempt.ts';
export type { UpstreamCall } from './call.ts';
export { inBatches } from './in-batches.ts';
export { Outgoing } from './outgoing.ts';
export { Prober } from './prober.ts';
export type { UpstreamServices } from './services.ts';
