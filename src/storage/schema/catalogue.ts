/** Models, their prices in versions, their aliases; providers, their credentials, and which provider serves which model. */
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { createdAtColumn, identityColumn } from './columns.ts';

export const providers = pgTable(
  'providers',
  {
    id: identityColumn(),
    name: text('name').notNull(),
    /** Which adapter speaks to it; a key of the provider registry. */
    kind: text('kind').notNull(),
    baseUrl: text('base_url'),
    region: text('region'),
    visible: boolean('visible').notNull().default(true),
    settings: jsonb('settings').$type<Record<string, unknown>>().notNull().default({}),
    /** What it does with what it is sent, in the form of base/data-policy.ts; null where nobody has said. */
    dataPolicy: jsonb('data_policy').$type<Readonly<Record<string, unknown>>>(),
    /** 'file' or 'environment' when declared there; null otherwise. */
    managedBy: text('managed_by'),
    createdAt: createdAtColumn(),
  },
  (table) => [uniqueIndex('providers_name').on(table.name)],
);

export const providerCredentials = pgTable(
  'provider_credentials',
  {
    id: identityColumn(),
    providerId: bigint('provider_id', { mode: 'number' })
      .notNull()
      .references(() => providers.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** AES-256-GCM envelope of the secret, see base/envelope.ts. */
    sealedSecret: text('sealed_secret').notNull(),
    /** SHA-256 of the secret as it was declared; the sealed one has moved on from it where it is renewed. */
    declaredHash: text('declared_hash'),
    /** Where it was given to be sent: the origin of its provider's address, or its kind where that has none of its own. */
    boundTo: text('bound_to').notNull().default(''),
    /** Until then one process renews the secret, and the others wait for what it writes. */
    renewingUntil: timestamp('renewing_until', { withTimezone: true }),
    enabled: boolean('enabled').notNull().default(true),
    /** What its account allows: requests at once, and in a minute; null for no limit. */
    maxConcurrent: integer('max_concurrent'),
    requestsPerMinute: integer('requests_per_minute'),
    managedBy: text('managed_by'),
    createdAt: createdAtColumn(),
  },
  (table) => [uniqueIndex('provider_credentials_name').on(table.providerId, table.name)],
);

export const models = pgTable(
  'models',
  {
    id: identityColumn(),
    /** The id that clients send as `model`. */
    publicId: text('public_id').notNull(),
    type: text('type').notNull(),
    ownedBy: text('owned_by').notNull(),
    contextWindow: integer('context_window'),
    maxOutputTokens: integer('max_output_tokens'),
    capabilities: text('capabilities').array().notNull(),
    /** In which order its providers are asked: order (null too), weight, latency or price. */
    routing: text('routing'),
    displayOrder: integer('display_order').notNull().default(0),
    /** Whether a streamed answer that breaks is gone on with, where neither its request nor its key says. */
    rescue: boolean('rescue').notNull().default(false),
    enabled: boolean('enabled').notNull().default(true),
    managedBy: text('managed_by'),
    createdAt: createdAtColumn(),
  },
  (table) => [uniqueIndex('models_public_id').on(table.publicId)],
);

/** What a model costs from a moment on. A row that is or was in effect is never changed: a trigger refuses it. */
export const priceVersions = pgTable(
  'price_versions',
  {
    id: identityColumn(),
    modelId: bigint('model_id', { mode: 'number' })
      .notNull()
      .references(() => models.id, { onDelete: 'cascade' }),
    /** Null holds at every provider that has no prices of its own. */
    providerId: bigint('provider_id', { mode: 'number' }).references(() => providers.id),
    effectiveFrom: timestamp('effective_from', { withTimezone: true }).notNull(),
    /**
     * By meter, nano-USD for a million units (tokens, characters, seconds …) as decimal text: $0.15 per million is
     * "150000000". Null where there is no price from then on.
     */
    prices: jsonb('prices').$type<Readonly<Record<string, string>>>(),
    note: text('note'),
    /** 'file' or 'environment' when declared there; null when somebody set it. */
    managedBy: text('managed_by'),
    createdAt: createdAtColumn(),
  },
  (table) => [index('price_versions_model').on(table.modelId, table.providerId, table.effectiveFrom)],
);

export const modelAliases = pgTable(
  'model_aliases',
  {
    alias: text('alias').primaryKey(),
    modelId: bigint('model_id', { mode: 'number' })
      .notNull()
      .references(() => models.id, { onDelete: 'cascade' }),
  },
  (table) => [index('model_aliases_model').on(table.modelId)],
);

/** A model at a provider. Position 0 is the primary; higher ones are its backups, in order. */
export const deployments = pgTable(
  'deployments',
  {
    modelId: bigint('model_id', { mode: 'number' })
      .notNull()
      .references(() => models.id, { onDelete: 'cascade' }),
    providerId: bigint('provider_id', { mode: 'number' })
      .notNull()
      .references(() => providers.id),
    position: integer('position').notNull(),
    upstreamId: text('upstream_id').notNull(),
    /** In tokens, where it is another there than the model's. */
    contextWindow: integer('context_window'),
    /** Its share of the requests where the model goes by weight; null is 1. */
    weight: integer('weight'),
    /** Where it is another there than the provider's. */
    quantization: text('quantization'),
  },
  (table) => [
    primaryKey({ columns: [table.modelId, table.providerId] }),
    index('deployments_provider').on(table.providerId),
  ],
);
