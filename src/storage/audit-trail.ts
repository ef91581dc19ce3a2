/** Writes what was done into the audit trail, with the transaction that did it. */
import { createHash } from 'node:crypto';
import { and, eq, inArray, isNotNull, or, sql } from 'drizzle-orm';
import type { Ids } from '../base/ids.ts';
import type { Transaction } from './database.ts';
import { apiKeys } from './schema/api-keys.ts';
import { type AuditDetails, type AuditPersonal, auditChains, auditEntries } from './schema/audit.ts';
import { departments, projects, users } from './schema/identity.ts';

export type { AuditDetails, AuditField } from './schema/audit.ts';

/** Everything that is noted, by what it is done to. The words for people stand with the page that shows them. */
export const auditActions = [
  ...['account.created', 'account.verified', 'account.deleted', 'account.status_changed'],
  ...['account.role_changed', 'account.moved', 'account.profile_changed', 'account.email_changed'],
  ...['account.password_changed', 'account.password_reset', 'account.terms_accepted'],
  ...['account.two_step_added', 'account.two_step_removed', 'account.recovery_codes_renewed'],
  ...['account.codes_guessed'],
  ...['account.passkey_added', 'account.passkey_removed'],
  ...['account.identity_linked', 'account.identity_unlinked'],
  ...['account.limits_changed', 'account.billing_changed', 'account.mail_given_up'],
  ...['export.requested', 'export.downloaded'],
  ...['session.started', 'session.ended', 'session.all_ended'],
  ...['key.created', 'key.changed', 'key.rotated', 'key.enabled', 'key.disabled', 'key.revoked'],
  ...['invite.created', 'invite.accepted', 'invite.revoked'],
  ...['organisation.created', 'organisation.changed', 'organisation.deleted', 'organisation.merged'],
  ...['department.created', 'department.changed', 'department.deleted'],
  ...['project.created', 'project.changed', 'project.deleted'],
  ...['wallet.credited', 'wallet.reversed', 'wallet.credit_limit_changed', 'wallet.released'],
  ...['wallet.refunded', 'wallet.transferred', 'wallet.adjusted'],
  ...['promotion.granted', 'promotion.changed'],
  ...['budget.set', 'budget.removed', 'budget.default_set', 'budget.default_removed'],
  ...['contact.created', 'contact.changed', 'contact.removed', 'contact.preferences_changed'],
  ...['webhook.created', 'webhook.changed', 'webhook.deleted', 'webhook.secret_rotated'],
  ...['webhook.paused', 'webhook.resumed', 'webhook.given_up', 'webhook.redelivered'],
  ...['notification.given_up', 'notification.held_back', 'notification.unsubscribed'],
  ...['price.set', 'price.withdrawn', 'usage.rated_anew'],
] as const;
export type AuditAction = (typeof auditActions)[number];

/** Who does it. */
export interface Actor {
  readonly kind: 'person' | 'visitor' | 'program';
  /** Of a person. */
  readonly userId: number | null;
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
}

export const programItself: Actor = { kind: 'program', userId: null };

/**
 * Whose account it happened to. The trail finds out which person, organisation and department that is when the work
 * ends, so that what is gone by then is to be told by what it belonged to.
 */
export type AuditOwner =
  | 'house'
  | { readonly kind: 'person' | 'key' | 'project' | 'department' | 'organisation'; readonly id: number };

export interface AuditNote {
  readonly action: AuditAction;
  /** What it was done to. */
  readonly subject: { readonly kind: string; readonly id: number | string; readonly label?: string };
  readonly owner: AuditOwner;
  /** No secrets, and nothing that names a person. */
  readonly details?: AuditDetails;
}

type NewEntry = typeof auditEntries.$inferInsert;
/** What the hash of an entry is made of, beside the one before it. */
export type HashedParts = Omit<NewEntry, 'id' | 'personal' | 'personalSalt' | 'hash'>;

/** The hash before the first entry of a chain. */
export const chainStart = '0'.repeat(64);

/** SHA-256 in hex, over parts that cannot run into each other because they are one JSON text. */
export function hashOfEntry(previousHash: string, entry: HashedParts): string {
  return sha256(
    JSON.stringify([
      ...[previousHash, entry.chain, entry.sequence, entry.at.toISOString()],
      ...[entry.action, entry.subjectKind, entry.subjectId],
      ...[entry.userId ?? null, entry.organisationId ?? null, entry.departmentId ?? null],
      ...[entry.actorKind, entry.actorId ?? null, entry.details, entry.personalHash],
    ]),
  );
}

export function hashOfPersonal(salt: string, personal: AuditPersonal): string {
  return sha256(JSON.stringify([salt, personal]));
}

/**
 * Removes what is personal of all that was done to people or by them, for good. The chains hold: the hash of what is
 * removed stays.
 * @param gone.inviteIds of invitations to them, which name their address and are noted of who invited them.
 */
export async function eraseFromTrail(
  executor: Transaction,
  {
    userIds,
    inviteIds = [],
  }: { readonly userIds: readonly number[]; readonly inviteIds?: readonly number[] },
): Promise<void> {
  const { subjectKind, subjectId, userId, actorId, personalSalt } = auditEntries;
  const isOfInvite = and(eq(subjectKind, 'invite'), inArray(subjectId, inviteIds.map(String)));
  const isTheirs = or(inArray(userId, [...userIds]), inArray(actorId, [...userIds]), isOfInvite);
  await executor
    .update(auditEntries)
    .set({ personal: null, personalSalt: null })
    .where(and(isTheirs, isNotNull(personalSalt)));
}

interface Writing {
  readonly executor: Transaction;
  readonly ids: Ids;
  readonly actor: Actor;
  readonly nowMs: number;
}

/** In the order of their chains, so that two transactions with several chains never wait for each other. */
export async function writeNotes(writing: Writing, notes: readonly AuditNote[]): Promise<void> {
  const placed: PlacedNote[] = [];
  // Much that is done at once is one account's, which others wait for until the commit.
  const known = new Map<string, Place>();
  for (const note of notes) {
    const owner = JSON.stringify(note.owner);
    const place = known.get(owner) ?? (await placeOf(writing.executor, note.owner));
    known.set(owner, place);
    placed.push({ ...note, place });
  }
  const byChain = Map.groupBy(placed, ({ place }) => chainOf(place));
  for (const [chain, ofChain] of [...byChain].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    await appendToChain(writing, chain, ofChain);
  }
}

interface Place {
  readonly userId: number | null;
  readonly organisationId: number | null;
  readonly departmentId: number | null;
}

type PlacedNote = AuditNote & { readonly place: Place };

const nowhere: Place = { userId: null, organisationId: null, departmentId: null };

async function placeOf(executor: Transaction, owner: AuditOwner): Promise<Place> {
  if (owner === 'house') return nowhere;
  const { kind, id } = owner;
  switch (kind) {
    case 'organisation':
      return { ...nowhere, organisationId: id };
    case 'department': {
      const [row] = await executor.select().from(departments).where(eq(departments.id, id));
      return { ...nowhere, organisationId: row?.organisationId ?? null, departmentId: id };
    }
    case 'project': {
      const [row] = await executor.select().from(projects).where(eq(projects.id, id));
      return {
        ...nowhere,
        organisationId: row?.organisationId ?? null,
        departmentId: row?.departmentId ?? null,
      };
    }
    case 'key': {
      const [row] = await executor
        .select({ key: apiKeys, owner: ofPerson })
        .from(apiKeys)
        .innerJoin(users, eq(users.id, apiKeys.ownerId))
        .where(eq(apiKeys.id, id));
      if (row === undefined) return nowhere;
      const { organisationId, departmentId } = row.key;
      // A key that belongs to nothing by itself is where its owner is.
      return organisationId === null ? row.owner : { userId: row.owner.userId, organisationId, departmentId };
    }
    case 'person': {
      const [row] = await executor.select(ofPerson).from(users).where(eq(users.id, id));
      return row ?? { ...nowhere, userId: id };
    }
  }
}

const ofPerson = { userId: users.id, organisationId: users.organisationId, departmentId: users.departmentId };

async function appendToChain(writing: Writing, chain: string, notes: readonly PlacedNote[]): Promise<void> {
  const { executor } = writing;
  const [end] = await executor
    .insert(auditChains)
    .values({ chain, length: 0, head: chainStart })
    .onConflictDoUpdate({ target: auditChains.chain, set: { length: sql`${auditChains.length}` } })
    .returning();
  if (end === undefined) throw new Error('the end of an audit chain is not there');
  const entries: NewEntry[] = [];
  let head = end.head;
  for (const note of notes) {
    const entry = entryOf(writing, note, { chain, sequence: end.length + entries.length + 1 });
    head = hashOfEntry(head, entry);
    entries.push({ ...entry, hash: head });
  }
  await executor.insert(auditEntries).values(entries);
  await executor
    .update(auditChains)
    .set({ length: end.length + entries.length, head })
    .where(eq(auditChains.chain, chain));
}

function entryOf(
  { ids, actor, nowMs }: Writing,
  { action, subject, place, details = {} }: PlacedNote,
  position: { readonly chain: string; readonly sequence: number },
): Omit<NewEntry, 'hash'> {
  const personal: AuditPersonal = {
    ...(subject.label !== undefined && { label: subject.label }),
    ...(actor.address !== undefined && { address: actor.address }),
    ...(actor.userAgent !== undefined && { userAgent: actor.userAgent }),
  };
  const salt = Buffer.from(ids.randomBytes(16)).toString('hex');
  return {
    ...position,
    ...place,
    at: new Date(nowMs),
    action,
    subjectKind: subject.kind,
    subjectId: String(subject.id),
    actorKind: actor.kind,
    actorId: actor.userId,
    details,
    personal,
    personalSalt: salt,
    personalHash: hashOfPersonal(salt, personal),
  };
}

function chainOf({ userId, organisationId }: Place): string {
  if (organisationId !== null) return `organisation:${organisationId}`;
  return userId === null ? 'house' : `person:${userId}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
