/** Which kinds of notification each contact of an account is told of, listed and changed. */
import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { fieldError } from '../base/field-check.ts';
import type { PersonScope } from '../base/scope.ts';
import { filterByText, type ListFilter, listOf } from '../storage/listing.ts';
import { notificationContacts, notificationPreferences } from '../storage/schema/contacts.ts';
import type { Work } from '../storage/work.ts';
import { isUuid, shownAddress, uuidOfAddress } from './contact.ts';
import { aboutContact } from './contacts.ts';
import { preferenceKinds } from './preference-kinds.ts';

/** By which ways people are told; a preference is for one of them. */
export const media = ['email'] as const;

export interface Preference {
  /** The contact's uuid. */
  readonly contact: string;
  readonly medium: string;
  readonly kind: string;
  readonly enabled: boolean;
}

type PreferenceRow = typeof notificationPreferences.$inferSelect;

/** Contacts are compared with by themselves, so that a contact's preferences are found without looking at the others'. */
const filterByContact: ListFilter = {
  is(values) {
    const uuids = values.flatMap((value) => uuidOfAddress(value) ?? []);
    return uuids.length === 0 ? sql`false` : ofContacts(inArray(notificationContacts.uuid, uuids));
  },
  contains: (part) => ofContacts(sql`strpos(${shownAddress}, ${part}) > 0`),
};

function ofContacts(condition: SQL): SQL {
  return sql`${notificationPreferences.contactId} IN (SELECT ${notificationContacts.id} FROM ${notificationContacts}
    WHERE ${notificationContacts.userId} = ${notificationPreferences.userId} AND ${condition})`;
}

/** Those of a contact together, contacts in the order in which they were made. */
export const preferenceList = listOf<PreferenceRow, Preference>({
  table: notificationPreferences,
  owner: notificationPreferences.userId,
  order: [notificationPreferences.contactId, notificationPreferences.medium, notificationPreferences.kind],
  filters: {
    contact: filterByContact,
    medium: filterByText(notificationPreferences.medium),
    type: filterByText(notificationPreferences.kind),
    value: filterByText(sql`CASE WHEN ${notificationPreferences.enabled} THEN 'true' ELSE 'false' END`),
  },
  readRows: (executor, { where, orderBy, limit }) =>
    executor
      .select()
      .from(notificationPreferences)
      .where(where)
      .orderBy(...orderBy)
      .limit(limit),
  placeOf: ({ contactId, medium, kind }) => [contactId, medium, kind],
  async show(executor, rows) {
    const ids = [...new Set(rows.map(({ contactId }) => contactId))];
    const contacts = await executor
      .select({ id: notificationContacts.id, uuid: notificationContacts.uuid })
      .from(notificationContacts)
      .where(inArray(notificationContacts.id, ids));
    const uuids = new Map(contacts.map(({ id, uuid }) => [id, uuid]));
    return rows.flatMap(({ contactId, medium, kind, enabled }) => {
      const contact = uuids.get(contactId);
      // Its contact was removed meanwhile, and it with it.
      return contact === undefined ? [] : [{ contact, medium, kind, enabled }];
    });
  },
});

/**
 * Changes those that are named and no others, all of them or none; of two for the same the later holds.
 * @returns them as they are now.
 * @throws AppError `validation_failed`, with the place in the list before the field.
 */
export async function changePreferences(
  { userId }: PersonScope,
  { executor, note }: Work,
  changes: readonly Preference[],
): Promise<readonly Preference[]> {
  const wanted = new Map(
    changes.map((change) => [JSON.stringify([change.contact, change.medium, change.kind]), change]),
  );
  const uuids = [...new Set(changes.map(({ contact }) => contact))].filter(isUuid);
  const contacts = await executor
    .select({
      id: notificationContacts.id,
      uuid: notificationContacts.uuid,
      email: notificationContacts.email,
    })
    .from(notificationContacts)
    .where(and(eq(notificationContacts.userId, userId), inArray(notificationContacts.uuid, uuids)))
    .orderBy(asc(notificationContacts.id))
    .for('no key update');
  const known = new Map(contacts.map((contact) => [contact.uuid, contact]));
  requireKnown(changes, known);
  const rows = [...wanted.values()].map(
    ({ contact, medium, kind, enabled }) =>
      sql`(${known.get(contact)?.id ?? 0}::bigint, ${medium}::text, ${kind}::text, ${enabled}::boolean)`,
  );
  const table = notificationPreferences;
  const { rows: changed } = await executor.execute<{ contact_id: string }>(sql`
    UPDATE ${table} SET enabled = wanted.enabled
    FROM (VALUES ${sql.join(rows, sql`, `)}) AS wanted (contact_id, medium, kind, enabled)
    WHERE ${table.userId} = ${userId} AND ${table.contactId} = wanted.contact_id
      AND ${table.medium} = wanted.medium AND ${table.kind} = wanted.kind AND ${table.enabled} <> wanted.enabled
    RETURNING ${table.contactId} AS contact_id`);
  const countById = new Map<number, number>();
  for (const { contact_id: id } of changed) countById.set(Number(id), (countById.get(Number(id)) ?? 0) + 1);
  noteChanged(
    userId,
    note,
    contacts.flatMap((contact) => {
      const preferences = countById.get(contact.id);
      return preferences === undefined ? [] : [{ contact, preferences }];
    }),
  );
  return [...wanted.values()];
}

interface ChangedContact {
  readonly contact: Parameters<typeof aboutContact>[1];
  /** How many of its preferences are others than before. */
  readonly preferences: number;
}

/** Each contact in its own words; of very many the account says how many they are, so that its activity stays readable. */
function noteChanged(userId: number, note: Work['note'], changed: readonly ChangedContact[]): void {
  const action = 'contact.preferences_changed';
  if (changed.length <= mostNotes) {
    for (const { contact, preferences } of changed) {
      note(aboutContact(userId, contact, action, { preferences }));
    }
    return;
  }
  const preferences = changed.reduce((sum, one) => sum + one.preferences, 0);
  note({
    action,
    subject: { kind: 'account', id: userId },
    owner: { kind: 'person', id: userId },
    details: { preferences, contacts: changed.length },
  });
}

const mostNotes = 50;

/** @throws AppError `validation_failed` with all that is wrong, up to a number that somebody can look at. */
function requireKnown(changes: readonly Preference[], contacts: ReadonlyMap<string, unknown>): void {
  const issues = changes.flatMap(({ contact, medium, kind }, index) => [
    ...(contacts.has(contact) ? [] : [issueAt(index, 'contact', 'is no contact of this account')]),
    ...(media.some((one) => one === medium)
      ? []
      : [issueAt(index, 'medium', `must be ${media.join(' or ')}`)]),
    ...(preferenceKinds.some((known) => known.kind === kind)
      ? []
      : [issueAt(index, 'type', 'is no kind of notification')]),
  ]);
  if (issues.length > 0) throw fieldError(issues.slice(0, mostIssues));
}

const mostIssues = 20;
const issueAt = (index: number, field: string, msg: string) => ({
  loc: [index, field],
  msg,
  type: 'unknown',
});
