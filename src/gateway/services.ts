/** What the gateway is handed at start. */
import type { ByteBudget } from '../base/byte-budget.ts';
import type { Clock } from '../base/clock.ts';
import type { Deadlines } from '../base/deadlines.ts';
import type { AppError } from '../base/errors.ts';
import type { Ids } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Scope } from '../base/scope.ts';
import type { Turns } from '../base/turns.ts';
import type { Catalogue } from '../catalogue/index.ts';
import type { CallerDirectory } from '../identity/index.ts';
import type { Wallets } from '../ledger/index.ts';
import type { Limiter } from '../limits/index.ts';
import type { Routes } from '../routing/index.ts';
import type { UpstreamServices } from '../upstream/index.ts';
import type { StoredUsageRecord } from '../usage/index.ts';
import type { GenerationRates } from './hidden-reasoning.ts';
import type { KeptAnswers } from './kept-answers.ts';
import type { KeptResponses } from './kept-responses.ts';
import type { KeyRecords } from './key-records.ts';
import type { GatewayMetrics } from './metrics.ts';
import type { Settlement } from './settlement.ts';
import type { Unanswered } from './unanswered.ts';

export interface GatewaySettings {
  readonly maxBodyBytes: number;
  /** Of an upstream's silence inside a stream, until the client is sent a sign of life. */
  readonly keepAliveMs: number;
  /** That a client leaves pieces of its answer waiting, until it is taken to have gone. */
  readonly clientStallMs: number;
  readonly modelsShape: 'auto' | 'array' | 'openai';
  /** Of the portal; null where nobody said it, and the address that was asked is as good. */
  readonly publicUrl: string | null;
}

/** The connections of clients, which somebody else closes when they are silent. */
export interface ClientConnections {
  /** From here on the silence on its connection is ours to judge. */
  hold(http: Request): void;
  /** Once for each that is held. */
  release(http: Request): void;
}

/** An answer that goes on after its beginning, and can be told that this process ends. */
export interface Relaying {
  interrupt(error: AppError): void;
}

export interface GatewayServices {
  readonly callers: Pick<CallerDirectory, 'find'>;
  readonly catalogue: Catalogue;
  readonly wallets: Wallets;
  readonly limiter: Limiter;
  readonly upstream: UpstreamServices;
  /** Who is asked next, and what is remembered of those who failed. */
  readonly routes: Routes;
  readonly settlement: Settlement;
  /** The usage record of a request that is stored. */
  findUsage(scope: Scope, requestId: string): Promise<StoredUsageRecord | undefined>;
  readonly metrics: GatewayMetrics;
  readonly keptResponses: KeptResponses;
  readonly keyRecords: KeyRecords;
  /** Null where none are kept. */
  readonly keptAnswers: KeptAnswers | null;
  /** What the upstreams' counts have told of their pace. */
  readonly rates: GenerationRates;
  /** For the bodies of requests and whole answers that are held. */
  readonly bodies: ByteBudget;
  readonly deadlines: Deadlines;
  /** For the pieces of all streams. */
  readonly turns: Turns;
  /** The answers that go on. */
  readonly relays: Set<Relaying>;
  /** The requests that wait for theirs. */
  readonly unanswered: Unanswered;
  readonly connections: ClientConnections;
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: GatewaySettings;
}
