/** Whom an account has told of what happens to it, and of which kinds of it. Triggers keep the rules that must hold whoever writes. */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  foreignKey,
  index,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { createdAtColumn, identityColumn } from './columns.ts';
import { users } from './identity.ts';

/** A trigger gives every account its main contact, and another has that follow the account's address and name. */
export const notificationContacts = pgTable(
  'notification_contacts',
  {
    id: identityColumn(),
    /** What others know it by. */
    uuid: uuid('uuid').notNull().defaultRandom(),
    userId: bigint('user_id', { mode: 'number' })
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    email: text('email').notNull(),
    name: text('name').notNull().default(''),
    /** Digits, with a plus before them where the country is said; empty when unset. */
    phone: text('phone').notNull().default(''),
    main: boolean('main').notNull().default(false),
    /** Null takes the account's. */
    language: text('language'),
    createdAt: createdAtColumn(),
  },
  (table) => [
    uniqueIndex('notification_contacts_uuid').on(table.uuid),
    // What preferences refer to, and the order in which an account's contacts are listed.
    unique('notification_contacts_of_user').on(table.userId, table.id),
    // Who else of an account has an address, in whatever case, is asked when a mail's contact has left it.
    index('notification_contacts_address').on(table.userId, sql`lower(${table.email})`),
    uniqueIndex('notification_contacts_main').on(table.userId).where(sql`${table.main}`),
  ],
);

/** The kinds that there are: a trigger gives every contact a preference for each of them. */
export const notificationKinds = pgTable('notification_kinds', {
  kind: text('kind').primaryKey(),
  /** Whether a contact is told of it from its first moment. */
  onByDefault: boolean('on_by_default').notNull(),
});

export const notificationPreferences = pgTable(
  'notification_preferences',
  {
    userId: bigint('user_id', { mode: 'number' }).notNull(),
    contactId: bigint('contact_id', { mode: 'number' }).notNull(),
    medium: text('medium').notNull(),
    kind: text('kind').notNull(),
    enabled: boolean('enabled').notNull(),
  },
  (table) => [
    // In the order in which an account's preferences are listed.
    primaryKey({ columns: [table.userId, table.contactId, table.medium, table.kind] }),
    foreignKey({
      name: 'notification_preferences_contact',
      columns: [table.userId, table.contactId],
      foreignColumns: [notificationContacts.userId, notificationContacts.id],
    }).onDelete('cascade'),
    // Who is to be told of one kind of event.
    index('notification_preferences_on')
      .on(table.userId, table.kind, table.medium, table.contactId)
      .where(sql`${table.enabled}`),
  ],
);
