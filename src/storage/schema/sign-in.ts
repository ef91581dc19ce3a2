/** How people sign in, the sessions that follow from it, and what they agreed to. */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { createdAtColumn, idColumn, identityColumn, timeColumn } from './columns.ts';
import { organisations, users } from './identity.ts';

/** Secrets that work once: in links of mails and banners, and between the two steps of signing in. */
export const oneTimeTokens = pgTable(
  'one_time_tokens',
  {
    id: identityColumn(),
    /** sign_in, verify_email, reset_password, change_email, second_factor or handoff. */
    purpose: text('purpose').notNull(),
    userId: idColumn('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    tokenHash: text('token_hash').notNull(),
    /** What has to be known when it is redeemed, such as the address that it verifies or the host that it is for. */
    detail: jsonb('detail').$type<Record<string, unknown>>().notNull().default({}),
    /** Wrong answers that were given to it, where it asks for one. */
    failures: integer('failures').notNull().default(0),
    expiresAt: timeColumn('expires_at').notNull(),
    usedAt: timeColumn('used_at'),
    createdAt: createdAtColumn(),
  },
  (table) => [
    uniqueIndex('one_time_tokens_hash').on(table.tokenHash),
    index('one_time_tokens_user').on(table.userId, table.purpose),
  ],
);

export const sessions = pgTable(
  'sessions',
  {
    id: identityColumn(),
    userId: idColumn('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    tokenHash: text('token_hash').notNull(),
    /** How the person showed who they are: link, password, a provider's name or passkey; with `+totp` and the like. */
    method: text('method').notNull().default('link'),
    /** The browser as it names itself, cut, and where from; for the person's own list of sessions. */
    userAgent: text('user_agent'),
    address: text('address'),
    /** The portal's host that it began on. */
    host: text('host'),
    /** What an admin looks at: their own things, or an organisation's; null is all that they may see. */
    adminMode: boolean('admin_mode').notNull().default(false),
    adminOrganisationId: idColumn('admin_organisation_id').references(() => organisations.id, {
      onDelete: 'set null',
    }),
    lastSeenAt: timeColumn('last_seen_at').notNull().defaultNow(),
    /** Sliding: moved on when the session is used. */
    expiresAt: timeColumn('expires_at').notNull(),
    createdAt: createdAtColumn(),
  },
  (table) => [
    uniqueIndex('sessions_token_hash').on(table.tokenHash),
    index('sessions_user').on(table.userId),
  ],
);

/** An account at an identity provider that signs a person in here. */
export const linkedIdentities = pgTable(
  'linked_identities',
  {
    id: identityColumn(),
    userId: idColumn('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** As it is configured here, and the person's unchanging name there. */
    provider: text('provider').notNull(),
    subject: text('subject').notNull(),
    email: text('email').notNull(),
    lastUsedAt: timeColumn('last_used_at'),
    createdAt: createdAtColumn(),
  },
  (table) => [
    uniqueIndex('linked_identities_subject').on(table.provider, table.subject),
    uniqueIndex('linked_identities_user').on(table.userId, table.provider),
  ],
);

/** A secret for codes by time (RFC 6238); it counts once the first right code has confirmed it. */
export const totpSecrets = pgTable('totp_secrets', {
  userId: idColumn('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** AES-256-GCM envelope, see base/envelope.ts. */
  sealedSecret: text('sealed_secret').notNull(),
  confirmedAt: timeColumn('confirmed_at'),
  /** The step of the newest code that was taken: no code works twice. */
  lastStep: bigint('last_step', { mode: 'number' }).notNull().default(0),
  createdAt: createdAtColumn(),
});

export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    id: identityColumn(),
    userId: idColumn('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    codeHash: text('code_hash').notNull(),
    usedAt: timeColumn('used_at'),
  },
  (table) => [uniqueIndex('recovery_codes_code').on(table.userId, table.codeHash)],
);

export const passkeys = pgTable(
  'passkeys',
  {
    id: identityColumn(),
    userId: idColumn('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** base64url, as the authenticator names it. */
    credentialId: text('credential_id').notNull(),
    /** COSE, in base64url. */
    publicKey: text('public_key').notNull(),
    signatureCounter: bigint('signature_counter', { mode: 'number' }).notNull(),
    transports: text('transports').array().notNull().default(sql`'{}'::text[]`),
    lastUsedAt: timeColumn('last_used_at'),
    createdAt: createdAtColumn(),
  },
  (table) => [
    uniqueIndex('passkeys_credential').on(table.credentialId),
    index('passkeys_user').on(table.userId),
  ],
);

/** Which version of the terms a person agreed to, and when; append-only. */
export const legalAcceptances = pgTable(
  'legal_acceptances',
  {
    userId: idColumn('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    version: text('version').notNull(),
    acceptedAt: timeColumn('accepted_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.version] })],
);

/** How much of an allowance is used up, for what must be slow for whoever guesses. Shared by all replicas. */
export const throttles = pgTable(
  'throttles',
  {
    /** A hash of what is throttled: an address or an account, and for what. */
    key: text('key').primaryKey(),
    /** When the allowance would be whole again (the theoretical arrival time of GCRA). */
    wholeAt: timeColumn('whole_at').notNull(),
  },
  (table) => [index('throttles_whole_at').on(table.wholeAt)],
);
