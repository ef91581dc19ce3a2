/** What can be asked for and who serves it: the shapes that the request path reads from a snapshot. */

export const modelTypes = ['chat', 'embedding', 'rerank', 'transcription', 'speech'] as const;
export type ModelType = (typeof modelTypes)[number];

/** What a price can be set on. Token meters are disjoint; see base/token-usage.ts. */
export const meters = [
  'input',
  'cached_input',
  'cache_write_5m',
  'cache_write_1h',
  'output',
  'audio_second',
  'character',
  'rerank_unit',
] as const;
export type Meter = (typeof meters)[number];

/** Nano-USD for a million units of each meter. */
export type Prices = Readonly<Partial<Record<Meter, bigint>>>;

/** What a model can do beyond plain text. */
export const capabilities = ['tools', 'vision', 'reasoning', 'thinking'] as const;
export type Capability = (typeof capabilities)[number];

export interface Credential {
  readonly id: number;
  readonly name: string;
  /** In the clear: only in memory, never logged. */
  readonly secret: string;
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
}

export interface Deployment {
  readonly provider: Provider;
  /** The model's id at that provider. */
  readonly upstreamId: string;
  /** In tokens, where it is another there than the model's. */
  readonly contextWindow: number | null;
}

export interface Model {
  readonly publicId: string;
  readonly type: ModelType;
  readonly ownedBy: string;
  readonly aliases: readonly string[];
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
  readonly capabilities: readonly string[];
  /** Null when no price was ever set: refused to paying callers. All zeros means free. */
  readonly prices: Prices | null;
  /** In order of preference; hidden providers are left out. */
  readonly deployments: readonly Deployment[];
  readonly createdAtMs: number;
}

/** Immutable; swapped whole when anything changes. */
export interface CatalogueSnapshot {
  /** By public id and by alias; a model that nobody serves at present is there too, without deployments. */
  readonly byName: ReadonlyMap<string, Model>;
  /** Those that somebody serves, in display order. */
  readonly models: readonly Model[];
}
