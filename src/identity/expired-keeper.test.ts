import { afterAll, beforeAll, expect, test } from 'bun:test';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, writerOn } from '../../test/support/writing.ts';
import { systemIds } from '../base/ids.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import { oneTimeTokens, sessions } from '../storage/schema/sign-in.ts';
import type { Storage } from '../storage/storage.ts';
import { expiredKeeper } from './expired-keeper.ts';
import { issueToken } from './one-time-tokens.ts';
import { startSession } from './sessions.ts';
import { signedInBy } from './testing/signed-in-by.ts';
import { createUser } from './users.ts';

const dayMs = 86_400_000;

describeOnEachDatabase('sessions and links that are over', (openDatabase) => {
  let storage: Storage;
  let write: Write;
  let clock: ManualClock;
  beforeAll(async () => {
    storage = await openDatabase();
    clock = new ManualClock();
    write = writerOn({ storage, clock, ids: systemIds });
  });
  afterAll(() => storage.close());

  test('are removed a day later, also of who does not come back, and others stay', async () => {
    const newUser = (name: string) => write(createUser, { email: `${name}@example.test`, role: 'member' });
    const [away, here] = [await newUser('away'), await newUser('here')];
    const over = await write(startSession, away.id, signedInBy('password'));
    const link = await write(issueToken, 'change_email', away.id, { to: 'elsewhere@example.test' });
    expect(link.expiresAt.getTime()).toBeLessThan(over.expiresAt.getTime());
    await clock.advance(over.expiresAt.getTime() - clock.nowMs() + dayMs);
    await write(startSession, here.id, signedInBy('password'));
    await write(issueToken, 'sign_in', here.id);
    const databaseMs = async () => clock.nowMs();
    const keeper = expiredKeeper({ storage, clock, ids: systemIds, log: silentLog, databaseMs });
    const round = async () => {
      while (clock.pendingTimers === 0) await new Promise((resolve) => setImmediate(resolve));
    };
    const left = async () => [
      (await storage.db.select().from(sessions)).map(({ userId }) => userId),
      (await storage.db.select().from(oneTimeTokens)).map(({ userId }) => userId),
    ];
    await round();
    expect(await left()).toEqual([[away.id, here.id], [here.id]]);
    await clock.advance(3_600_000);
    await round();
    expect(await left()).toEqual([[here.id], [here.id]]);
    await keeper.close();
  });
});
