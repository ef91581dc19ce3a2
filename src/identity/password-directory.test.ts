/** Passwords that programs send with every request: compared once in five minutes, and never longer trusted than they hold. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, spyOn, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { type TestDatabase, usualDatabase } from '../../test/support/databases.ts';
import { systemIds } from '../base/ids.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { users } from '../storage/schema/identity.ts';
import { transact } from '../storage/work.ts';
import { PasswordDirectory } from './password-directory.ts';
import { hashPassword } from './passwords.ts';
import { createUser } from './users.ts';

const password = 'a long enough password';
const email = 'program@example.test';
const shown = { email, password, from: '192.0.2.1' };
const rememberedMs = 5 * 60_000;

let storage: TestDatabase;
const clock = new ManualClock();
let userId = 0;
/** How often a password was compared, which is what costs. */
let compared: ReturnType<typeof spyOn<typeof Bun.password, 'verify'>>;
beforeAll(async () => {
  storage = await usualDatabase.open();
  const parts = { storage, clock, ids: systemIds };
  const user = await transact(parts, (work) => createUser(work, { email, role: 'member', password }));
  userId = user.id;
});
afterAll(() => storage.close());
beforeEach(async () => {
  // So that no test is refused for what another has tried.
  await clock.advance(3_600_000);
  compared = spyOn(Bun.password, 'verify');
});
afterEach(() => compared.mockRestore());

const directory = () => new PasswordDirectory({ storage, clock, ids: systemIds });

test('a right one is compared once in five minutes, also when many ask at the same time', async () => {
  const passwords = directory();
  await Promise.all(Array.from({ length: 5 }, () => passwords.find(shown)));
  expect(compared).toHaveBeenCalledTimes(1);
  await clock.advance(rememberedMs - 1);
  expect((await passwords.find(shown)).id).toBe(userId);
  expect((await passwords.find({ ...shown, email: ' Program@Example.test ' })).id).toBe(userId);
  expect(compared).toHaveBeenCalledTimes(1);
  await clock.advance(1);
  expect((await passwords.find(shown)).id).toBe(userId);
  expect(compared).toHaveBeenCalledTimes(2);
});

test('being asked in between does not lengthen the five minutes', async () => {
  const passwords = directory();
  for (let minute = 0; minute < 5; minute += 1) {
    await passwords.find(shown);
    await clock.advance(60_000);
  }
  expect(compared).toHaveBeenCalledTimes(1);
  await passwords.find(shown);
  expect(compared).toHaveBeenCalledTimes(2);
});

test('a wrong one is remembered by nobody, and compared each time', async () => {
  const passwords = directory();
  await passwords.find(shown);
  for (const _ of [1, 2]) {
    const refused = passwords.find({ ...shown, password: 'another long password' });
    expect(await refused.catch((error: unknown) => error)).toHaveProperty('code', 'wrong_credentials');
  }
  expect(compared).toHaveBeenCalledTimes(3);
});

test('a password that was changed meanwhile, and an address, hold at once', async () => {
  const passwords = directory();
  await passwords.find(shown);
  const change = (fields: Partial<typeof users.$inferInsert>) =>
    storage.db.update(users).set(fields).where(eq(users.id, userId));
  await change({ passwordHash: await hashPassword('quite another password') });
  expect(await passwords.find(shown).catch((error: unknown) => error)).toHaveProperty(
    'code',
    'wrong_credentials',
  );
  const now = { ...shown, password: 'quite another password' };
  expect((await passwords.find(now)).id).toBe(userId);
  await change({ status: 'suspended' });
  expect((await passwords.find(now)).status).toBe('suspended');
  await change({ email: 'moved@example.test' });
  expect(await passwords.find(now).catch((error: unknown) => error)).toHaveProperty(
    'code',
    'wrong_credentials',
  );
});
