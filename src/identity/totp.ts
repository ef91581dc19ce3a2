/**
 * Codes by time (TOTP, RFC 6238) as a second factor, and the recovery codes for whoever loses their device. The secret is
 * sealed, recovery codes are hashed, and none of either works twice.
 */
import { and, eq, isNotNull, isNull, lt } from 'drizzle-orm';
import { Secret, TOTP } from 'otpauth';
import type { Envelope } from '../base/envelope.ts';
import { AppError } from '../base/errors.ts';
import type { Ids } from '../base/ids.ts';
import { onlyOf, type PersonScope } from '../base/scope.ts';
import type { Database, Executor } from '../storage/database.ts';
import { type Resealed, resealColumn, type Seals } from '../storage/reseal-column.ts';
import { recoveryCodes, totpSecrets } from '../storage/schema/sign-in.ts';
import type { Work } from '../storage/work.ts';
import { holdOneself } from './hold-person.ts';
import { hashToken } from './token.ts';
import { aboutPerson } from './user.ts';

/** What every authenticator app assumes when nothing else is said. */
const form = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** RFC 4226 recommends 160 bits. */
const secretBytes = 20;
/** A code of the step before or after is taken too: clocks differ, and people type slowly. */
const tolerance = 1;
const recoveryCodeCount = 10;
/** Without those that look alike. 16 of 31 are 79 bits, so that a hash is enough. */
const recoveryAlphabet = '23456789abcdefghjkmnpqrstuvwxyz';
const recoveryLength = 16;

/** What a person's app is set up with. */
export interface TotpSetUp {
  /** Base32, for whoever cannot scan. */
  readonly secret: string;
  /** `otpauth://…`, for a QR code. */
  readonly uri: string;
}

export interface TotpOwner {
  readonly id: number;
  readonly email: string;
}

/**
 * Begins again each time until a code has confirmed it.
 * @param issuer what the app shows beside the address.
 * @throws AppError `conflict` when codes are asked for already.
 */
export async function beginTotp(
  { executor, ids }: Work,
  envelope: Envelope,
  { owner, issuer }: { readonly owner: TotpOwner; readonly issuer: string },
): Promise<TotpSetUp> {
  await holdOneself(onlyOf(owner.id), executor);
  const bytes = ids.randomBytes(secretBytes);
  const secret = new Secret({ buffer: Uint8Array.from(bytes).buffer });
  const values = { sealedSecret: await envelope.seal(secret.base32), confirmedAt: null, lastStep: 0 };
  const [begun] = await executor
    .insert(totpSecrets)
    .values({ userId: owner.id, ...values })
    .onConflictDoUpdate({
      target: totpSecrets.userId,
      set: values,
      setWhere: isNull(totpSecrets.confirmedAt),
    })
    .returning({ userId: totpSecrets.userId });
  if (begun === undefined) {
    throw new AppError({
      code: 'conflict',
      reason: 'codes_on',
      public: 'Codes are asked for already. Turn them off first.',
    });
  }
  return { secret: secret.base32, uri: generator(secret, owner.email, issuer).toString() };
}

/** What was begun and not confirmed yet. */
export async function findPendingTotp(
  executor: Executor,
  envelope: Envelope,
  { owner, issuer }: { readonly owner: TotpOwner; readonly issuer: string },
): Promise<TotpSetUp | undefined> {
  const [row] = await executor
    .select()
    .from(totpSecrets)
    .where(and(eq(totpSecrets.userId, owner.id), isNull(totpSecrets.confirmedAt)));
  if (row === undefined) return undefined;
  const secret = Secret.fromBase32(await envelope.open(row.sealedSecret));
  return { secret: secret.base32, uri: generator(secret, owner.email, issuer).toString() };
}

/**
 * From the first right code on, codes are asked for.
 * @returns the recovery codes, to be shown now: only their hashes are stored; undefined for a wrong code.
 * @throws AppError `conflict` when nothing was begun, or it is confirmed already.
 */
export async function confirmTotp(
  work: Work,
  envelope: Envelope,
  { userId, code }: { readonly userId: number; readonly code: string },
): Promise<readonly string[] | undefined> {
  const { executor, clock } = work;
  const begun = await executor
    .select()
    .from(totpSecrets)
    .where(and(eq(totpSecrets.userId, userId), isNull(totpSecrets.confirmedAt)))
    .for('update');
  if (begun.length === 0) {
    throw new AppError({
      code: 'conflict',
      reason: 'codes_not_begun',
      public: 'Begin again: there is nothing to confirm.',
    });
  }
  if (!(await redeemTotpCode(work, envelope, { userId, code }))) return undefined;
  await executor
    .update(totpSecrets)
    .set({ confirmedAt: new Date(clock.nowMs()) })
    .where(eq(totpSecrets.userId, userId));
  work.note(aboutPerson(userId, 'account.two_step_added'));
  return replaceRecoveryCodes(work, userId);
}

/** Whether the code is right, and newer than any that was taken before. */
export async function redeemTotpCode(
  { executor, clock }: Work,
  envelope: Envelope,
  { userId, code }: { readonly userId: number; readonly code: string },
): Promise<boolean> {
  const digits = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(digits)) return false;
  const [row] = await executor.select().from(totpSecrets).where(eq(totpSecrets.userId, userId));
  if (row === undefined) return false;
  const timestamp = clock.nowMs();
  const secret = Secret.fromBase32(await envelope.open(row.sealedSecret));
  const delta = TOTP.validate({ token: digits, secret, ...form, timestamp, window: tolerance });
  if (delta === null) return false;
  const step = TOTP.counter({ period: form.period, timestamp }) + delta;
  // Of two who use a code at once, one wins: the row changes under its lock.
  const taken = await executor
    .update(totpSecrets)
    .set({ lastStep: step })
    .where(and(eq(totpSecrets.userId, userId), lt(totpSecrets.lastStep, step)))
    .returning({ userId: totpSecrets.userId });
  return taken.length > 0;
}

/** Takes the place of all that there were. */
export async function renewRecoveryCodes(work: Work, userId: number): Promise<readonly string[]> {
  work.note(aboutPerson(userId, 'account.recovery_codes_renewed'));
  return replaceRecoveryCodes(work, userId);
}

async function replaceRecoveryCodes({ executor, ids }: Work, userId: number): Promise<readonly string[]> {
  await executor.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
  const codes = Array.from({ length: recoveryCodeCount }, () => mintRecoveryCode(ids));
  await executor
    .insert(recoveryCodes)
    .values(codes.map((code) => ({ userId, codeHash: hashToken(plainCode(code)) })));
  return codes;
}

export async function redeemRecoveryCode(
  { executor, clock }: Work,
  { userId, code }: { readonly userId: number; readonly code: string },
): Promise<boolean> {
  const used = await executor
    .update(recoveryCodes)
    .set({ usedAt: new Date(clock.nowMs()) })
    .where(
      and(
        eq(recoveryCodes.userId, userId),
        eq(recoveryCodes.codeHash, hashToken(plainCode(code.slice(0, 100)))),
        isNull(recoveryCodes.usedAt),
      ),
    )
    .returning({ id: recoveryCodes.id });
  return used.length > 0;
}

/** How a person's second factor stands, for their settings. */
export interface TotpState {
  readonly isOn: boolean;
  readonly recoveryCodesLeft: number;
}

export async function readTotpState({ userId }: PersonScope, executor: Executor): Promise<TotpState> {
  const on = await executor
    .select({ userId: totpSecrets.userId })
    .from(totpSecrets)
    .where(and(eq(totpSecrets.userId, userId), isNotNull(totpSecrets.confirmedAt)));
  const recoveryCodesLeft = await executor.$count(
    recoveryCodes,
    and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt)),
  );
  return { isOn: on.length > 0, recoveryCodesLeft };
}

/** No code is asked for from now on. */
export async function removeTotp({ userId }: PersonScope, { executor, note }: Work): Promise<void> {
  const removed = await executor
    .delete(totpSecrets)
    .where(eq(totpSecrets.userId, userId))
    .returning({ confirmedAt: totpSecrets.confirmedAt });
  // What was begun and never confirmed was no second factor.
  if (removed[0]?.confirmedAt != null) note(aboutPerson(userId, 'account.two_step_removed'));
  await executor.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
}

function generator(secret: Secret, label: string, issuer: string): TOTP {
  // A colon separates the issuer from the label, so neither may hold one.
  return new TOTP({
    ...form,
    secret,
    label: label.replaceAll(':', ' '),
    issuer: issuer.replaceAll(':', ' '),
  });
}

/** Four groups of four. */
function mintRecoveryCode(ids: Ids): string {
  const usable = 256 - (256 % recoveryAlphabet.length);
  let code = '';
  while (code.length < recoveryLength) {
    for (const byte of ids.randomBytes(32)) {
      // Bytes from there on would favour the first letters of the alphabet.
      if (byte < usable && code.length < recoveryLength) {
        code += recoveryAlphabet.charAt(byte % recoveryAlphabet.length);
      }
    }
  }
  return code.replaceAll(/(.{4})(?=.)/g, '$1-');
}

/** As people type it: in capitals, with spaces or without hyphens. */
function plainCode(code: string): string {
  return code.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** Under another service secret. */
export function resealSecondFactors(db: Database, seals: Seals): Promise<Resealed> {
  const { userId: key, sealedSecret: column } = totpSecrets;
  return resealColumn(db, { table: totpSecrets, key, member: 'sealedSecret', column }, seals);
}
