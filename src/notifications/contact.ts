/** Somebody whom an account has told of what happens to it, as the rules and the account API see them. */
import { sql } from 'drizzle-orm';
import parsePhoneNumber, { parseIncompletePhoneNumber } from 'libphonenumber-js/min';
import { z } from 'zod';
import { addressField, nameField } from '../base/field-check.ts';
import { isLanguage } from '../base/language.ts';
import { filterByText, listOf } from '../storage/listing.ts';
import { notificationContacts } from '../storage/schema/contacts.ts';

export interface Contact {
  readonly uuid: string;
  readonly email: string;
  readonly name: string;
  /** Digits, with a plus before them where the country is said; empty when unset. */
  readonly phone: string;
  /** It follows the account's address, and stays while the account is there. */
  readonly main: boolean;
  /** Null takes the account's. */
  readonly language: string | null;
}

/**
 * Stored with the digits that were given and, where the country is said, the plus before them. A number with its country
 * is read as people there write it, so that the bracketed zero of `+44 (0)20` is no part of it; no other digit is taken
 * for one that is not dialled. Whatever else has digits is kept too, since numbers exist that no table knows.
 */
const phoneField = z
  .string()
  .max(60, 'must have at most 60 characters')
  .transform((text) => text.normalize('NFKC').trim())
  .transform((text) => readInternational(text) ?? text.replaceAll(/[\s().\-/\u2010-\u2015]+/gu, ''))
  .pipe(
    z.string().regex(/^(?:\+?\d{3,20})?$/, 'must be a phone number: digits, with a plus before the country'),
  );

const bracketedZero = /[([]\s*0\s*[)\]]/gu;

/** Undefined for what is no number with its country that could exist. */
function readInternational(text: string): string | undefined {
  const read = parsePhoneNumber(text, { extract: false });
  if (read?.isPossible() !== true || read.ext !== undefined) return undefined;
  const dialled = parseIncompletePhoneNumber(text.replaceAll(bracketedZero, ''));
  return dialled === read.number ? dialled : parseIncompletePhoneNumber(text);
}

const languageField = z
  .string()
  .nullable()
  .refine((language) => language === null || isLanguage(language), 'must be a language of this service');

/** What programs may say of a contact, each with its rule. */
export const contactFields = { email: addressField, name: nameField, phone: phoneField };

export const newContactFields = z.object({
  email: contactFields.email,
  name: contactFields.name.default(''),
  phone: contactFields.phone.default(''),
  language: languageField.default(null),
});

/** What is not given stays. */
export const contactChangeFields = z.object({
  email: contactFields.email.optional(),
  name: contactFields.name.optional(),
  phone: contactFields.phone.optional(),
  language: languageField.optional(),
});

export type NewContact = z.input<typeof newContactFields>;
export type ContactChange = z.input<typeof contactChangeFields>;

const addressPrefix = '/api/2.0/notification_contacts/';

/** What it is known by in the account API. */
export const contactAddress = (uuid: string): string => `${addressPrefix}${uuid}/`;

/** Undefined for what is no address of a contact; a slash at its end may be missing. */
export function uuidOfAddress(address: string): string | undefined {
  if (!address.startsWith(addressPrefix)) return undefined;
  const uuid = address.slice(addressPrefix.length).replace(/\/$/, '').toLowerCase();
  return isUuid(uuid) ? uuid : undefined;
}

/** As the database takes it. */
export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);

export const shownAddress = sql`(${addressPrefix}::text || ${notificationContacts.uuid}::text || '/')`;

type ContactRow = typeof notificationContacts.$inferSelect;

export function readContact({ uuid, email, name, phone, main, language }: ContactRow): Contact {
  return { uuid, email, name, phone, main, language };
}

/** In the order in which they were made, which puts the main contact first. */
export const contactList = listOf<ContactRow, Contact>({
  table: notificationContacts,
  owner: notificationContacts.userId,
  order: [notificationContacts.id],
  filters: {
    uuid: filterByText(sql`${notificationContacts.uuid}::text`),
    resource_uri: filterByText(shownAddress),
    email: filterByText(notificationContacts.email),
    name: filterByText(notificationContacts.name),
    phone: filterByText(notificationContacts.phone),
    main: filterByText(sql`CASE WHEN ${notificationContacts.main} THEN 'true' ELSE 'null' END`),
  },
  readRows: (executor, { where, orderBy, limit }) =>
    executor
      .select()
      .from(notificationContacts)
      .where(where)
      .orderBy(...orderBy)
      .limit(limit),
  placeOf: ({ id }) => [id],
  show: async (_executor, rows) => rows.map(readContact),
});
