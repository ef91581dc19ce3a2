import { afterAll, beforeAll, expect, test } from 'bun:test';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, within, writerOn } from '../../test/support/writing.ts';
import { systemClock } from '../base/clock.ts';
import { systemIds } from '../base/ids.ts';
import { onlyOf } from '../base/scope.ts';
import type { Storage } from '../storage/storage.ts';
import { changeEmail, requestEmailChange } from './email-change.ts';
import { createUser, findUserByEmail } from './users.ts';

describeOnEachDatabase('another e-mail address', (openDatabase) => {
  let storage: Storage;
  let write: Write;
  beforeAll(async () => {
    storage = await openDatabase();
    write = writerOn({ storage, clock: systemClock, ids: systemIds });
  });
  afterAll(() => storage.close());

  test('of many who take it at once, one does, and the others are told that it is taken', async () => {
    for (const round of [1, 2, 3]) {
      const email = `wanted-${round}@example.test`;
      const asking = [1, 2, 3, 4].map(async (person) => {
        const user = await write(createUser, { email: `p${round}-${person}@example.test`, role: 'member' });
        const asked = await write(within(onlyOf(user.id), requestEmailChange), { email });
        return { user, secret: asked.outcome === 'asked' ? asked.token.secret : '' };
      });
      const taking = (await Promise.all(asking)).map(({ user, secret }) =>
        write(within(onlyOf(user.id), changeEmail), secret),
      );
      const ends = await Promise.allSettled(taking);
      const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
      expect(refused).toHaveLength(3);
      for (const reason of refused) {
        expect(reason).toMatchObject({ code: 'validation_failed', fields: [{ type: 'taken' }] });
      }
      expect(await findUserByEmail(storage.db, email)).toBeDefined();
    }
  });
});
