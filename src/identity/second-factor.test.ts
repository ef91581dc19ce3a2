import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Secret, TOTP } from 'otpauth';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, within, writerOn } from '../../test/support/writing.ts';
import { type Envelope, openEnvelope } from '../base/envelope.ts';
import { systemIds } from '../base/ids.ts';
import { onlyOf } from '../base/scope.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import type { AgreeingParts } from '../storage/agreed-time.ts';
import { auditEntries } from '../storage/schema/audit.ts';
import { passkeys, recoveryCodes, totpSecrets } from '../storage/schema/sign-in.ts';
import type { Storage } from '../storage/storage.ts';
import { admit } from './admission.ts';
import { linkIdentity } from './linked-identities.ts';
import { redeemToken } from './one-time-tokens.ts';
import {
  addPasskey,
  askForNewPasskey,
  askForPasskey,
  listPasskeys,
  newPasskeyFields,
  passkeyProofFields,
  removePasskey,
  signInByPasskey,
} from './passkeys.ts';
import { takeSecondStep } from './second-factor.ts';
import { findSession, listSessions } from './sessions.ts';
import { signedInBy } from './testing/signed-in-by.ts';
import { softAuthenticator } from './testing/soft-authenticator.ts';
import { untilSomebodyWaits } from './testing/until-somebody-waits.ts';
import { beginTotp, confirmTotp, readTotpState, removeTotp } from './totp.ts';
import { createUser } from './users.ts';

const stepMs = 30_000;
const party = { id: 'sluice.test', name: 'Sluice', origin: 'https://sluice.test' };

describeOnEachDatabase('a second factor', (openDatabase, { kind }) => {
  let storage: Storage;
  let parts: AgreeingParts;
  let write: Write;
  let envelope: Envelope;
  let nowMs = Date.UTC(2031, 0, 1);
  beforeAll(async () => {
    storage = await openDatabase();
    parts = {
      ...{ storage, ids: systemIds },
      ...{ clock: clockShowing(() => nowMs), databaseMs: async () => nowMs },
    };
    write = writerOn(parts);
    envelope = await openEnvelope('a secret of more than thirty-two characters');
  });
  afterAll(() => storage.close());

  let people = 0;
  const newUser = () => {
    people += 1;
    return write(createUser, { email: `factor-${people}@example.test`, role: 'member' });
  };
  const codeOf = (secret: string, atMs = nowMs) =>
    TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: atMs });

  /** Somebody who is asked for codes. */
  async function withTotp() {
    const user = await newUser();
    const { secret, uri } = await write(beginTotp, envelope, { owner: user, issuer: 'Slu:ice' });
    const confirmed = await write(confirmTotp, envelope, { userId: user.id, code: codeOf(secret) });
    // The code that confirmed is used up.
    nowMs += stepMs;
    return { user, secret, uri, recovery: confirmed ?? [] };
  }

  /** The token that a right password gives. */
  async function firstStep(user: Awaited<ReturnType<typeof newUser>>): Promise<string> {
    const admission = await write(admit, user, signedInBy('password'));
    return admission.outcome === 'second_factor' ? admission.token.secret : '';
  }

  const warned: number[] = [];
  const step = (secret: string, code: string) =>
    takeSecondStep(parts, envelope, {
      ...{ secret, code, start: signedInBy('password') },
      onGuessed: async (_work, { id }) => {
        warned.push(id);
      },
    });

  /** Of nobody's authenticator now, nor a step before or after. */
  const wrongCode = (secret: string): string => {
    const right = [-1, 0, 1].map((steps) => codeOf(secret, nowMs + steps * stepMs));
    return ['000000', '111111', '222222', '333333'].find((code) => !right.includes(code)) ?? '';
  };

  describe('by codes', () => {
    test('is on once a code has confirmed it, and not before', async () => {
      const user = await newUser();
      const { secret, uri } = await write(beginTotp, envelope, { owner: user, issuer: 'Sluice' });
      expect(uri).toStartWith('otpauth://totp/Sluice:');
      expect(uri).toContain(`secret=${secret}`);
      expect((await write(admit, user, signedInBy('password'))).outcome).toBe('session');
      expect(
        await write(confirmTotp, envelope, { userId: user.id, code: wrongCode(secret) }),
      ).toBeUndefined();
      expect(await readTotpState(onlyOf(user.id), storage.db)).toEqual({ isOn: false, recoveryCodesLeft: 0 });
      const codes = await write(confirmTotp, envelope, { userId: user.id, code: codeOf(secret) });
      expect(new Set(codes).size).toBe(10);
      for (const code of codes ?? []) expect(code).toMatch(/^([2-9a-z]{4}-){3}[2-9a-z]{4}$/);
      expect(await readTotpState(onlyOf(user.id), storage.db)).toEqual({ isOn: true, recoveryCodesLeft: 10 });
      expect((await write(admit, user, signedInBy('password'))).outcome).toBe('second_factor');
      const again = write(beginTotp, envelope, { owner: user, issuer: 'Sluice' });
      await expect(again).rejects.toMatchObject({ code: 'conflict' });
      const kept = JSON.stringify([
        await storage.db.select().from(totpSecrets),
        await storage.db.select().from(recoveryCodes),
      ]);
      for (const shown of [secret, ...(codes ?? [])]) expect(kept).not.toContain(shown);
    });

    test('lets in by the code of now, and by the one before or after', async () => {
      const { user, secret, uri } = await withTotp();
      expect(uri).toContain('otpauth://totp/Slu%20ice:');
      for (const awayMs of [-stepMs, 0, stepMs]) {
        nowMs += 10 * stepMs;
        const entered = await step(await firstStep(user), ` ${codeOf(secret, nowMs + awayMs)} `);
        expect(entered).toMatchObject({ outcome: 'session', user: { id: user.id } });
        if (entered.outcome === 'session') {
          expect((await findSession(parts, entered.session.token))?.user.id).toBe(user.id);
        }
      }
      const [last] = await listSessions(onlyOf(user.id), storage.db, nowMs);
      expect(last?.method).toBe('password+totp');
      expect(await step(await firstStep(user), codeOf(secret, nowMs + 3 * stepMs))).toEqual({
        outcome: 'wrong_code',
      });
    });

    test('takes no code twice, however many try at once', async () => {
      const { user, secret } = await withTotp();
      const code = codeOf(secret);
      const tokens = [];
      for (let count = 0; count < 4; count += 1) tokens.push(await firstStep(user));
      const entered = await Promise.all(tokens.map((token) => step(token, code)));
      expect(entered.filter(({ outcome }) => outcome === 'session')).toHaveLength(1);
      nowMs += stepMs;
      expect((await step(await firstStep(user), code)).outcome).toBe('wrong_code');
    });

    test('asks for the password again after five wrong codes, after ten minutes, and once it is used', async () => {
      const { user, secret } = await withTotp();
      const token = await firstStep(user);
      const outcomes = [];
      for (let tried = 0; tried < 6; tried += 1)
        outcomes.push((await step(token, wrongCode(secret))).outcome);
      expect(outcomes).toEqual(['wrong_code', 'wrong_code', 'wrong_code', 'wrong_code', 'over', 'over']);
      expect((await step(token, codeOf(secret))).outcome).toBe('over');
      const late = await firstStep(user);
      nowMs += 600_000;
      expect((await step(late, codeOf(secret))).outcome).toBe('over');
      const once = await firstStep(user);
      expect((await step(once, codeOf(secret))).outcome).toBe('session');
      nowMs += stepMs;
      expect((await step(once, codeOf(secret))).outcome).toBe('over');
      expect((await step('nonsense', codeOf(secret))).outcome).toBe('over');
    });

    // The embedded one does one work after the other by itself.
    const onlyOnAServer = kind === 'embedded' ? () => undefined : test;
    onlyOnAServer('is not opened again by a wrong code that comes while a right one uses it up', async () => {
      const { user, secret } = await withTotp();
      const token = await firstStep(user);
      let wrong: Promise<unknown> = Promise.resolve();
      await write(async (work) => {
        await redeemToken(work, 'second_factor', token);
        wrong = step(token, '000000');
        await untilSomebodyWaits(storage.db);
      });
      expect(await wrong).toEqual({ outcome: 'over' });
      expect(await step(token, codeOf(secret))).toEqual({ outcome: 'over' });
    });

    test('is slow for whoever guesses on with the right password', async () => {
      const { user, secret } = await withTotp();
      const guess = async () => {
        for (let tried = 0; tried < 30; tried += 1) {
          const token = await firstStep(user);
          for (let code = 0; code < 4; code += 1) await step(token, wrongCode(secret));
        }
      };
      await expect(guess()).rejects.toMatchObject({ code: 'rate_limited' });
      nowMs += 899_000;
      const early = step(await firstStep(user), wrongCode(secret));
      await expect(early).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
      nowMs += 1_000;
      expect((await step(await firstStep(user), wrongCode(secret))).outcome).toBe('wrong_code');
      const next = step(await firstStep(user), wrongCode(secret));
      await expect(next).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 900 });
      nowMs += 3_600_000;
    });

    test('warns its person of wrong codes at the fifth in a row, and once a day', async () => {
      const { user, secret } = await withTotp();
      const guess = async (times: number) => {
        for (let tried = 0; tried < times; tried += 1) await step(await firstStep(user), wrongCode(secret));
        return warned.filter((id) => id === user.id).length;
      };
      const noted = async () => {
        const entries = await storage.db.select().from(auditEntries);
        return entries.filter(
          ({ action, subjectId }) => action === 'account.codes_guessed' && subjectId === String(user.id),
        ).length;
      };
      expect(await guess(4)).toBe(0);
      expect((await step(await firstStep(user), codeOf(secret))).outcome).toBe('session');
      expect([await guess(4), await noted()]).toEqual([0, 0]);
      expect([await guess(1), await noted()]).toEqual([1, 1]);
      expect(await guess(5)).toBe(1);
      nowMs += 86_400_000;
      expect([await guess(2), await noted()]).toEqual([2, 2]);
    });

    test('a recovery code lets in once, however it is typed', async () => {
      const { user, recovery } = await withTotp();
      const typed = (recovery[3] ?? '').replaceAll('-', ' ').toUpperCase();
      expect((await step(await firstStep(user), typed)).outcome).toBe('session');
      const [last] = await listSessions(onlyOf(user.id), storage.db, nowMs);
      expect(last?.method).toBe('password+recovery');
      expect((await step(await firstStep(user), recovery[3] ?? '')).outcome).toBe('wrong_code');
      expect(await readTotpState(onlyOf(user.id), storage.db)).toEqual({ isOn: true, recoveryCodesLeft: 9 });
    });

    test('is off when it is turned off', async () => {
      const { user } = await withTotp();
      await write(within(onlyOf(user.id), removeTotp));
      expect((await write(admit, user, signedInBy('password'))).outcome).toBe('session');
      expect(await readTotpState(onlyOf(user.id), storage.db)).toEqual({ isOn: false, recoveryCodesLeft: 0 });
    });
  });

  describe('by a passkey', () => {
    const asked = (challenge: string) => ({ challenge, origin: party.origin, rpId: party.id });

    async function withPasskey() {
      const user = await newUser();
      const device = softAuthenticator();
      const { challenge } = await askForNewPasskey(storage.db, user, party);
      const answer = newPasskeyFields.parse(device.create(asked(challenge)));
      const add = within(onlyOf(user.id), addPasskey);
      await write(add, { answer, challenge, party, name: ' Laptop ' });
      return { user, device, add };
    }

    async function enter(device: ReturnType<typeof softAuthenticator>, changes: object = {}) {
      const { challenge } = await askForPasskey(party);
      const answer = passkeyProofFields.parse(device.get({ ...asked(challenge), ...changes }));
      return signInByPasskey(parts, { answer, challenge, party, start: signedInBy('passkey') });
    }

    test('signs in by itself, and is both factors', async () => {
      const { user, device } = await withPasskey();
      const entered = await enter(device);
      expect(entered?.user.id).toBe(user.id);
      expect((await findSession(parts, entered?.session.token ?? ''))?.user.id).toBe(user.id);
      expect(await listPasskeys(onlyOf(user.id), storage.db)).toMatchObject([
        { name: 'Laptop', lastUsedAt: new Date(nowMs) },
      ]);
      const { excludeCredentials } = await askForNewPasskey(storage.db, user, party);
      expect(excludeCredentials).toHaveLength(1);
    });

    test('of nobody, for another site, another question or without its owner lets nobody in', async () => {
      const { device } = await withPasskey();
      expect(await enter(softAuthenticator())).toBeUndefined();
      expect(await enter(device, { origin: 'https://other.test' })).toBeUndefined();
      expect(await enter(device, { rpId: 'other.test' })).toBeUndefined();
      expect(await enter(device, { challenge: 'AAAA' })).toBeUndefined();
      expect(await enter(device, { isVerified: false })).toBeUndefined();
      expect(await enter(device)).toBeDefined();
    });

    test('422 for one that does not answer the question, 409 for one that is known, 404 for somebody else’s', async () => {
      const { user, device, add } = await withPasskey();
      const { challenge } = await askForNewPasskey(storage.db, user, party);
      const made = (changes: object) =>
        newPasskeyFields.parse(softAuthenticator().create({ ...asked(challenge), ...changes }));
      for (const wrong of [{ origin: 'https://other.test' }, { challenge: 'AAAA' }, { isVerified: false }]) {
        const adding = write(add, { answer: made(wrong), challenge, party, name: '' });
        await expect(adding).rejects.toMatchObject({ code: 'validation_failed' });
      }
      const known = newPasskeyFields.parse(device.create(asked(challenge)));
      const again = write(add, { answer: known, challenge, party, name: '' });
      await expect(again).rejects.toMatchObject({ code: 'conflict' });
      const [own] = await listPasskeys(onlyOf(user.id), storage.db);
      const stranger = within(onlyOf((await newUser()).id), removePasskey);
      const given = { passkeyId: own?.id ?? 0, providers: ['google'] };
      await expect(write(stranger, given)).rejects.toMatchObject({ code: 'not_found' });
      const remove = within(onlyOf(user.id), removePasskey);
      await expect(write(remove, given)).rejects.toMatchObject({ code: 'conflict' });
      const identity = { subject: 'one', email: user.email, emailVerified: true, name: '' };
      await write(within(onlyOf(user.id), linkIdentity), { ...identity, provider: 'gone' });
      await expect(write(remove, given)).rejects.toMatchObject({ code: 'conflict' });
      await write(within(onlyOf(user.id), linkIdentity), { ...identity, provider: 'google' });
      await write(remove, given);
      expect(await enter(device)).toBeUndefined();
      const rows = await storage.db.select().from(passkeys);
      expect(rows.filter(({ userId }) => userId === user.id)).toEqual([]);
    });
  });
});
