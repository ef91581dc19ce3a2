/**
 * Passkeys (WebAuthn): a key in a person's device that signs in by itself. The device asks for a fingerprint or a code of
 * its own, so that it is both factors at once.
 */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { and, asc, eq } from 'drizzle-orm';
import { z } from 'zod';
import { AppError } from '../base/errors.ts';
import type { PersonScope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { users } from '../storage/schema/identity.ts';
import { passkeys } from '../storage/schema/sign-in.ts';
import { transact, type Work, type WorkParts } from '../storage/work.ts';
import { holdOneself } from './hold-person.ts';
import { type SessionStart, type StartedSession, startSession } from './sessions.ts';
import { aboutPerson, readUser, type User } from './user.ts';
import { requireAnotherWayIn } from './ways-in.ts';

export interface Passkey {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** The site that a key is for: a browser gives it to no other. */
export interface RelyingParty {
  /** The host name. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** `https://host`, with the port where it is not the usual one. */
  readonly origin: string;
}

/** Read when the first passkey is asked for: what it knows of certificates would take each start an eighth of its reading. */
const readWebAuthn = () => import('@simplewebauthn/server');

const mostPasskeys = 20;

const transports = z.enum(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']);
const base64url = z
  .string()
  .regex(/^[\w-]+$/)
  .max(20_000);
const shared = { id: base64url, rawId: base64url, type: z.literal('public-key') };

/** What a browser made for `navigator.credentials.create`, in its JSON form. */
export const newPasskeyFields = z.object({
  ...shared,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(z.string()).max(10).optional(),
  }),
});

/** What a browser made for `navigator.credentials.get`, in its JSON form. */
export const passkeyProofFields = z.object({
  ...shared,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.nullish(),
  }),
});

/** What `navigator.credentials.create` is called with; its challenge has to be known when the answer comes. */
export async function askForNewPasskey(
  executor: Executor,
  user: Pick<User, 'id' | 'email' | 'name'>,
  { id, name }: RelyingParty,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await readWebAuthn();
  const known = await executor.select().from(passkeys).where(eq(passkeys.userId, user.id));
  return generateRegistrationOptions({
    rpID: id,
    rpName: name,
    userName: user.email,
    userDisplayName: user.name === '' ? user.email : user.name,
    userID: new TextEncoder().encode(`user:${user.id}`),
    attestationType: 'none',
    excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/**
 * @throws AppError `validation_failed` for what does not answer the challenge, `conflict` for a key that is known or one
 *   too many.
 */
export async function addPasskey(
  scope: PersonScope,
  { executor, note }: Work,
  given: {
    readonly answer: z.output<typeof newPasskeyFields>;
    readonly challenge: string;
    readonly party: RelyingParty;
    readonly name: string;
  },
): Promise<void> {
  const { answer, challenge, party, name } = given;
  const { verifyRegistrationResponse } = await readWebAuthn();
  const { registrationInfo } = await verifyRegistrationResponse({
    response: {
      ...answer,
      response: { ...answer.response, transports: knownTransports(answer.response.transports) },
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
  }).catch((cause: unknown) => {
    throw notProven(cause);
  });
  if (registrationInfo === undefined) throw notProven(undefined);
  // The person's row is the lock under which their keys are counted.
  const { id: userId } = await holdOneself(scope, executor);
  if ((await executor.$count(passkeys, eq(passkeys.userId, userId))) >= mostPasskeys) {
    throw new AppError({
      code: 'conflict',
      reason: 'many_passkeys',
      public: `There are ${mostPasskeys} passkeys already. Remove one first.`,
    });
  }
  const { id, publicKey, counter } = registrationInfo.credential;
  const added = await executor
    .insert(passkeys)
    .values({
      userId,
      name: name.trim().slice(0, 100) || 'Passkey',
      credentialId: id,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      signatureCounter: counter,
      transports: knownTransports(answer.response.transports),
    })
    .onConflictDoNothing({ target: passkeys.credentialId })
    .returning({ id: passkeys.id });
  if (added.length === 0)
    throw new AppError({
      code: 'conflict',
      reason: 'known_passkey',
      public: 'This passkey is known already.',
    });
  note(aboutPerson(userId, 'account.passkey_added'));
}

/** What `navigator.credentials.get` is called with: the browser shows whichever keys it has for this site. */
export async function askForPasskey({ id }: RelyingParty): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await readWebAuthn();
  return generateAuthenticationOptions({ rpID: id, userVerification: 'required' });
}

/** @returns undefined for a key that nobody has, and for what does not answer the challenge. */
export async function signInByPasskey(
  parts: WorkParts,
  given: {
    readonly answer: z.output<typeof passkeyProofFields>;
    readonly challenge: string;
    readonly party: RelyingParty;
    readonly start: SessionStart;
    /** Throws for who may not come in by a passkey; asked before anything of a session is begun. */
    readonly requireAllowed?: (user: User) => void;
  },
): Promise<{ readonly user: User; readonly session: StartedSession } | undefined> {
  const { answer, challenge, party, start, requireAllowed } = given;
  const { userHandle, ...proof } = answer.response;
  const { verifyAuthenticationResponse } = await readWebAuthn();
  return transact(parts, async (work) => {
    const { executor, clock } = work;
    const [found] = await executor
      .select()
      .from(passkeys)
      .innerJoin(users, eq(users.id, passkeys.userId))
      .where(eq(passkeys.credentialId, answer.id))
      .for('update');
    if (found === undefined) return undefined;
    const key = found.passkeys;
    const verified = await verifyAuthenticationResponse({
      response: {
        ...answer,
        response: { ...proof, ...(typeof userHandle === 'string' && { userHandle }) },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: key.credentialId,
        publicKey: Uint8Array.from(Buffer.from(key.publicKey, 'base64url')),
        counter: key.signatureCounter,
      },
    }).catch(() => undefined);
    if (verified?.verified !== true) return undefined;
    const user = readUser(found.users);
    requireAllowed?.(user);
    await executor
      .update(passkeys)
      .set({
        signatureCounter: verified.authenticationInfo.newCounter,
        lastUsedAt: new Date(clock.nowMs()),
      })
      .where(eq(passkeys.id, key.id));
    return { user, session: await startSession(work, user.id, start) };
  });
}

/** Oldest first. */
export async function listPasskeys({ userId }: PersonScope, executor: Executor): Promise<readonly Passkey[]> {
  return await executor
    .select({
      id: passkeys.id,
      name: passkeys.name,
      createdAt: passkeys.createdAt,
      lastUsedAt: passkeys.lastUsedAt,
    })
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(asc(passkeys.id));
}

/**
 * @param given.providers the names of all that are configured.
 * @throws AppError `not_found`, also for somebody else's; `conflict` where it is the only way in that the person has.
 */
export async function removePasskey(
  { userId }: PersonScope,
  work: Work,
  { passkeyId, providers }: { readonly passkeyId: number; readonly providers: readonly string[] },
): Promise<void> {
  const { executor, note } = work;
  await requireAnotherWayIn(work, userId, { taken: { kind: 'passkey', id: passkeyId }, providers });
  const removed = await executor
    .delete(passkeys)
    .where(and(eq(passkeys.id, passkeyId), eq(passkeys.userId, userId)))
    .returning({ id: passkeys.id });
  if (removed.length === 0)
    throw new AppError({ code: 'not_found', public: 'This passkey is gone already.' });
  note(aboutPerson(userId, 'account.passkey_removed'));
}

/** A browser may name what is not known yet. */
function knownTransports(named: readonly string[] | undefined): z.output<typeof transports>[] {
  return (named ?? []).flatMap((name) => transports.safeParse(name).data ?? []);
}

function notProven(cause: unknown): AppError {
  return new AppError({
    code: 'validation_failed',
    public: 'The passkey could not be checked. Try again on this page.',
    cause,
  });
}
