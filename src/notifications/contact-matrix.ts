/** An account's contacts, each with the kinds of notification that it is told of. */
import { and, asc, count, eq, inArray, sql } from 'drizzle-orm';
import type { PersonScope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { notificationContacts, notificationPreferences } from '../storage/schema/contacts.ts';
import { preferenceKinds } from './preference-kinds.ts';

export interface ToldContact {
  readonly uuid: string;
  readonly email: string;
  readonly name: string;
  readonly phone: string;
  readonly main: boolean;
  /** Null takes the account's. */
  readonly language: string | null;
  /** Those that are on, in the order of their table. */
  readonly kinds: readonly string[];
}

export interface ContactMatrix {
  readonly contacts: readonly ToldContact[];
  readonly total: number;
}

/** The main contact first, then in the order in which they were made. */
export async function readContactMatrix(
  { userId }: PersonScope,
  executor: Executor,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<ContactMatrix> {
  const isOwn = eq(notificationContacts.userId, userId);
  const [counted] = await executor.select({ total: count() }).from(notificationContacts).where(isOwn);
  const rows = await executor
    .select()
    .from(notificationContacts)
    .where(isOwn)
    .orderBy(asc(notificationContacts.id))
    .offset(offset)
    .limit(limit);
  const ids = rows.map(({ id }) => id);
  const { contactId, kind } = notificationPreferences;
  const enabled = await executor
    .select({ contactId, kind })
    .from(notificationPreferences)
    .where(
      and(
        eq(notificationPreferences.userId, userId),
        inArray(contactId, ids),
        sql`${notificationPreferences.enabled}`,
      ),
    );
  const kindsOf = Map.groupBy(enabled, (row) => row.contactId);
  return {
    total: counted?.total ?? 0,
    contacts: rows.map(({ id, uuid, email, name, phone, main, language }) => {
      const on = new Set(kindsOf.get(id)?.map((row) => row.kind));
      const kinds = preferenceKinds.filter((known) => on.has(known.kind)).map((known) => known.kind);
      return { uuid, email, name, phone, main, language, kinds };
    }),
  };
}
