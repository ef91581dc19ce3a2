/** Making, finding, changing and removing an account's contacts. */
import { and, count, eq, isNull, sql } from 'drizzle-orm';
import { z } from 'zod';
import { AppError } from '../base/errors.ts';
import { checkFields } from '../base/field-check.ts';
import type { PersonScope } from '../base/scope.ts';
import type { AuditAction, AuditNote } from '../storage/audit-trail.ts';
import type { Executor } from '../storage/database.ts';
import { notificationContacts } from '../storage/schema/contacts.ts';
import { users } from '../storage/schema/identity.ts';
import type { Work } from '../storage/work.ts';
import {
  type Contact,
  type ContactChange,
  contactChangeFields,
  isUuid,
  type NewContact,
  newContactFields,
  readContact,
} from './contact.ts';
import { findMailsOf, handOn } from './moved-mails.ts';

/** Each has a preference for every kind, and may be sent a mail for every event. */
const mostContacts = 20_000;

/**
 * All of them or none.
 * @throws AppError `validation_failed`, with the place of the contact in the list before the field; `not_found` where the
 *   account is gone; `conflict` where it would have too many.
 */
export async function createContacts(
  { userId }: PersonScope,
  { executor, clock, note }: Work,
  contacts: readonly NewContact[],
): Promise<readonly Contact[]> {
  const checked = checkFields(z.array(newContactFields), [...contacts]);
  await holdAccount(executor, userId);
  await requireRoom(executor, userId, checked.length);
  const createdAt = new Date(clock.nowMs());
  const rows = await executor
    .insert(notificationContacts)
    .values(checked.map((fields) => ({ ...fields, userId, createdAt })))
    .returning();
  const made = rows.toSorted((one, other) => one.id - other.id).map(readContact);
  for (const contact of made) note(aboutContact(userId, contact, 'contact.created'));
  return made;
}

/**
 * Others who make or remove contacts of the account wait until this work is over, so that together they make not too many
 * and do not wait for each other's. The account's row is what is locked: a change of its address locks it too, before the
 * main contact that follows it, and so does its removal, whose row stays: no contact may be made of it.
 * @throws AppError `not_found`.
 */
export async function holdAccount(executor: Executor, userId: number): Promise<void> {
  const isThere = and(eq(users.id, userId), isNull(users.removedAt));
  const held = await executor.select({ id: users.id }).from(users).where(isThere).for('no key update');
  if (held.length > 0) return;
  throw new AppError({ code: 'not_found', public: 'There is no such account.' });
}

/** @param userId of an account that is held. @throws AppError `conflict`. */
async function requireRoom(executor: Executor, userId: number, more: number): Promise<void> {
  const isOwn = eq(notificationContacts.userId, userId);
  const [counted] = await executor.select({ total: count() }).from(notificationContacts).where(isOwn);
  if ((counted?.total ?? 0) + more <= mostContacts) return;
  throw new AppError({
    code: 'conflict',
    reason: 'many_contacts',
    public: `An account has at most ${mostContacts} contacts. Remove some first.`,
  });
}

/** Undefined for one that is not there, or somebody else's. */
export async function findContact(
  scope: PersonScope,
  executor: Executor,
  uuid: string,
): Promise<Contact | undefined> {
  if (!isUuid(uuid)) return undefined;
  const [row] = await executor.select().from(notificationContacts).where(isTheir(scope, uuid));
  return row && readContact(row);
}

/**
 * Changes what is given and nothing else. Another address of the main contact holds until the account's changes.
 * @throws AppError `not_found`, `validation_failed`.
 */
export async function changeContact(
  scope: PersonScope,
  { executor, note }: Work,
  { uuid, change }: { readonly uuid: string; readonly change: ContactChange },
): Promise<Contact> {
  const given = checkFields(contactChangeFields, change);
  const [before] = isUuid(uuid)
    ? await executor.select().from(notificationContacts).where(isTheir(scope, uuid)).for('update')
    : [];
  if (before === undefined) throw noSuchContact();
  const after: Contact = {
    ...readContact(before),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
  if (Bun.deepEquals(after, readContact(before))) return after;
  const { email, name, phone, language } = after;
  await executor
    .update(notificationContacts)
    .set({ email, name, phone, language })
    .where(eq(notificationContacts.id, before.id));
  note(aboutContact(scope.userId, after, 'contact.changed'));
  return after;
}

/**
 * With its preferences. What it was still to be told, another contact with its address is.
 * @throws AppError `not_found`; `not_allowed` for the main contact.
 */
export async function removeContact(scope: PersonScope, work: Work, uuid: string): Promise<Contact> {
  const { executor, note } = work;
  // Of two with one address that are removed at once, each would be the next to be told in place of the other.
  await holdAccount(executor, scope.userId);
  const [row] = isUuid(uuid)
    ? await executor.select().from(notificationContacts).where(isTheir(scope, uuid)).for('update')
    : [];
  if (row === undefined) throw noSuchContact();
  const contact = readContact(row);
  if (contact.main) {
    throw new AppError({
      code: 'not_allowed',
      reason: 'main_contact',
      public: 'The main contact of an account cannot be removed: it is there as long as the account is.',
    });
  }
  const left = await findMailsOf(executor, row.id);
  await executor.delete(notificationContacts).where(eq(notificationContacts.id, row.id));
  await handOn(work, left);
  note(aboutContact(scope.userId, contact, 'contact.removed'));
  return contact;
}

function isTheir({ userId }: PersonScope, uuid: string) {
  return and(eq(notificationContacts.uuid, sql`${uuid}::uuid`), eq(notificationContacts.userId, userId));
}

/** The address is what people call it, and is personal, which the trail keeps apart. */
export function aboutContact(
  userId: number,
  { uuid, email }: Pick<Contact, 'uuid' | 'email'>,
  action: AuditAction,
  details: AuditNote['details'] = {},
): AuditNote {
  const subject = { kind: 'contact', id: uuid, label: email };
  return { action, subject, owner: { kind: 'person', id: userId }, details };
}

const noSuchContact = () =>
  new AppError({ code: 'not_found', public: 'There is no such contact in this account.' });
