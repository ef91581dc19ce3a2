import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, within, writerOn } from '../../test/support/writing.ts';
import { systemIds } from '../base/ids.ts';
import { everybody, onlyOf } from '../base/scope.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import type { AgreeingParts } from '../storage/agreed-time.ts';
import { users } from '../storage/schema/identity.ts';
import { totpSecrets } from '../storage/schema/sign-in.ts';
import type { Storage } from '../storage/storage.ts';
import { signInByLink } from './admission.ts';
import { acceptLegal, findLastAcceptance, mustAccept } from './legal.ts';
import { issueToken, redeemToken } from './one-time-tokens.ts';
import { createOrganisation } from './organisations.ts';
import { changePassword, findReset, requestReset, resetPassword } from './password-change.ts';
import { verifyPassword } from './passwords.ts';
import {
  findVerification,
  type Registration,
  register,
  requestVerification,
  verifyEmail,
} from './registration.ts';
import { findSession, startSession } from './sessions.ts';
import { signedInBy } from './testing/signed-in-by.ts';
import { allowances } from './throttle.ts';
import { createUser, findUser, findUserByEmail } from './users.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const nothingElse = async () => undefined;

describeOnEachDatabase('accounts that people make for themselves', (openDatabase) => {
  let storage: Storage;
  let write: Write;
  let parts: AgreeingParts;
  let nowMs = Date.UTC(2031, 0, 1);
  const clock = clockShowing(() => nowMs);
  beforeAll(async () => {
    storage = await openDatabase();
    parts = { storage, clock, ids: systemIds, databaseMs: async () => nowMs };
    write = writerOn(parts);
  });
  afterAll(() => storage.close());

  let people = 0;
  function someone(changes: Partial<Registration> = {}): Registration {
    people += 1;
    return {
      email: `person-${people}@example.test`,
      password: 'four plain words here',
      name: 'Ada',
      language: 'de',
      legalVersion: '2031-01',
      organisationId: null,
      ...changes,
    };
  }

  async function registered(changes: Partial<Registration> = {}) {
    const result = await register(parts, someone(changes), nothingElse);
    if (result.outcome !== 'registered') throw new Error(`it was ${result.outcome}`);
    return result;
  }

  const passwordOf = async (userId: number) => {
    const [row] = await storage.db.select().from(users).where(eq(users.id, userId));
    return row?.passwordHash ?? null;
  };

  describe('registering', () => {
    test('makes an unverified member, who has agreed to the terms', async () => {
      const { user, verification } = await registered({ email: ' Ada@Example.TEST ' });
      expect(user).toMatchObject({
        email: 'ada@example.test',
        name: 'Ada',
        role: 'member',
        status: 'unverified',
        language: 'de',
        emailVerifiedAt: null,
        organisationId: null,
        hasPassword: true,
      });
      expect(verification.expiresAt).toEqual(new Date(nowMs + dayMs));
      expect(await findLastAcceptance(onlyOf(user.id), storage.db)).toEqual({
        version: '2031-01',
        acceptedAt: new Date(nowMs),
      });
    });

    test('puts people of a reseller’s host into its organisation', async () => {
      const { id } = await write(createOrganisation, { name: 'Reseller' });
      expect((await registered({ organisationId: id })).user.organisationId).toBe(id);
    });

    test('leaves an account that is there as it is, whatever is asked for', async () => {
      const first = someone();
      const { user } = await registered(first);
      const again = {
        ...first,
        email: first.email.toUpperCase(),
        password: 'another one of mine',
        name: 'Eve',
      };
      expect(await register(parts, again, nothingElse)).toEqual({ outcome: 'taken', user });
      expect(await verifyPassword(first.password, await passwordOf(user.id))).toBe(true);
    });

    test('of many who register one address at once, one does', async () => {
      const fields = someone();
      const results = await Promise.all(
        Array.from({ length: 6 }, () => register(parts, fields, nothingElse)),
      );
      expect(results.map(({ outcome }) => outcome).toSorted()).toEqual([
        'registered',
        ...Array(5).fill('taken'),
      ]);
    });

    test('nothing is made when what belongs to it cannot be written', async () => {
      const fields = someone();
      const failing = async () => {
        throw new Error('the outbox is full');
      };
      await expect(register(parts, fields, failing)).rejects.toThrow('the outbox is full');
      expect(await findUserByEmail(storage.db, fields.email)).toBeUndefined();
    });

    test.each([
      ['email', { email: 'nobody' }],
      ['email', { email: `${'x'.repeat(250)}@example.test` }],
      ['email', { email: 'a\r\nBcc: b@example.test' }],
      ['password', { password: 'short' }],
      ['password', { password: 'password123' }],
      ['name', { name: 'x'.repeat(101) }],
      ['name', { name: 'Ada\nX: y' }],
      ['name', { name: 'Ada\0' }],
    ])('422 for the %s of %j', async (param, changes) => {
      await expect(registered(changes)).rejects.toMatchObject({ code: 'validation_failed', param });
    });
  });

  describe('verifying the address', () => {
    test('makes the account active, and a second time says that it is done', async () => {
      const { user, verification } = await registered();
      const seen = { secret: verification.secret, nowMs };
      expect(await findVerification(storage.db, seen)).toMatchObject({
        isDone: false,
        user: { id: user.id },
      });
      expect(await write(verifyEmail, verification.secret)).toMatchObject({
        isDone: false,
        user: { id: user.id, status: 'active', emailVerifiedAt: new Date(nowMs) },
      });
      expect(await findUser(everybody, storage.db, user.id)).toMatchObject({ status: 'active' });
      for (const answer of [
        await findVerification(storage.db, seen),
        await write(verifyEmail, seen.secret),
      ]) {
        expect(answer).toMatchObject({ isDone: true, user: { id: user.id } });
      }
    });

    test('works for a day, and not for another address than the mail went to', async () => {
      const over = await registered();
      nowMs += dayMs;
      expect(await write(verifyEmail, over.verification.secret)).toBeUndefined();
      const moved = await registered();
      await storage.db.update(users).set({ email: 'moved@example.test' }).where(eq(users.id, moved.user.id));
      expect(await write(verifyEmail, moved.verification.secret)).toBeUndefined();
      expect(await write(verifyEmail, 'nonsense')).toBeUndefined();
    });

    test('leaves a suspended account suspended', async () => {
      const { user, verification } = await registered();
      await storage.db.update(users).set({ status: 'suspended' }).where(eq(users.id, user.id));
      expect((await write(verifyEmail, verification.secret))?.user.status).toBe('suspended');
      expect((await findUser(everybody, storage.db, user.id))?.status).toBe('suspended');
    });

    test('can be asked for again while it is not done, and both mails work', async () => {
      const { user, verification } = await registered();
      const again = await write(requestVerification, user.email.toUpperCase());
      expect(again?.user.id).toBe(user.id);
      expect(await write(verifyEmail, verification.secret)).toMatchObject({ isDone: false });
      expect(await write(verifyEmail, again?.verification.secret ?? '')).toMatchObject({ isDone: true });
      expect(await write(requestVerification, user.email)).toBeUndefined();
      expect(await write(requestVerification, 'nobody@example.test')).toBeUndefined();
    });
  });

  describe('a reset of the password', () => {
    async function resetOf(email: string): Promise<string> {
      return (await write(requestReset, email))?.reset.secret ?? '';
    }

    test('puts an account that nobody confirmed where the link is followed, and leaves others where they are', async () => {
      const { id: here } = await write(createOrganisation, { name: 'Here' });
      const { id: there } = await write(createOrganisation, { name: 'There' });
      const { user } = await registered({ organisationId: there, name: 'A stranger' });
      const next = async (organisationId: number | null) => {
        const start = signedInBy('password');
        const change = { secret: await resetOf(user.email), password: 'a new one of mine', start };
        const told: boolean[] = [];
        const reset = { ...change, organisationId };
        const admission = await resetPassword(parts, reset, async (_, __, isDisowned) => {
          told.push(isDisowned);
        });
        return [admission?.user.organisationId, admission?.user.name, ...told];
      };
      expect(await next(here)).toEqual([here, '', true]);
      expect(await next(null)).toEqual([here, '', false]);
    });

    test('ends all sessions, verifies the address, makes other links worthless, and signs in', async () => {
      const { user } = await registered();
      const old = await write(startSession, user.id, signedInBy('password'));
      const link = await write(issueToken, 'sign_in', user.id);
      const begun = await Promise.all(
        (['handoff', 'change_email', 'second_factor'] as const).map(
          async (purpose) => [purpose, (await write(issueToken, purpose, user.id)).secret] as const,
        ),
      );
      const [other, secret] = [await resetOf(user.email), await resetOf(user.email)];
      expect((await findReset(parts, secret))?.id).toBe(user.id);
      const told: string[] = [];
      const change = { secret, password: 'a new one of mine', start: signedInBy('password') };
      const admission = await resetPassword(parts, change, async (_, { email }) => void told.push(email));
      expect(told).toEqual([user.email]);
      if (admission?.outcome !== 'session') throw new Error('no session');
      expect((await findSession(parts, admission.session.token))?.user).toMatchObject({
        id: user.id,
        status: 'active',
        emailVerifiedAt: new Date(nowMs),
      });
      expect(await findSession(parts, old.token)).toBeUndefined();
      expect(await verifyPassword('a new one of mine', await passwordOf(user.id))).toBe(true);
      for (const used of [secret, other]) {
        expect(await findReset(parts, used)).toBeUndefined();
        expect(await resetPassword(parts, { ...change, secret: used }, nothingElse)).toBeUndefined();
      }
      const byLink = { secret: link.secret, start: signedInBy('link') };
      expect(await signInByLink(parts, byLink)).toBeUndefined();
      for (const [purpose, token] of begun) {
        expect(await write(redeemToken, purpose, token)).toBeUndefined();
      }
    });

    test('a password that may not be one leaves the link good; an hour does not', async () => {
      const { user } = await registered();
      const secret = await resetOf(user.email);
      const change = { secret, password: 'short', start: signedInBy('password') };
      await expect(resetPassword(parts, change, nothingElse)).rejects.toMatchObject({ param: 'password' });
      expect(await findReset(parts, secret)).toBeDefined();
      nowMs += hourMs;
      expect(
        await resetPassword(parts, { ...change, password: 'four other words' }, nothingElse),
      ).toBeUndefined();
    });

    test('is not made for an address that nobody has, nor by a link to a former address', async () => {
      expect(await write(requestReset, 'nobody@example.test')).toBeUndefined();
      const { user } = await registered();
      const secret = await resetOf(user.email);
      await storage.db
        .update(users)
        .set({ email: `former-${user.email}` })
        .where(eq(users.id, user.id));
      const change = { secret, password: 'four other words', start: signedInBy('password') };
      expect(await resetPassword(parts, change, nothingElse)).toBeUndefined();
    });

    test('asks for the second factor of who has one, and a link does too', async () => {
      const { user } = await registered();
      const [secret, link] = [await resetOf(user.email), await write(issueToken, 'sign_in', user.id)];
      await storage.db
        .insert(totpSecrets)
        .values({ userId: user.id, sealedSecret: 'x', confirmedAt: new Date(nowMs) });
      const byLink = await signInByLink(parts, { secret: link.secret, start: signedInBy('link') });
      const change = { secret, password: 'four other words', start: signedInBy('password') };
      const byReset = await resetPassword(parts, change, nothingElse);
      expect([byLink?.outcome, byReset?.outcome]).toEqual(['second_factor', 'second_factor']);
    });
  });

  describe('changing the password', () => {
    const change = { currentPassword: 'four plain words here', password: 'four other words here' };
    const wrong = { code: 'validation_failed', param: 'current_password' };

    test('needs the one until now, and ends all sessions but the one that goes on', async () => {
      const { user } = await registered();
      const [own, other] = [
        await write(startSession, user.id, signedInBy('password')),
        await write(startSession, user.id, signedInBy('password')),
      ];
      const mine = { ...change, sessionToken: own.token };
      const { secret } = await write(issueToken, 'second_factor', user.id);
      for (const currentPassword of [undefined, '', 'wrong']) {
        const guess = changePassword(onlyOf(user.id), parts, { ...mine, currentPassword }, nothingElse);
        await expect(guess).rejects.toMatchObject(wrong);
      }
      expect(await findSession(parts, other.token)).toBeDefined();
      await changePassword(onlyOf(user.id), parts, mine, nothingElse);
      expect(await verifyPassword(change.password, await passwordOf(user.id))).toBe(true);
      expect(await findSession(parts, own.token)).toBeDefined();
      expect(await findSession(parts, other.token)).toBeUndefined();
      // Nor does a sign-in that the one before began come to an end.
      expect(await write(redeemToken, 'second_factor', secret)).toBeUndefined();
    });

    test('of a person without one asks for none', async () => {
      const user = await write(createUser, { email: 'none@example.test', role: 'member' });
      const mine = { currentPassword: undefined, password: change.password, sessionToken: '' };
      await changePassword(onlyOf(user.id), parts, mine, nothingElse);
      expect(await verifyPassword(change.password, await passwordOf(user.id))).toBe(true);
      await expect(changePassword(onlyOf(user.id), parts, mine, nothingElse)).rejects.toMatchObject(wrong);
    });

    test('429 for who guesses the one until now at an open session', async () => {
      const { user } = await registered();
      const guess = () =>
        changePassword(
          onlyOf(user.id),
          parts,
          { ...change, currentPassword: 'wrong', sessionToken: '' },
          nothingElse,
        );
      for (let used = 0; used < allowances['proof of account'].burst; used += 1) {
        await expect(guess()).rejects.toMatchObject(wrong);
      }
      await expect(guess()).rejects.toMatchObject({ code: 'rate_limited' });
    });
  });

  describe('the terms', () => {
    test('must be accepted once a version, by all but those who run the platform', async () => {
      const { user } = await registered();
      expect(await mustAccept(storage.db, user, '2031-01')).toBe(false);
      expect(await mustAccept(storage.db, user, '2032-01')).toBe(true);
      nowMs += dayMs;
      const accept = within(onlyOf(user.id), acceptLegal);
      await write(accept, '2032-01');
      const acceptedAt = new Date(nowMs);
      nowMs += dayMs;
      await write(accept, '2032-01');
      expect(await mustAccept(storage.db, user, '2032-01')).toBe(false);
      expect(await findLastAcceptance(onlyOf(user.id), storage.db)).toEqual({
        version: '2032-01',
        acceptedAt,
      });
      const admin = await write(createUser, { email: 'admin@example.test', role: 'platform_admin' });
      expect(await mustAccept(storage.db, admin, '2032-01')).toBe(false);
      const owner = await write(createUser, { email: 'org@example.test', role: 'org_owner' });
      expect(await mustAccept(storage.db, owner, '2032-01')).toBe(true);
    });
  });
});
