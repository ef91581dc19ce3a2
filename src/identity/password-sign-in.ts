/** Signing in with e-mail address and password: slow for whoever guesses, and the same whether an account exists. */
import { and, eq } from 'drizzle-orm';
import { users } from '../storage/schema/identity.ts';
import { transact, type Work, type WorkParts } from '../storage/work.ts';
import { type Admission, admit } from './admission.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { markOf, type SessionStart } from './sessions.ts';
import { giveBack, giveOneBack, refuseUsedUp, take, takeIfLeft } from './throttle.ts';
import { readUser, type User } from './user.ts';
import { emailField } from './users.ts';

export interface PasswordShown {
  readonly email: string;
  readonly password: string;
  /** Whom attempts are counted for beside the account: an address or a network. */
  readonly from: string;
  /** The account by its number, where a link that came to it was shown too: strangers cannot use its attempts up. */
  readonly behindLinkOf?: number;
  /** Whom this browser has signed in before: their attempts here are not those that strangers can use up. */
  readonly knownHere?: readonly KnownHere[];
}

/** A person that a browser knows, and the mark of the password that they had then. */
export interface KnownHere {
  readonly id: number;
  readonly passwordMark: string;
}

/** Whose password it is, and the hash that it was compared with. */
export interface PasswordHolder {
  readonly row: typeof users.$inferSelect;
  readonly passwordHash: string;
}

/**
 * @returns undefined for a wrong password, for an account without one and for an address that nobody has.
 * @throws AppError `rate_limited`, before any password is compared.
 */
export async function findPasswordHolder(
  parts: WorkParts,
  { email, password, from, behindLinkOf, knownHere = [] }: PasswordShown,
): Promise<PasswordHolder | undefined> {
  const account = email.trim().toLowerCase();
  const find = async () => {
    if (!emailField.safeParse(account).success) return undefined;
    return (await parts.storage.db.select().from(users).where(eq(users.email, account)))[0];
  };
  // Refusing whoever brings no such word costs no query.
  const known = knownHere.length === 0 ? undefined : await find();
  const isKnown =
    known !== undefined &&
    knownHere.some(({ id, passwordMark }) => id === known.id && passwordMark === markOf(known.passwordHash));
  const { what, subject } = allowanceOf({ account, behindLinkOf, knownId: isKnown ? known.id : undefined });
  refuseUsedUp(parts, what, subject);
  // The address first: one that is used up must not use up the allowances of other people's accounts.
  await take(parts, 'sign-in from address', from);
  try {
    await take(parts, what, subject);
  } catch (thrown) {
    // Nothing is compared, so that a program with an old password keeps nobody out who is behind the same address.
    await giveOneBack(parts, 'sign-in from address', from);
    throw thrown;
  }
  const nobodys = await nobodysHash();
  const row = await find();
  const passwordHash = row?.passwordHash ?? null;
  const isRight = await verifyPassword(password, passwordHash ?? nobodys);
  if (!isRight || row === undefined || passwordHash === null) return undefined;
  await giveBack(parts, what, subject);
  // One step and not all: wrong passwords for other accounts, between right ones for one's own, still count. Nor without
  // end: a comparison takes as long for a right password, and whoever has an account could keep all cores busy.
  if (await takeIfLeft(parts, 'right passwords of account', String(row.id))) {
    await giveOneBack(parts, 'sign-in from address', from);
  }
  return { row, passwordHash };
}

interface Attempt {
  readonly account: string;
  readonly behindLinkOf: number | undefined;
  readonly knownId: number | undefined;
}

function allowanceOf({ account, behindLinkOf, knownId }: Attempt) {
  if (behindLinkOf !== undefined)
    return { what: 'confirmation of account', subject: String(behindLinkOf) } as const;
  if (knownId !== undefined) return { what: 'sign-in at known browser', subject: String(knownId) } as const;
  return { what: 'sign-in of account', subject: account } as const;
}

export interface PasswordSignIn extends PasswordShown {
  readonly start: SessionStart;
  /** What the right password does before it signs in, in the same work; it gives back whom it made of the person. */
  readonly before?: (work: Work, user: User) => Promise<User>;
}

/**
 * @returns undefined for a wrong password, for an account without one and for an address that nobody has: whoever asks
 *   cannot tell these apart, by the time that they take either.
 * @throws AppError `rate_limited`, before any password is compared.
 */
export async function signInByPassword(
  parts: WorkParts,
  { start, before = async (_work, user) => user, ...shown }: PasswordSignIn,
): Promise<Admission | undefined> {
  const holder = await findPasswordHolder(parts, shown);
  if (holder === undefined) return undefined;
  const { row, passwordHash } = holder;
  return transact(parts, async (work) => {
    // A reset that was made since must not be survived by this session: it changes this row and then ends them all.
    const [same] = await work.executor
      .select()
      .from(users)
      .where(and(eq(users.id, row.id), eq(users.passwordHash, passwordHash)))
      .for('update');
    return same && (await admit(work, await before(work, readUser(same)), start));
  });
}

/** Of a password that nobody knows: it costs as much to compare with as a real one. */
function nobodysHash(): Promise<string> {
  hashOfNobody ??= hashPassword(crypto.randomUUID());
  return hashOfNobody;
}
let hashOfNobody: Promise<string> | undefined;
