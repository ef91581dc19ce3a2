import { afterAll, beforeAll, expect, test } from 'bun:test';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, writerOn } from '../../test/support/writing.ts';
import { systemIds } from '../base/ids.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { sessions, signInLinks } from '../storage/schema/identity.ts';
import type { Storage } from '../storage/storage.ts';
import type { WorkParts } from '../storage/work.ts';
import { createSignInLink, createUser, findSession, type User } from './index.ts';
import { endSession, endSessionsOfUser, redeemSignInLink, startSession } from './sessions.ts';
import { hashToken } from './token.ts';

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
    const { secret, expiresAt } = await write(createSignInLink, user.id);
    expect(expiresAt).toEqual(new Date(nowMs + hourMs));
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(await write(redeemSignInLink, secret)).toBe(user.id);
    expect(await write(redeemSignInLink, secret)).toBeUndefined();
  });

  test('of many who redeem a link at once, one wins', async () => {
    const { secret } = await write(createSignInLink, user.id);
    const winners = await Promise.all(Array.from({ length: 8 }, () => write(redeemSignInLink, secret)));
    expect(winners.filter((winner) => winner === user.id)).toHaveLength(1);
    expect(winners.filter((winner) => winner === undefined)).toHaveLength(7);
  });

  test('a link is over after an hour, and an unknown one never worked', async () => {
    const { secret } = await write(createSignInLink, user.id);
    expect(await write(redeemSignInLink, `${secret}x`)).toBeUndefined();
    nowMs += hourMs;
    expect(await write(redeemSignInLink, secret)).toBeUndefined();
  });

  test('making a link removes the ones that are over', async () => {
    await write(createSignInLink, user.id);
    nowMs += hourMs;
    const { secret } = await write(createSignInLink, user.id);
    const rows = await storage.db.select().from(signInLinks);
    expect(rows.map(({ tokenHash }) => tokenHash)).toEqual([hashToken(secret)]);
  });

  test('a session lasts seven days, and only its hash is stored', async () => {
    const { token, expiresAt } = await write(startSession, user.id);
    expect(expiresAt).toEqual(new Date(nowMs + 7 * dayMs));
    expect(await findSession(parts, token)).toEqual({ user, expiresAt });
    expect(JSON.stringify(await storage.db.select().from(sessions))).not.toContain(token);
    nowMs += 7 * dayMs;
    expect(await findSession(parts, token)).toBeUndefined();
  });

  test('a session slides while it is used, by the hour', async () => {
    const { token, expiresAt } = await write(startSession, user.id);
    nowMs += hourMs - 1;
    expect((await findSession(parts, token))?.expiresAt).toEqual(expiresAt);
    nowMs += 6 * dayMs;
    const movedOn = new Date(nowMs + 7 * dayMs);
    expect((await findSession(parts, token))?.expiresAt).toEqual(movedOn);
    nowMs = movedOn.getTime() - 1;
    expect(await findSession(parts, token)).toBeDefined();
  });

  test('a session ends when told, and only that one', async () => {
    const [first, second] = [await write(startSession, user.id), await write(startSession, user.id)];
    await write(endSession, first.token);
    expect(await findSession(parts, first.token)).toBeUndefined();
    expect((await findSession(parts, second.token))?.user).toEqual(user);
  });

  test('all sessions of a person end, or all but one; nobody else is signed out', async () => {
    const other = await write(createUser, { email: 'b@example.test', role: 'member' });
    const start = async (userId: number) => (await write(startSession, userId)).token;
    const [first, second, others] = [await start(user.id), await start(user.id), await start(other.id)];
    await write(endSessionsOfUser, user.id, second);
    expect(await findSession(parts, first)).toBeUndefined();
    expect(await findSession(parts, second)).toBeDefined();
    await write(endSessionsOfUser, user.id);
    expect(await findSession(parts, second)).toBeUndefined();
    expect((await findSession(parts, others))?.user).toEqual(other);
  });
});
