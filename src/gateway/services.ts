/** What the gateway is handed at start. */
import type { Clock } from '../base/clock.ts';
import type { Deadlines } from '../base/deadlines.ts';
import type { Ids } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Catalogue, CredentialKeeper } from '../catalogue/index.ts';
import type { CallerDirectory } from '../identity/index.ts';
import type { Wallets } from '../ledger/index.ts';
import type { Limiter } from '../limits/index.ts';
import type { GatewayMetrics } from './metrics.ts';
import type { Settlement } from './settlement.ts';

export interface UpstreamTimeouts {
  /** Until the host is known to accept connections. */
  readonly connectMs: number;
  /** Until the first content of a stream. */
  readonly firstByteMs: number;
  /** Until a whole answer begins, which upstreams send when it is ready. */
  readonly wholeAnswerMs: number;
  /** Between two pieces of the answer. */
  readonly idleMs: number;
}

export interface GatewaySettings {
  readonly maxBodyBytes: number;
  readonly timeouts: UpstreamTimeouts;
  /** Of an upstream's silence inside a stream, until the client is sent a sign of life. */
  readonly keepAliveMs: number;
  readonly modelsShape: 'auto' | 'array' | 'openai';
}

export interface GatewayServices {
  readonly callers: CallerDirectory;
  readonly catalogue: Catalogue;
  readonly credentials: Pick<CredentialKeeper, 'fresh'>;
  readonly wallets: Wallets;
  readonly limiter: Limiter;
  readonly settlement: Settlement;
  readonly metrics: GatewayMetrics;
  readonly deadlines: Deadlines;
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: GatewaySettings;
}
