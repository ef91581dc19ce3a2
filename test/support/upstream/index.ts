/** The upstream double's front door. */
export type { FaultName } from './faults/fault.ts';
export { faultNames } from './faults/named-faults.ts';
export { refusedUrl } from './http/refused-url.ts';
export { capturesFolder, readCaptures } from './recordings/captures.ts';
export { fixture, fixtureNames } from './recordings/fixtures.ts';
export type { Recording } from './recordings/recording.ts';
export { startUpstream, type Upstream } from './upstream.ts';
