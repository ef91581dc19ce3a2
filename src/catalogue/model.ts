/** What can be asked for and who serves it: the shapes that the request path reads from a snapshot. */

import type { DataClaim, Quantization } from '../base/data-policy.ts';
import { type ServiceTier, serviceTiers } from '../base/token-usage.ts';

export const modelTypes = ['chat', 'embedding', 'rerank', 'transcription', 'speech'] as const;
export type ModelType = (typeof modelTypes)[number];

/**
 * Meters of tokens, which are disjoint; see base/token-usage.ts. Sound, images and reasoning are priced apart where a
 * price is set.
 */
const tokenMeters = [
  ...(['input', 'cached_input', 'cache_write_5m', 'cache_write_1h', 'output'] as const),
  ...(['audio_input', 'audio_output', 'image_output', 'reasoning'] as const),
] as const;

/** Meters of what is not counted in tokens; the second row is for what a provider's own tools do. */
const unitMeters = [
  ...(['audio_second', 'character', 'rerank_unit'] as const),
  ...(['web_search', 'file_search', 'container', 'image'] as const),
] as const;

/** Prompts above so many thousand tokens cost more at some providers, and so does all of their answer. */
export const longPrompts = [32, 128, 200, 256, 272, 512] as const;
export type LongPrompt = (typeof longPrompts)[number];

export type TokenMeter = (typeof tokenMeters)[number];
export type UnitMeter = (typeof unitMeters)[number];
/** Of tokens: as `input`, `input_priority`, `input_above_200k` and `input_priority_above_200k`. */
type VariedMeter = `${TokenMeter}${'' | `_${ServiceTier}`}${'' | `_above_${LongPrompt}k`}`;

/** What a price can be set on. */
export type Meter = VariedMeter | UnitMeter;

export function variedMeter(
  meter: TokenMeter,
  tier: ServiceTier | null,
  above: LongPrompt | null,
): VariedMeter {
  return `${meter}${tier === null ? '' : (`_${tier}` as const)}${above === null ? '' : (`_above_${above}k` as const)}`;
}

export const meters: readonly Meter[] = [
  ...tokenMeters,
  ...unitMeters,
  ...[null, ...serviceTiers].flatMap((tier) =>
    [null, ...longPrompts].flatMap((above) =>
      tier === null && above === null ? [] : tokenMeters.map((meter) => variedMeter(meter, tier, above)),
    ),
  ),
];

const knownMeters: ReadonlySet<string> = new Set(meters);
export const isMeter = (name: string): name is Meter => knownMeters.has(name);

/** Nano-USD for a million units of each meter. */
export type Prices = Readonly<Partial<Record<Meter, bigint>>>;

/** What something costs from a moment on; see README.md. */
export interface PriceVersion {
  readonly id: number;
  /** 0 for the first one, which holds from the beginning. */
  readonly fromMs: number;
  /** Null where there is no price from then on. */
  readonly prices: Prices | null;
}

/** What a model can do beyond plain text. */
export const capabilities = ['tools', 'vision', 'reasoning', 'thinking'] as const;
export type Capability = (typeof capabilities)[number];

export interface Credential {
  readonly id: number;
  readonly name: string;
  /** In the clear: only in memory, never logged. */
  readonly secret: string;
  /** Requests at once, and in a minute; no limit where left out. */
  readonly maxConcurrent?: number | null;
  readonly requestsPerMinute?: number | null;
}

export interface Provider {
  readonly id: number;
  readonly name: string;
  /** Which adapter speaks to it. */
  readonly kind: string;
  readonly baseUrl: string | null;
  readonly region: string | null;
  /** `timeoutsMs {connect, firstByte, failOver, wholeAnswer, idle}` where the provider has limits of its own. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: readonly Credential[];
  /**
   * In the configuration file or the environment, by whoever runs this service: that is the leave for an address in a
   * private network. One that was saved otherwise needs a setting for it.
   */
  readonly isDeclared: boolean;
  /** What it does with what it is sent; null where nobody has said. */
  readonly dataClaim: DataClaim | null;
}

/** In which order a model's providers are asked, where nothing else decides: README.md of the routing room. */
export const orderings = ['order', 'weight', 'latency', 'price'] as const;
export type Ordering = (typeof orderings)[number];

export interface Deployment {
  readonly provider: Provider;
  /** The model's id at that provider. */
  readonly upstreamId: string;
  /** In tokens, where it is another there than the model's. */
  readonly contextWindow: number | null;
  /** Of the requests, where the model goes by weight. */
  readonly weight: number;
  /** Null where it is the provider's. */
  readonly quantization: Quantization | null;
  /** Its own, newest first; the model's hold where it has none. */
  readonly priceVersions: readonly PriceVersion[];
}

export interface Model {
  readonly publicId: string;
  readonly type: ModelType;
  readonly ownedBy: string;
  readonly aliases: readonly string[];
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
  readonly capabilities: readonly string[];
  /** Whether a streamed answer that breaks is gone on with, where neither its request nor its key says. */
  readonly rescue: boolean;
  /** What its first deployment with a price cost when the snapshot was read; `priceAt` tells what a request pays. Zeros mean free. */
  readonly prices: Prices | null;
  /** For deployments without prices of their own, newest first: those of the last day, and those to come. */
  readonly priceVersions: readonly PriceVersion[];
  /** In order of preference; hidden providers are left out. */
  readonly deployments: readonly Deployment[];
  readonly routing: Ordering;
  readonly createdAtMs: number;
}

/** Immutable; swapped whole when anything changes. */
export interface CatalogueSnapshot {
  /** By public id and by alias; a model that nobody serves at present is there too, without deployments. */
  readonly byName: ReadonlyMap<string, Model>;
  /** Those that somebody serves, in display order. */
  readonly models: readonly Model[];
  /** When a price changes next; null where none is to. */
  readonly pricesChangeAtMs: number | null;
}
