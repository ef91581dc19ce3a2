/** Accounts at identity providers: whose they are here, when one is linked to an account, and when it makes one. */
import { and, asc, eq, isNull } from 'drizzle-orm';
import { AppError } from '../base/errors.ts';
import { nameField } from '../base/field-check.ts';
import { onlyOf, type PersonScope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { users } from '../storage/schema/identity.ts';
import { linkedIdentities } from '../storage/schema/sign-in.ts';
import { takeLock, type Work } from '../storage/work.ts';
import { holdOneself, holdPerson } from './hold-person.ts';
import { acceptInvite, findInvite } from './invites.ts';
import { acceptLegal } from './legal.ts';
import { withdrawTokens } from './one-time-tokens.ts';
import { disownRegistration, isOnlyRegistered, markVerified } from './registration.ts';
import { endSessionsOfUser } from './sessions.ts';
import { aboutPerson, readUser, type User, userTopic } from './user.ts';
import { emailField, findUserByEmail, noteCreated } from './users.ts';
import { requireAnotherWayIn } from './ways-in.ts';

/** What a provider says of who signed in there. */
export interface ProviderIdentity {
  /** As the provider is configured here. */
  readonly provider: string;
  /** The person's unchanging name there. */
  readonly subject: string;
  readonly email: string;
  /** Whether the provider vouches that the address is theirs today. */
  readonly emailVerified: boolean;
  readonly name: string;
}

/** A provider, as far as its claim to e-mail domains goes. */
export interface DomainOwner {
  readonly name: string;
  readonly label: string;
  readonly enforcedDomains: readonly string[];
}

export interface Arrival {
  readonly identity: ProviderIdentity;
  /** Of the terms; null where they were not accepted on the way. */
  readonly acceptedVersion: string | null;
  /** Where a new account belongs; null where to nobody. */
  readonly organisationId: number | null;
  /** The secret of the invitation that a new account is made by, which says itself where it belongs. */
  readonly invite: string | null;
  readonly language: string | null;
  /** All providers that are configured. */
  readonly owners: readonly DomainOwner[];
}

export type ArrivalRefusal =
  /** The provider does not say that the address is theirs, or it is no address. */
  | 'unverified_there'
  /** An account here has the address and never showed that it is theirs. */
  | 'unverified_here'
  /** The account with this address is linked to another account of the provider. */
  | 'other_identity'
  /** The address belongs to another provider. */
  | 'other_provider'
  /** The invitation is for another address. */
  | 'invited_otherwise'
  | 'invite_over';

export type Arrived =
  | { readonly outcome: 'known' | 'linked' | 'registered' | 'joined'; readonly user: User }
  | { readonly outcome: 'terms_needed' }
  | { readonly outcome: 'refused'; readonly because: ArrivalRefusal };

/** The provider that people with this address have to sign in with; undefined where they may choose. */
export function ownerOfAddress(owners: readonly DomainOwner[], email: string): DomainOwner | undefined {
  const domain = email.trim().toLowerCase().split('@').at(-1) ?? '';
  return owners.find(({ enforcedDomains }) => enforcedDomains.includes(domain));
}

/**
 * Whose account somebody who comes from a provider has here. An identity that was seen before is its account's; a new
 * one is linked where both sides verified the address, and makes an account where nobody has it. Whoever waits for the
 * same identity or address waits for this work.
 */
export async function arriveByProvider(work: Work, arrival: Arrival): Promise<Arrived> {
  const { identity, owners } = arrival;
  const email = emailField.safeParse(identity.email).data;
  await takeLock(work, `sign-in by provider ${email ?? identity.subject}`);
  const known = await findByIdentity(work.executor, identity);
  const address = known?.email ?? email;
  const owner = address === undefined ? undefined : ownerOfAddress(owners, address);
  if (owner !== undefined && owner.name !== identity.provider) return refused('other_provider');
  if (known !== undefined) {
    const user = await holdAsFound(work, known);
    await markUsed(work, identity);
    return { outcome: 'known', user };
  }
  if (email === undefined || !identity.emailVerified) return refused('unverified_there');
  const account = await findUserByEmail(work.executor, email);
  const arriving = { ...arrival, identity: { ...identity, email } };
  if (account === undefined) return register(work, arriving);
  if (account.emailVerifiedAt === null) {
    // No password can be had at a domain that belongs to a provider: nobody but the provider can say whose the address is.
    const isOwned = owner !== undefined && isOnlyRegistered(account);
    return isOwned ? takeOver(work, arriving, account) : refused('unverified_here');
  }
  const user = await holdAsFound(work, account);
  const isLinked = await insertLink(work, user.id, identity);
  return isLinked ? { outcome: 'linked', user } : refused('other_identity');
}

/**
 * Before anything of theirs is locked or made, in the order of whoever removes an account.
 * @throws AppError `conflict` where the account was removed, or has another address, since it was found.
 */
async function holdAsFound({ executor }: Work, { id, email }: User): Promise<User> {
  const user = await holdPerson(onlyOf(id), executor, id);
  if (user?.email !== email) throw twiceAtOnce();
  return user;
}

const twiceAtOnce = (): AppError =>
  new AppError({
    code: 'conflict',
    reason: 'twice_at_once',
    public: 'This was done twice at once. Try again.',
  });

/** What somebody registered with the address and never confirmed becomes the account of who comes from its provider. */
async function takeOver(work: Work, arrival: Arrival, { id }: User): Promise<Arrived> {
  const { identity, acceptedVersion, invite } = arrival;
  const refusal = await refusalOf(work, arrival);
  if (refusal !== undefined) return refused(refusal);
  if (acceptedVersion === null) return { outcome: 'terms_needed' };
  const [locked] = await work.executor
    .update(users)
    .set({ passwordHash: null })
    .where(and(eq(users.id, id), eq(users.email, identity.email), isNull(users.emailVerifiedAt)))
    .returning();
  // They confirmed it at this very moment, or the account was removed.
  if (locked === undefined) return refused('unverified_here');
  const before = readUser(locked);
  const organisationId = invite === null ? arrival.organisationId : null;
  await disownRegistration(work, before, { organisationId, name: nameOf(identity) });
  const user = await markVerified(work, before);
  await endSessionsOfUser(work, id);
  await withdrawTokens(work, 'reset_password', id);
  await withdrawTokens(work, 'sign_in', id);
  return await welcome(work, { ...arrival, acceptedVersion }, user);
}

async function refusalOf(work: Work, { identity, invite }: Arrival): Promise<ArrivalRefusal | undefined> {
  if (invite === null) return undefined;
  const invited = await findInvite(work.executor, { secret: invite, nowMs: work.clock.nowMs() });
  if (invited === undefined) return 'invite_over';
  return invited.email === identity.email ? undefined : 'invited_otherwise';
}

async function register(work: Work, arrival: Arrival): Promise<Arrived> {
  const { identity, acceptedVersion, organisationId, invite, language } = arrival;
  const refusal = await refusalOf(work, arrival);
  if (refusal !== undefined) return refused(refusal);
  if (acceptedVersion === null) return { outcome: 'terms_needed' };
  const [row] = await work.executor
    .insert(users)
    .values({
      email: identity.email,
      name: nameOf(identity),
      role: 'member',
      status: 'active',
      organisationId: invite === null ? organisationId : null,
      language,
      emailVerifiedAt: new Date(work.clock.nowMs()),
    })
    .onConflictDoNothing({ target: users.email })
    .returning();
  // Somebody registered the address by a password at this very moment, and has not verified it.
  if (row === undefined) return refused('unverified_here');
  await noteCreated(work, row);
  return await welcome(work, { ...arrival, acceptedVersion }, readUser(row));
}

async function welcome(
  work: Work,
  { identity, acceptedVersion, invite }: Arrival & { readonly acceptedVersion: string },
  user: User,
): Promise<Arrived> {
  await acceptLegal(onlyOf(user.id), work, acceptedVersion);
  if (!(await insertLink(work, user.id, identity))) throw twiceAtOnce();
  if (invite === null) return { outcome: 'registered', user };
  return { outcome: 'joined', user: await acceptInvite(work, invite, user) };
}

/** A name of another form than names have here is one that they can give themselves later. */
const nameOf = ({ name }: ProviderIdentity): string => nameField.safeParse(name).data ?? '';

const refused = (because: ArrivalRefusal): Arrived => ({ outcome: 'refused', because });

export interface LinkedIdentity {
  readonly provider: string;
  /** As the provider said it last. */
  readonly email: string;
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
}

export async function listIdentities(
  { userId }: PersonScope,
  executor: Executor,
): Promise<readonly LinkedIdentity[]> {
  return await executor
    .select({
      provider: linkedIdentities.provider,
      email: linkedIdentities.email,
      lastUsedAt: linkedIdentities.lastUsedAt,
      createdAt: linkedIdentities.createdAt,
    })
    .from(linkedIdentities)
    .where(eq(linkedIdentities.userId, userId))
    .orderBy(asc(linkedIdentities.provider));
}

/**
 * Links what somebody who is signed in showed at a provider; addresses may differ, since both are shown to be theirs.
 * @throws AppError `conflict` when it is another account's, or the person has another one of this provider.
 */
export async function linkIdentity(
  scope: PersonScope,
  work: Work,
  identity: ProviderIdentity,
): Promise<void> {
  const { id: userId } = await holdOneself(scope, work.executor);
  const known = await findByIdentity(work.executor, identity);
  if (known?.id === userId) return;
  if (known !== undefined || !(await insertLink(work, userId, identity))) {
    throw new AppError({
      code: 'conflict',
      reason: 'linked_elsewhere',
      public: 'This account of the provider is linked to another account here, or yours is linked already.',
    });
  }
}

/**
 * @param given.providers the names of all that are configured.
 * @throws AppError `not_found` where there is none; `conflict` where it is the only way in that the person has.
 */
export async function unlinkIdentity(
  { userId }: PersonScope,
  work: Work,
  { provider, providers }: { readonly provider: string; readonly providers: readonly string[] },
): Promise<void> {
  const { executor, note } = work;
  await requireAnotherWayIn(work, userId, { taken: { kind: 'provider', name: provider }, providers });
  const unlinked = await executor
    .delete(linkedIdentities)
    .where(and(eq(linkedIdentities.userId, userId), eq(linkedIdentities.provider, provider)))
    .returning({ id: linkedIdentities.id });
  if (unlinked.length === 0) {
    throw new AppError({ code: 'not_found', public: 'No account of this provider is linked.' });
  }
  note(aboutPerson(userId, 'account.identity_unlinked', { provider }));
}

async function findByIdentity(
  executor: Executor,
  { provider, subject }: ProviderIdentity,
): Promise<User | undefined> {
  const [found] = await executor
    .select({ users })
    .from(linkedIdentities)
    .innerJoin(users, eq(users.id, linkedIdentities.userId))
    .where(and(eq(linkedIdentities.provider, provider), eq(linkedIdentities.subject, subject)));
  return found && readUser(found.users);
}

/** @returns false where the identity, or the person's place at this provider, is taken. */
async function insertLink(work: Work, userId: number, identity: ProviderIdentity): Promise<boolean> {
  const { provider, subject, email } = identity;
  const now = new Date(work.clock.nowMs());
  const inserted = await work.executor
    .insert(linkedIdentities)
    .values({ userId, provider, subject, email, lastUsedAt: now })
    .onConflictDoNothing()
    .returning({ id: linkedIdentities.id });
  if (inserted.length > 0) {
    work.announce(userTopic, String(userId));
    work.note(aboutPerson(userId, 'account.identity_linked', { provider }));
  }
  return inserted.length > 0;
}

/** The address may have become another one there; whose account it is does not follow it. */
async function markUsed(work: Work, { provider, subject, email }: ProviderIdentity): Promise<void> {
  await work.executor
    .update(linkedIdentities)
    .set({ email, lastUsedAt: new Date(work.clock.nowMs()) })
    .where(and(eq(linkedIdentities.provider, provider), eq(linkedIdentities.subject, subject)));
}
