import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, within, writerOn } from '../../test/support/writing.ts';
import { systemIds } from '../base/ids.ts';
import { onlyOf } from '../base/scope.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { auditEntries } from '../storage/schema/audit.ts';
import { users } from '../storage/schema/identity.ts';
import type { Storage } from '../storage/storage.ts';
import { transact, type WorkParts } from '../storage/work.ts';
import { removeAccount } from './account-removal.ts';
import { changeProfile, readProfile, saveDisplayName } from './profile.ts';
import { untilSomebodyWaits } from './testing/until-somebody-waits.ts';
import { createUser } from './users.ts';

describeOnEachDatabase('what a person says of themself', (openDatabase) => {
  let storage: Storage;
  let parts: WorkParts;
  let write: Write;
  let people = 0;
  beforeAll(async () => {
    storage = await openDatabase();
    parts = { storage, clock: clockShowing(() => Date.UTC(2031, 0, 1)), ids: systemIds };
    write = writerOn(parts);
  });
  afterAll(() => storage.close());

  const person = () => {
    people += 1;
    return write(createUser, { email: `p${people}@example.test`, name: 'Before', role: 'member' });
  };

  test('is kept, and a name in it is their name', async () => {
    const { id } = await person();
    const given = { display_name: 'Ada', theme: { night: true } };
    expect(await write(within(onlyOf(id), saveDisplayName), given)).toEqual(given);
    expect(await readProfile(onlyOf(id), storage.db)).toMatchObject({ name: 'Ada', displayName: given });
    await write(within(onlyOf(id), changeProfile), { language: 'fr' });
    expect(await readProfile(onlyOf(id), storage.db)).toMatchObject({ name: 'Ada', language: 'fr' });
  });

  test('is not kept of an account that is removed before, or while it waits', async () => {
    for (const say of [
      (id: number) => write(within(onlyOf(id), saveDisplayName), { display_name: 'Ada' }),
      (id: number) => write(within(onlyOf(id), changeProfile), { name: 'Ada', language: 'fr' }),
    ]) {
      const user = await person();
      const { begun } = await transact(parts, async (work) => {
        const removal = { userId: user.id, typedEmail: user.email, actor: user, keptElsewhere: [] };
        await removeAccount(onlyOf(user.id), work, removal);
        const begun = say(user.id);
        begun.catch(() => undefined);
        if (storage.kind === 'postgres') await untilSomebodyWaits(storage.db);
        return { begun };
      });
      await expect(begun).rejects.toMatchObject({ code: 'not_found' });
      await expect(say(user.id)).rejects.toMatchObject({ code: 'not_found' });
      const [row] = await storage.db.select().from(users).where(eq(users.id, user.id));
      expect(row).toMatchObject({ name: '', displayName: {}, language: null });
      const noted = await storage.db.select().from(auditEntries).where(eq(auditEntries.userId, user.id));
      expect(noted.map(({ action }) => action)).toEqual(['account.created', 'account.deleted']);
    }
  });
});
