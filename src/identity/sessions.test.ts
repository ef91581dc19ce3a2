import { afterAll, beforeAll, expect, test } from 'bun:test';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { systemIds } from '../base/ids.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { sessions, signInLinks } from '../storage/schema/identity.ts';
import type { Storage } from '../storage/storage.ts';
import {
  createSignInLink,
  createUser,
  endSession,
  endSessionsOfUser,
  findSession,
  type IdentityContext,
  redeemSignInLink,
  startSession,
  type User,
} from './index.ts';
import { hashToken } from './token.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describeOnEachDatabase('signing in', (openDatabase) => {
  let storage: Storage;
  let context: IdentityContext;
  let user: User;
  let nowMs = Date.UTC(2031, 0, 1);
  const clock = clockShowing(() => nowMs);
  beforeAll(async () => {
    storage = await openDatabase();
    const { db, changes } = storage;
    context = { executor: db, changes, clock, ids: systemIds, tokenPrefix: 'sluice_' };
    user = await createUser(context, { email: 'a@example.test', role: 'member' });
  });
  afterAll(() => storage.close());

  test('a link works once, for the person it was made for', async () => {
    const { secret, expiresAt } = await createSignInLink(context, user.id);
    expect(expiresAt).toEqual(new Date(nowMs + hourMs));
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(await redeemSignInLink(context, secret)).toBe(user.id);
    expect(await redeemSignInLink(context, secret)).toBeUndefined();
  });

  test('of many who redeem a link at once, one wins', async () => {
    const { secret } = await createSignInLink(context, user.id);
    const winners = await Promise.all(Array.from({ length: 8 }, () => redeemSignInLink(context, secret)));
    expect(winners.filter((winner) => winner === user.id)).toHaveLength(1);
    expect(winners.filter((winner) => winner === undefined)).toHaveLength(7);
  });

  test('a link is over after an hour, and an unknown one never worked', async () => {
    const { secret } = await createSignInLink(context, user.id);
    expect(await redeemSignInLink(context, `${secret}x`)).toBeUndefined();
    nowMs += hourMs;
    expect(await redeemSignInLink(context, secret)).toBeUndefined();
  });

  test('making a link removes the ones that are over', async () => {
    await createSignInLink(context, user.id);
    nowMs += hourMs;
    const { secret } = await createSignInLink(context, user.id);
    const rows = await storage.db.select().from(signInLinks);
    expect(rows.map(({ tokenHash }) => tokenHash)).toEqual([hashToken(secret)]);
  });

  test('a session lasts seven days, and only its hash is stored', async () => {
    const { token, expiresAt } = await startSession(context, user.id);
    expect(expiresAt).toEqual(new Date(nowMs + 7 * dayMs));
    expect(await findSession(context, token)).toEqual({ user, expiresAt });
    expect(JSON.stringify(await storage.db.select().from(sessions))).not.toContain(token);
    nowMs += 7 * dayMs;
    expect(await findSession(context, token)).toBeUndefined();
  });

  test('a session slides while it is used, by the hour', async () => {
    const { token, expiresAt } = await startSession(context, user.id);
    nowMs += hourMs - 1;
    expect((await findSession(context, token))?.expiresAt).toEqual(expiresAt);
    nowMs += 6 * dayMs;
    const movedOn = new Date(nowMs + 7 * dayMs);
    expect((await findSession(context, token))?.expiresAt).toEqual(movedOn);
    nowMs = movedOn.getTime() - 1;
    expect(await findSession(context, token)).toBeDefined();
  });

  test('a session ends when told, and only that one', async () => {
    const [first, second] = [await startSession(context, user.id), await startSession(context, user.id)];
    await endSession(storage.db, first.token);
    expect(await findSession(context, first.token)).toBeUndefined();
    expect((await findSession(context, second.token))?.user).toEqual(user);
  });

  test('all sessions of a person end, or all but one; nobody else is signed out', async () => {
    const other = await createUser(context, { email: 'b@example.test', role: 'member' });
    const start = async (userId: number) => (await startSession(context, userId)).token;
    const [first, second, others] = [await start(user.id), await start(user.id), await start(other.id)];
    await endSessionsOfUser(storage.db, user.id, second);
    expect(await findSession(context, first)).toBeUndefined();
    expect(await findSession(context, second)).toBeDefined();
    await endSessionsOfUser(storage.db, user.id);
    expect(await findSession(context, second)).toBeUndefined();
    expect((await findSession(context, others))?.user).toEqual(other);
  });
});
