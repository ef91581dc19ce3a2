import { afterAll, beforeAll, expect, test } from 'bun:test';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, within, writerOn } from '../../test/support/writing.ts';
import { systemIds } from '../base/ids.ts';
import { everybody, onlyOf } from '../base/scope.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { oneTimeTokens, sessions } from '../storage/schema/sign-in.ts';
import type { Storage } from '../storage/storage.ts';
import type { WorkParts } from '../storage/work.ts';
import { createUser, findSession, listSessions, type User } from './index.ts';
import { findTokenHolder, issueToken, redeemToken, withdrawTokens } from './one-time-tokens.ts';
import { endSession, endSessionById, endSessionsOfUser, setAdminView, startSession } from './sessions.ts';
import { signedInBy } from './testing/signed-in-by.ts';
import { hashToken } from './token.ts';
import { findUser } from './users.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describeOnEachDatabase('signing in', (openDatabase) => {
  let storage: Storage;
  let write: Write;
  let parts: WorkParts;
  let user: User;
  let nowMs = Date.UTC(2031, 0, 1);
  const clock = clockShowing(() => nowMs);
  beforeAll(async () => {
    storage = await openDatabase();
    parts = { storage, clock, ids: systemIds };
    write = writerOn(parts);
    user = await write(createUser, { email: 'a@example.test', role: 'member' });
  });
  afterAll(() => storage.close());

  test('a link works once, for the person it was made for', async () => {
    const { secret, expiresAt } = await write(issueToken, 'sign_in', user.id);
    expect(expiresAt).toEqual(new Date(nowMs + hourMs));
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect((await write(redeemToken, 'sign_in', secret))?.user).toEqual(user);
    expect(await write(redeemToken, 'sign_in', secret)).toBeUndefined();
  });

  test('of many who redeem a link at once, one wins', async () => {
    const { secret } = await write(issueToken, 'sign_in', user.id);
    const winners = await Promise.all(Array.from({ length: 8 }, () => write(redeemToken, 'sign_in', secret)));
    expect(winners.filter((winner) => winner?.user.id === user.id)).toHaveLength(1);
    expect(winners.filter((winner) => winner === undefined)).toHaveLength(7);
  });

  test('a link is over after an hour, and an unknown one never worked', async () => {
    const { secret } = await write(issueToken, 'sign_in', user.id);
    expect(await write(redeemToken, 'sign_in', `${secret}x`)).toBeUndefined();
    nowMs += hourMs;
    expect(await write(redeemToken, 'sign_in', secret)).toBeUndefined();
  });

  test('making a link removes the ones that are over', async () => {
    await write(issueToken, 'sign_in', user.id);
    nowMs += hourMs;
    const { secret } = await write(issueToken, 'sign_in', user.id);
    const rows = await storage.db.select().from(oneTimeTokens);
    expect(rows.map(({ tokenHash }) => tokenHash)).toEqual([hashToken(secret)]);
  });

  test('a session lasts seven days, and only its hash is stored', async () => {
    const { token, expiresAt } = await write(startSession, user.id, signedInBy('password'));
    expect(expiresAt).toEqual(new Date(nowMs + 7 * dayMs));
    const signedIn = await findUser(everybody, storage.db, user.id);
    expect(signedIn?.lastSignedInAt).toEqual(new Date(nowMs));
    expect(await findSession(parts, token)).toMatchObject({
      user: signedIn,
      view: { adminMode: false, organisationId: null },
      expiresAt,
    });
    expect(JSON.stringify(await storage.db.select().from(sessions))).not.toContain(token);
    nowMs += 7 * dayMs;
    expect(await findSession(parts, token)).toBeUndefined();
  });

  test('a session slides while it is used, by the hour', async () => {
    const { token, expiresAt } = await write(startSession, user.id, signedInBy('password'));
    nowMs += hourMs - 1;
    expect((await findSession(parts, token))?.expiresAt).toEqual(expiresAt);
    nowMs += 6 * dayMs;
    const movedOn = new Date(nowMs + 7 * dayMs);
    expect((await findSession(parts, token))?.expiresAt).toEqual(movedOn);
    nowMs = movedOn.getTime() - 1;
    expect(await findSession(parts, token)).toBeDefined();
  });

  test('a session ends when told, and only that one', async () => {
    const [first, second] = [
      await write(startSession, user.id, signedInBy('password')),
      await write(startSession, user.id, signedInBy('password')),
    ];
    await write(endSession, first.token);
    expect(await findSession(parts, first.token)).toBeUndefined();
    expect((await findSession(parts, second.token))?.user.id).toBe(user.id);
  });

  test('all sessions of a person end, or all but one; nobody else is signed out', async () => {
    const other = await write(createUser, { email: 'b@example.test', role: 'member' });
    const start = async (userId: number) => (await write(startSession, userId, signedInBy('password'))).token;
    const [first, second, others] = [await start(user.id), await start(user.id), await start(other.id)];
    await write(endSessionsOfUser, user.id, second);
    expect(await findSession(parts, first)).toBeUndefined();
    expect(await findSession(parts, second)).toBeDefined();
    await write(endSessionsOfUser, user.id);
    expect(await findSession(parts, second)).toBeUndefined();
    expect((await findSession(parts, others))?.user.id).toBe(other.id);
  });

  test('a secret for one purpose is worth nothing for another, and nothing once it is withdrawn', async () => {
    const { secret } = await write(issueToken, 'reset_password', user.id, { email: user.email });
    const seen = { secret, nowMs };
    expect(await findTokenHolder(storage.db, 'verify_email', seen)).toBeUndefined();
    expect(await write(redeemToken, 'verify_email', secret)).toBeUndefined();
    expect(await findTokenHolder(storage.db, 'reset_password', seen)).toMatchObject({
      user: { id: user.id },
      detail: { email: user.email },
    });
    await write(withdrawTokens, 'reset_password', user.id);
    expect(await write(redeemToken, 'reset_password', secret)).toBeUndefined();
  });

  test('a person sees their sessions and ends any of them, and nobody else does', async () => {
    const owner = await write(createUser, { email: 'lists@example.test', role: 'member' });
    const stranger = await write(createUser, { email: 'stranger@example.test', role: 'member' });
    const begun = signedInBy('google', { userAgent: 'x'.repeat(1_000), address: '192.0.2.7' });
    const { token } = await write(startSession, owner.id, begun);
    const [entry] = await listSessions(onlyOf(owner.id), storage.db, nowMs);
    expect(entry).toMatchObject({ method: 'google', userAgent: 'x'.repeat(300), address: '192.0.2.7' });
    const end = within(onlyOf(stranger.id), endSessionById);
    await expect(write(end, entry?.id ?? 0)).rejects.toMatchObject({ code: 'not_found' });
    expect(await findSession(parts, token)).toBeDefined();
    await write(within(onlyOf(owner.id), endSessionById), entry?.id ?? 0);
    expect(await findSession(parts, token)).toBeUndefined();
  });

  test('a new session takes the place of the one that the browser had', async () => {
    const first = await write(startSession, user.id, signedInBy('password'));
    const start = signedInBy('password', { replacedToken: first.token });
    const second = await write(startSession, user.id, start);
    expect(await findSession(parts, first.token)).toBeUndefined();
    expect(await findSession(parts, second.token)).toBeDefined();
  });

  test('what an admin looks at is kept with their session', async () => {
    const { token } = await write(startSession, user.id, signedInBy('password'));
    const { id = 0 } = (await findSession(parts, token)) ?? {};
    await write(setAdminView, id, { adminMode: true, organisationId: null });
    expect((await findSession(parts, token))?.view).toEqual({ adminMode: true, organisationId: null });
  });
});
