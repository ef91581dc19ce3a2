import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, within, writerOn } from '../../test/support/writing.ts';
import { systemIds } from '../base/ids.ts';
import { everybody, onlyOf } from '../base/scope.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { auditEntries } from '../storage/schema/audit.ts';
import { users } from '../storage/schema/identity.ts';
import type { Storage } from '../storage/storage.ts';
import { transact, type WorkParts } from '../storage/work.ts';
import { removeAccount } from './account-removal.ts';
import { createInvite } from './invites.ts';
import { acceptLegal } from './legal.ts';
import { changePassword } from './password-change.ts';
import { changeProfile, readProfile, saveDisplayName } from './profile.ts';
import { untilSomebodyWaits } from './testing/until-somebody-waits.ts';
import type { User } from './user.ts';
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

  const nowhere = { organisationId: null, departmentId: null };
  const invited = { email: 'invited@example.test', role: 'member', ...nowhere } as const;
  const setPassword = { currentPassword: undefined, password: 'a long enough password', sessionToken: '' };

  test('is not kept of an account that is removed before, or while it waits', async () => {
    const says: readonly (readonly [(user: User) => Promise<unknown>, string])[] = [
      [({ id }) => write(within(onlyOf(id), saveDisplayName), { display_name: 'Ada' }), 'not_found'],
      [({ id }) => write(within(onlyOf(id), changeProfile), { name: 'Ada', language: 'fr' }), 'not_found'],
      [({ id }) => write(within(onlyOf(id), acceptLegal), '2031-01'), 'not_found'],
      [(inviter) => write(within(everybody, createInvite), { ...invited, inviter }), 'not_found'],
      [
        ({ id }) => changePassword(onlyOf(id), parts, setPassword, async () => undefined),
        'validation_failed',
      ],
    ];
    for (const [say, code] of says) {
      const user = await person();
      const { begun } = await transact(parts, async (work) => {
        const removal = { userId: user.id, typedEmail: user.email, actor: user, keptElsewhere: [] };
        await removeAccount(onlyOf(user.id), work, removal);
        const begun = say(user);
        begun.catch(() => undefined);
        if (storage.kind === 'postgres') await untilSomebodyWaits(storage.db);
        return { begun };
      });
      await expect(begun).rejects.toMatchObject({ code });
      await expect(say(user)).rejects.toMatchObject({ code });
      const [row] = await storage.db.select().from(users).where(eq(users.id, user.id));
      expect(row).toMatchObject({ name: '', displayName: {}, language: null, passwordHash: null });
      const noted = await storage.db.select().from(auditEntries).where(eq(auditEntries.userId, user.id));
      expect(noted.map(({ action }) => action)).toEqual(['account.created', 'account.deleted']);
    }
  });
});
