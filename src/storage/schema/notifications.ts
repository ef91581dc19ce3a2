/** Mails that were decided on and have still to be sent. */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { identityColumn } from './columns.ts';
import { notificationContacts } from './contacts.ts';
import { notificationEvents } from './events.ts';
import { users } from './identity.ts';

export const mailOutbox = pgTable(
  'mail_outbox',
  {
    id: identityColumn(),
    /** Every try carries it, so that a server can drop a second copy. */
    messageId: uuid('message_id').notNull(),
    recipient: text('recipient').notNull(),
    language: text('language').notNull(),
    kind: text('kind').notNull(),
    /** Which event it tells which contact; null for a mail of its own. */
    eventId: bigint('event_id', { mode: 'number' }).references(() => notificationEvents.id, {
      onDelete: 'cascade',
    }),
    contactId: bigint('contact_id', { mode: 'number' }).references(() => notificationContacts.id, {
      onDelete: 'cascade',
    }),
    /** Whose contact it is, by which an account lists what was sent; of a mail of its own, whose activity says that it was given up. */
    accountId: bigint('account_id', { mode: 'number' }).references(() => users.id, { onDelete: 'cascade' }),
    /** After it its contact is told nothing more for a while, which it says. */
    lastOfDay: boolean('last_of_day').notNull().default(false),
    /** AES-256-GCM envelope of what the mail tells, which holds secrets; null as soon as the mail is over, and for an event. */
    sealedContent: text('sealed_content'),
    /** How often it was begun. */
    tries: integer('tries').notNull().default(0),
    /** Those of the tries after which it certainly was not there. */
    failedTries: integer('failed_tries').notNull().default(0),
    /** When to try next; while it is being tried, when others may take it for abandoned. */
    dueAt: timestamp('due_at', { withTimezone: true }).notNull(),
    /** When it is worth nothing any more. */
    expiresAt: timestamp('expires_at', { withTimezone: true }),
    sentAt: timestamp('sent_at', { withTimezone: true }),
    /** When it was given up. */
    failedAt: timestamp('failed_at', { withTimezone: true }),
    lastError: text('last_error'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    index('mail_outbox_due')
      .on(table.dueAt)
      .where(sql`${table.sentAt} IS NULL AND ${table.failedAt} IS NULL`),
    // Mails of their own go first, however many of events wait.
    index('mail_outbox_due_own')
      .on(table.dueAt)
      .where(sql`${table.sentAt} IS NULL AND ${table.failedAt} IS NULL AND ${table.eventId} IS NULL`),
    // Mails of events go out by turns of the accounts, each account's oldest first.
    index('mail_outbox_turns')
      .on(table.accountId, table.dueAt, table.id)
      .where(sql`${table.sentAt} IS NULL AND ${table.failedAt} IS NULL AND ${table.eventId} IS NOT NULL`),
    index('mail_outbox_over')
      .on(sql`coalesce(${table.sentAt}, ${table.failedAt})`)
      .where(sql`coalesce(${table.sentAt}, ${table.failedAt}) IS NOT NULL`),
    index('mail_outbox_account').on(table.accountId, table.id).where(sql`${table.accountId} IS NOT NULL`),
    // A contact is told of an event once.
    uniqueIndex('mail_outbox_once')
      .on(table.eventId, table.contactId)
      .where(sql`${table.eventId} IS NOT NULL`),
    index('mail_outbox_contact').on(table.contactId, table.id).where(sql`${table.contactId} IS NOT NULL`),
  ],
);

/**
 * Which addresses that are not the account's own were told of its events lately. It refers to no contact, so that removing
 * one and adding it again does not begin the count anew.
 */
export const toldAddresses = pgTable(
  'told_addresses',
  {
    id: identityColumn(),
    userId: bigint('user_id', { mode: 'number' })
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** SHA-256 of account and address; empty where the account's activity was told that some are held back. */
    addressHash: text('address_hash').notNull(),
    eventId: bigint('event_id', { mode: 'number' }).notNull(),
    toldAt: timestamp('told_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    uniqueIndex('told_addresses_once').on(table.userId, table.addressHash, table.eventId),
    index('told_addresses_at').on(table.toldAt),
  ],
);
