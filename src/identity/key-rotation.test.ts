import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { heardAll } from '../../test/support/heard-all.ts';
import { type Write, within, writerOn } from '../../test/support/writing.ts';
import { systemIds } from '../base/ids.ts';
import { everybody, onlyOf } from '../base/scope.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { readDatabaseMs } from '../storage/agreed-time.ts';
import type { Storage } from '../storage/storage.ts';
import { CallerDirectory, createKey, createUser, revokeKey, touchKeys } from './index.ts';
import { changeKey } from './key-changes.ts';
import { endOverlap, mostOverlapHours, rotateKey } from './key-rotation.ts';
import { type CreatedKey, findKey, upsertManagedKey } from './keys.ts';
import { mintToken } from './token.ts';

const tokenPrefix = 'sluice_';
const hourMs = 3_600_000;
const actor = 'program';

describeOnEachDatabase('a key with another secret', (openDatabase) => {
  let storage: Storage;
  let write: Write;
  let ownerId: number;
  let nowMs = Date.UTC(2031, 0, 1);
  const clock = clockShowing(() => nowMs);
  beforeAll(async () => {
    storage = await openDatabase();
    write = writerOn({ storage, clock, ids: systemIds });
    ownerId = (await write(createUser, { email: 'owner@example.test', role: 'member' })).id;
  });
  afterAll(() => storage.close());

  const openDirectory = () =>
    new CallerDirectory({ db: storage.db, changes: storage.changes, clock, tokenPrefix });
  const newKey = () => write(within(everybody, createKey), tokenPrefix, { ownerId, name: 'turned' });
  const rotate = ({ key }: CreatedKey, overlapHours = 24) =>
    write(within(everybody, rotateKey), { actor, keyId: key.id, tokenPrefix, overlapHours });
  const read = async ({ key }: CreatedKey) => {
    const found = await findKey(everybody, storage.db, key.id);
    if (found === undefined) throw new Error('the key is gone');
    return found;
  };

  const statusOf = async (directory: CallerDirectory, token: string): Promise<string> => {
    try {
      return `secret ${(await directory.find(token)).secretNumber}`;
    } catch (error) {
      return Reflect.get(Object(error), 'code');
    }
  };

  test('works by both until the end of the overlap, in every process, and then by the new one alone', async () => {
    const directories = [openDirectory(), openDirectory()];
    const first = await newKey();
    for (const directory of directories) expect(await statusOf(directory, first.token)).toBe('secret null');
    const second = await rotate(first);
    expect(second.token).not.toBe(first.token);
    expect(second.key).toMatchObject({
      id: first.key.id,
      tokenLastFour: second.token.slice(-4),
      previousTokenLastFour: first.token.slice(-4),
      previousEndsAt: new Date(nowMs + 24 * hourMs),
      rotatedAt: new Date(nowMs),
      secretNumber: 2,
    });
    await heardAll(storage);
    for (const directory of [...directories, openDirectory()]) {
      expect(await statusOf(directory, first.token)).toBe('secret 1');
      expect(await statusOf(directory, second.token)).toBe('secret 2');
    }
    nowMs += 24 * hourMs - 1;
    for (const directory of directories) expect(await statusOf(directory, first.token)).toBe('secret 1');
    nowMs += 1;
    for (const directory of [...directories, openDirectory()]) {
      expect(await statusOf(directory, first.token)).toBe('token_revoked');
      expect(await statusOf(directory, second.token)).toBe('secret 2');
    }
  });

  test('that is ended is over for everybody at once, though the clock of who ended it is ahead or a reader’s behind', async () => {
    const simulatedMs = nowMs;
    const databaseMs = await readDatabaseMs(storage.db);
    const ended = await newKey();
    const replaced = await newKey();
    await rotate(ended);
    nowMs = databaseMs + hourMs;
    await write(within(everybody, endOverlap), { actor, keyId: ended.key.id });
    await rotate(replaced, 0);
    await heardAll(storage);
    for (const clockMs of [databaseMs, databaseMs - hourMs]) {
      nowMs = clockMs;
      expect(await statusOf(openDirectory(), ended.token)).toBe('token_revoked');
      expect(await statusOf(openDirectory(), replaced.token)).toBe('token_revoked');
    }
    nowMs = simulatedMs;
  });

  test('is rotated again once the overlap is over, or was ended, and not before', async () => {
    const first = await newKey();
    const second = await rotate(first);
    await expect(rotate(first)).rejects.toMatchObject({ code: 'conflict' });
    const directory = openDirectory();
    expect(await statusOf(directory, first.token)).toBe('secret 1');
    nowMs += 1;
    await write(within(everybody, endOverlap), { actor, keyId: first.key.id });
    await heardAll(storage);
    expect(await statusOf(directory, first.token)).toBe('token_revoked');
    await expect(write(within(everybody, endOverlap), { actor, keyId: first.key.id })).rejects.toMatchObject({
      code: 'conflict',
    });
    const third = await rotate(first, 0);
    await heardAll(storage);
    expect(await statusOf(directory, first.token)).toBe('invalid_token');
    expect(await statusOf(directory, second.token)).toBe('token_revoked');
    expect(await statusOf(directory, third.token)).toBe('secret 3');
  });

  test('is revoked, disabled and changed with both', async () => {
    const first = await newKey();
    const second = await rotate(first);
    const directory = openDirectory();
    const both = () => Promise.all([first, second].map(({ token }) => statusOf(directory, token)));
    await both();
    const asked = { actor, keyId: first.key.id, revision: null, place: undefined } as const;
    await write(within(everybody, changeKey), { ...asked, fields: { enabled: false } });
    await heardAll(storage);
    expect(await both()).toEqual(['invalid_token', 'invalid_token']);
    await write(within(everybody, changeKey), { ...asked, fields: { enabled: true } });
    await heardAll(storage);
    expect(await both()).toEqual(['secret 1', 'secret 2']);
    await write(within(everybody, revokeKey), first.key.id);
    await heardAll(storage);
    expect(await both()).toEqual(['token_revoked', 'token_revoked']);
  });

  test('says of each secret when it was last used', async () => {
    const first = await newKey();
    const at = (second: number) => new Date(nowMs + second * 1_000);
    const use = (...used: readonly (readonly [secret: number | null, at: Date])[]) => {
      const rows = JSON.stringify(
        used.map(([secret, used_at]) => ({ key_id: first.key.id, secret, used_at })),
      );
      return storage.db.execute(
        touchKeys(
          sql`(SELECT * FROM json_to_recordset(${rows}::text::json) AS given (key_id bigint, secret integer, used_at timestamptz))`,
        ),
      );
    };
    await use([null, at(1)]);
    await rotate(first);
    const times = async () => {
      const { lastUsedAt, secretLastUsedAt, previousLastUsedAt } = await read(first);
      return [lastUsedAt, secretLastUsedAt, previousLastUsedAt];
    };
    expect(await times()).toEqual([at(1), null, at(1)]);
    await use([1, at(4)], [2, at(3)]);
    expect(await times()).toEqual([at(4), at(3), at(4)]);
    // Later than what is known of its own secret, and earlier than what is known of the other.
    await use([2, at(3.5)]);
    expect(await times()).toEqual([at(4), at(3.5), at(4)]);
    await use([2, at(9)], [1, at(2)], [null, at(8)]);
    expect(await times()).toEqual([at(9), at(9), at(4)]);
    nowMs += 24 * hourMs;
    await rotate(first);
    expect((await times()).slice(1)).toEqual([null, new Date(nowMs - 24 * hourMs + 9_000)]);
  });

  test.each([-1, 1.5, Number.NaN, mostOverlapHours + 1])('422 for an overlap of %p hours', async (hours) => {
    const refused = rotate(await newKey(), hours);
    await expect(refused).rejects.toMatchObject({ code: 'validation_failed', param: 'overlapHours' });
  });

  test('409 for a key that is declared or revoked, 404 for one of somebody else', async () => {
    const token = mintToken(systemIds, tokenPrefix);
    const { key } = await write(upsertManagedKey, tokenPrefix, {
      ...{ ownerId, name: 'declared', token, managedBy: 'file' as const },
    });
    await expect(rotate({ key, token })).rejects.toMatchObject({ code: 'conflict' });
    const revoked = await newKey();
    await write(within(everybody, revokeKey), revoked.key.id);
    await expect(rotate(revoked)).rejects.toMatchObject({ code: 'conflict' });
    const foreign = { actor, keyId: revoked.key.id, tokenPrefix, overlapHours: 1 } as const;
    const outside = onlyOf(ownerId + 1);
    await expect(write(within(outside, rotateKey), foreign)).rejects.toMatchObject({ code: 'not_found' });
    await expect(write(within(outside, endOverlap), foreign)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('of two rotations at once one goes through', async () => {
    const first = await newKey();
    const results = await Promise.allSettled([rotate(first), rotate(first), rotate(first)]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await read(first)).secretNumber).toBe(2);
  });
});
