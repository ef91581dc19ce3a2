/** What a request may be served by, and what is said of those who may not serve it. */
import type { LevelLock } from '../base/data-policy.ts';
import type { Prices } from '../catalogue/index.ts';
import type { Supports } from '../providers/index.ts';
import type { LockName } from './data-policy.ts';

/** What a request may be served by. A caller is one, for requests that want nothing of their own. */
export interface Terms {
  /** Null allows everything. */
  readonly allowedProviders: ReadonlySet<string> | null;
  readonly allowedRegions: ReadonlySet<string> | null;
  readonly dataLocks: readonly LevelLock[];
  readonly wish?: Wish;
}

/** What a request wants of its provider beside its data policy. Names are in lower case. */
export interface Wish {
  readonly order: readonly string[] | null;
  readonly only: ReadonlySet<string> | null;
  readonly ignore: ReadonlySet<string> | null;
  readonly sort: 'price' | 'throughput' | 'latency' | null;
  readonly allowFallbacks: boolean;
  readonly maxPrices: Prices | null;
  /** Of the prices. */
  readonly atMs: number;
  /** Whether all of the request's members reach who serves it so; null asks for nothing of the kind. */
  readonly takesAll: CanServe | null;
}

export type CanServe = (supports: Supports) => boolean;

/** What leaves a deployment out, in the order in which they are looked at. */
export const filters = [
  ...(['key_providers', 'key_regions', 'data_policy'] as const),
  ...(['request_only', 'request_ignore', 'request_max_price', 'not_usable', 'not_able'] as const),
  'request_parameters',
] as const;

/** Why a deployment is no candidate. */
export interface Filtered {
  readonly provider: string;
  readonly by: (typeof filters)[number];
  /** Of a data policy: whose, and which part of it. */
  readonly level?: LevelLock['level'];
  readonly lock?: LockName;
  readonly demand?: LevelLock['lock'];
}
