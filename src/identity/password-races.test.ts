/** A password that is changed and reset at the same moment: one comes after the other, and neither fails. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { describeOnEachDatabase, type TestDatabase } from '../../test/support/databases.ts';
import { systemIds } from '../base/ids.ts';
import { onlyOf } from '../base/scope.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { transact, type Work } from '../storage/work.ts';
import { withdrawTokens } from './one-time-tokens.ts';
import { changePassword, requestReset, resetPassword } from './password-change.ts';
import { startSession } from './sessions.ts';
import { signedInBy } from './testing/signed-in-by.ts';
import { untilSomebodyWaits } from './testing/until-somebody-waits.ts';
import { createUser } from './users.ts';

const old = 'a long enough password';
const nothing = async () => undefined;

describeOnEachDatabase('passwords at one moment', (openDatabase, { kind }) => {
  // The embedded one does one work after the other by itself.
  if (kind !== 'postgres') return;
  const clock = new ManualClock();
  let storage: TestDatabase;
  let people = 0;
  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage.close());
  const parts = () => ({ storage, clock, ids: systemIds });
  const write = <Result>(run: (work: Work) => Promise<Result>) => transact(parts(), run);

  async function newPerson() {
    people += 1;
    const email = `person-${people}@example.test`;
    const { id } = await write((work) => createUser(work, { email, role: 'member', password: old }));
    const { token } = await write((work) => startSession(work, id, signedInBy('password')));
    const asked = await write((work) => requestReset(work, email));
    return { id, token, secret: asked?.reset.secret ?? '' };
  }
  const reset = (secret: string) =>
    resetPassword(
      parts(),
      { secret, password: 'reset to this password', start: signedInBy('password') },
      nothing,
    );

  test('a reset that comes while a change is being written waits for it, and is over then', async () => {
    const { id, secret } = await newPerson();
    let resetting: Promise<unknown> = Promise.resolve();
    // In the order of a change: the person first, then the links that are worth nothing from then on.
    await write(async (work) => {
      await work.executor.execute(sql`UPDATE users SET password_hash = 'another' WHERE id = ${id}`);
      resetting = reset(secret).catch((error: unknown) => error);
      await untilSomebodyWaits(storage.db);
      await withdrawTokens(work, 'reset_password', id);
    });
    expect(await resetting).toBeUndefined();
  });

  test('both at once end as if one had come after the other', async () => {
    for (let times = 0; times < 5; times += 1) {
      const { id, token, secret } = await newPerson();
      const change = { currentPassword: old, password: 'changed to this password', sessionToken: token };
      const [changed, wasReset] = await Promise.allSettled([
        changePassword(onlyOf(id), parts(), change, nothing),
        reset(secret),
      ]);
      const codes = [changed, wasReset].map((end) =>
        end.status === 'rejected' ? Reflect.get(Object(end.reason), 'code') : 'done',
      );
      // The change is refused where the reset came first; the reset finds its link gone where it came second.
      expect([
        ['done', 'done'],
        ['validation_failed', 'done'],
      ]).toContainEqual(codes);
    }
  });
});
