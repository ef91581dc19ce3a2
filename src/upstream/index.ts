/** The upstream room: calling a provider, and what comes of it. */
export { askUpstream, readAnswerText } from './ask.ts';
export { type Abandoned, attempt } from './attempt.ts';
export type { UpstreamCall } from './call.ts';
export { inBatches } from './in-batches.ts';
export { type OpenBytes, openBytes } from './open-bytes.ts';
export { type OpenStream, openStream, spoiltStream } from './open-stream.ts';
export { Outgoing } from './outgoing.ts';
export { Prober } from './prober.ts';
export type { UpstreamServices } from './services.ts';
