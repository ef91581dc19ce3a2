/** Invitations: a place in an organisation and a role, for whoever owns an e-mail address. */
import { and, eq, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { AppError } from '../base/errors.ts';
import { checkFields, fieldError } from '../base/field-check.ts';
import { onlyOf, type Scope } from '../base/scope.ts';
import type { AuditOwner } from '../storage/audit-trail.ts';
import type { Executor } from '../storage/database.ts';
import { invites, users } from '../storage/schema/identity.ts';
import { withinScope } from '../storage/within-scope.ts';
import type { Work } from '../storage/work.ts';
import { tellOfNewAccount } from './account-events.ts';
import { holdOneself } from './hold-person.ts';
import { type Invite, isWithin, type Place, selectInvites } from './invite.ts';
import { mintSecret, type OneTimeToken } from './one-time-tokens.ts';
import { isAtLeast, mayGrant, widestScope } from './roles.ts';
import { endSessionsOfUser } from './sessions.ts';
import { hashToken } from './token.ts';
import { readUser, type User, type UserRole, userRoles, userTopic } from './user.ts';
import { emailField } from './users.ts';

const lifetimeMs = 7 * 24 * 3_600_000;

const inviteFields = z.object({
  email: emailField,
  role: z.enum(userRoles, `must be one of ${userRoles.join(', ')}`),
  organisationId: z.number().int().nullable(),
  departmentId: z.number().int().nullable(),
});

export type NewInvite = z.input<typeof inviteFields>;

/**
 * Takes the place of those for the same address and organisation that are still pending and that the inviter could
 * revoke: what a superior offered is not theirs to take back.
 * @throws AppError `validation_failed` for a role above the inviter's, and for a place that is missing; `not_found` for an
 *   organisation or department that is not in their scope or does not exist, which look the same.
 */
export async function createInvite(
  scope: Scope,
  work: Work,
  { inviter: asked, ...fields }: NewInvite & { readonly inviter: User },
): Promise<OneTimeToken & { readonly id: number }> {
  const { email, role, organisationId, departmentId } = checkFields(inviteFields, fields);
  const { executor, clock, ids } = work;
  const inviter = await holdOneself(onlyOf(asked.id), executor);
  if (!mayGrant(inviter, role)) {
    throw fieldError([{ loc: ['role'], msg: 'is not one that you can give', type: 'not_granted' }]);
  }
  checkNeeds(scope, role, { organisationId, departmentId });
  await checkPlace(scope, executor, { organisationId, departmentId });
  await executor
    .update(invites)
    .set({ status: 'revoked' })
    .where(
      and(
        eq(invites.email, email),
        sql`${invites.organisationId} IS NOT DISTINCT FROM ${organisationId}`,
        revocableBy(inviter, scope),
      ),
    );
  const secret = mintSecret(ids);
  const nowMs = clock.nowMs();
  const expiresAt = new Date(nowMs + lifetimeMs);
  const [row] = await executor
    .insert(invites)
    .values({
      email,
      role,
      organisationId,
      departmentId,
      invitedBy: inviter.id,
      tokenHash: hashToken(secret),
      expiresAt,
      createdAt: new Date(nowMs),
    })
    .returning({ id: invites.id });
  if (row === undefined) throw new Error('the insert of an invite returned nothing');
  work.note({
    action: 'invite.created',
    subject: { kind: 'invite', id: row.id, label: email },
    owner: ownerOf(organisationId, inviter.id),
    details: { role, departmentId },
  });
  return { id: row.id, secret, expiresAt };
}

const invitesAPage = 100;

/**
 * A page of them, newest first. A person's own scope shows those that they sent.
 * @param before the `next` of the page before.
 */
export async function listInvites(
  scope: Scope,
  executor: Executor,
  { nowMs, before }: { readonly nowMs: number; readonly before?: number | undefined },
): Promise<{ readonly invites: readonly Invite[]; readonly next: number | null }> {
  const older = before === undefined ? undefined : lt(invites.id, before);
  const found = await selectInvites(executor, nowMs, {
    condition: and(withinScope(scope, owning), older),
    limit: invitesAPage + 1,
  });
  const shown = found.slice(0, invitesAPage);
  return { invites: shown, next: found.length > shown.length ? (shown.at(-1)?.id ?? null) : null };
}

/** For whoever has the link, without using it up; undefined unless it would work now. */
export async function findInvite(
  executor: Executor,
  { secret, nowMs }: { readonly secret: string; readonly nowMs: number },
): Promise<Invite | undefined> {
  const [invite] = await selectInvites(executor, nowMs, {
    condition: eq(invites.tokenHash, hashToken(secret)),
    limit: 1,
  });
  return invite?.state === 'pending' && (await isBacked(executor, invite)) ? invite : undefined;
}

/**
 * An invitation that works now, for this address.
 * @throws AppError `validation_failed`.
 */
export async function requireInvite(
  { executor, clock }: Pick<Work, 'executor' | 'clock'>,
  secret: string,
  email: string,
): Promise<Invite> {
  const invite = await findInvite(executor, { secret, nowMs: clock.nowMs() });
  if (invite === undefined) throw noLonger();
  if (invite.email !== email) throw refusal('is for another e-mail address', 'other_address');
  return invite;
}

/**
 * Puts the person where the invitation says. The link came to their address, which is verified by it. A role is not
 * lowered in the place that it is for, and never goes along into another; another role ends their sessions.
 * @throws AppError `validation_failed`, when the invitation does not work, is for another address, or the person
 *   belongs to another organisation.
 */
export async function acceptInvite(work: Work, secret: string, { id }: Pick<User, 'id'>): Promise<User> {
  const { executor, clock } = work;
  // As they are now, and stay until this ends: who was suspended meanwhile must not be active by what was read before.
  const [known] = await executor.select().from(users).where(eq(users.id, id)).for('update');
  if (known === undefined) throw noLonger();
  const user = readUser(known);
  const invite = await requireInvite(work, secret, user.email);
  const organisationId = invite.organisationId ?? user.organisationId;
  if (user.organisationId !== null && user.organisationId !== organisationId) {
    throw refusal('is from another organisation than the one that you belong to', 'other_organisation');
  }
  const used = await executor
    .update(invites)
    .set({ status: 'accepted', acceptedBy: user.id })
    .where(and(eq(invites.id, invite.id), eq(invites.status, 'pending')))
    .returning({ id: invites.id });
  if (used.length === 0) throw noLonger();
  const next = { organisationId, departmentId: invite.departmentId ?? user.departmentId };
  const role = isOfPlace(user, next) && isAtLeast(user.role, invite.role) ? user.role : invite.role;
  const [row] = await executor
    .update(users)
    .set({
      role,
      status: user.status === 'unverified' ? 'active' : user.status,
      emailVerifiedAt: new Date(clock.nowMs()),
      ...next,
    })
    .where(eq(users.id, user.id))
    .returning();
  if (row === undefined) throw noLonger();
  if (role !== user.role) await endSessionsOfUser(work, user.id);
  work.note({
    action: 'invite.accepted',
    subject: { kind: 'invite', id: invite.id, label: invite.email },
    owner: { kind: 'person', id: user.id },
    details: { role: { from: user.role, to: role } },
  });
  work.announce(userTopic, String(user.id));
  if (user.status === 'unverified') await tellOfNewAccount(work, row);
  return readUser(row);
}

/** @throws AppError `not_found`: outside the scope, and for one that is not pending or gives more than `actor` may. */
export async function revokeInvite(
  scope: Scope,
  { executor, note }: Work,
  { inviteId, actor }: { readonly inviteId: number; readonly actor: User },
): Promise<void> {
  const revoked = await executor
    .update(invites)
    .set({ status: 'revoked' })
    .where(and(eq(invites.id, inviteId), revocableBy(actor, scope)))
    .returning();
  const [row] = revoked;
  if (row === undefined) {
    throw new AppError({ code: 'not_found', public: 'There is no invitation here that could be revoked.' });
  }
  note({
    action: 'invite.revoked',
    subject: { kind: 'invite', id: row.id, label: row.email },
    owner: ownerOf(row.organisationId, row.invitedBy),
  });
}

const ownerOf = (organisationId: number | null, inviterId: number | null): AuditOwner => {
  if (organisationId !== null) return { kind: 'organisation', id: organisationId };
  return inviterId === null ? 'house' : { kind: 'person', id: inviterId };
};

const owning = {
  user: invites.invitedBy,
  organisation: invites.organisationId,
  department: invites.departmentId,
};

/** Pending ones in their scope, of roles that they could give themselves. */
function revocableBy(actor: User, scope: Scope): SQL | undefined {
  const grantable = userRoles.filter((role) => mayGrant(actor, role));
  return and(eq(invites.status, 'pending'), inArray(invites.role, grantable), withinScope(scope, owning));
}

/** Whether somebody's role is one there too: a department's admin is nobody's in another department. */
function isOfPlace({ role, ...now }: User, next: Place): boolean {
  if (isAtLeast(role, 'platform_admin')) return true;
  if (now.organisationId !== next.organisationId) return false;
  return isAtLeast(role, 'org_admin') || now.departmentId === next.departmentId;
}

/** An invitation stands for its inviter: it gives nothing that they could not give now. */
async function isBacked(executor: Executor, { invitedBy, role, ...place }: Invite): Promise<boolean> {
  if (invitedBy === null) return false;
  const [row] = await executor.select().from(users).where(eq(users.id, invitedBy));
  if (row === undefined) return false;
  const inviter = readUser(row);
  if (inviter.status !== 'active' || !mayGrant(inviter, role)) return false;
  return await isWithin(widestScope(inviter), executor, place);
}

/** For the role, and for the inviter: only platform admins invite to no organisation, and others to their own place. */
function checkNeeds(scope: Scope, role: UserRole, { organisationId, departmentId }: Place): void {
  const needsOrganisation = role === 'org_owner' || role === 'org_admin' || role === 'department_admin';
  if (organisationId === null && (needsOrganisation || scope.whose !== 'everybody')) {
    throw fieldError([{ loc: ['organisation'], msg: 'is needed', type: 'missing' }]);
  }
  if (departmentId === null && (role === 'department_admin' || scope.whose === 'department')) {
    throw fieldError([{ loc: ['department'], msg: 'is needed', type: 'missing' }]);
  }
}

async function checkPlace(scope: Scope, executor: Executor, place: Place): Promise<void> {
  if (await isWithin(scope, executor, place)) return;
  const field = place.departmentId === null ? 'organisation' : 'department';
  throw new AppError({
    code: 'not_found',
    public: `${field}: there is none that you could invite to.`,
    param: field,
    fields: [{ loc: [field], msg: 'is not one that you can invite to', type: 'not_found' }],
  });
}

const noLonger = () => refusal('does not work any more; ask for another', 'over');

function refusal(msg: string, type: string) {
  return fieldError([{ loc: ['invite'], msg, type }]);
}
