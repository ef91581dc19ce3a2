/** What a request under way would write of an account that is removed before it, or while it waits. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, writerOn } from '../../test/support/writing.ts';
import { type Envelope, openEnvelope } from '../base/envelope.ts';
import { systemIds } from '../base/ids.ts';
import { onlyOf } from '../base/scope.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { dataExports } from '../storage/schema/exports.ts';
import { users } from '../storage/schema/identity.ts';
import { linkedIdentities, oneTimeTokens, totpSecrets } from '../storage/schema/sign-in.ts';
import type { Storage } from '../storage/storage.ts';
import { transact, type Work, type WorkParts } from '../storage/work.ts';
import { removeAccount } from './account-removal.ts';
import { requestDataExport } from './data-exports.ts';
import { requestEmailChange } from './email-change.ts';
import { arriveByProvider, linkIdentity } from './linked-identities.ts';
import { untilSomebodyWaits } from './testing/until-somebody-waits.ts';
import { beginTotp } from './totp.ts';
import { createUser } from './users.ts';

describeOnEachDatabase('of an account that is removed', (openDatabase) => {
  let storage: Storage;
  let parts: WorkParts;
  let write: Write;
  let envelope: Envelope;
  let people = 0;
  beforeAll(async () => {
    storage = await openDatabase();
    parts = { storage, clock: clockShowing(() => Date.UTC(2031, 0, 1)), ids: systemIds };
    write = writerOn(parts);
    envelope = await openEnvelope('a secret of more than thirty-two characters');
  });
  afterAll(() => storage.close());

  const identity = { provider: 'google', subject: 'somebody', email: 'x@example.test', name: 'X' };
  test.each([
    [
      'account of a provider',
      linkedIdentities,
      (id: number, work: Work) => linkIdentity(onlyOf(id), work, { ...identity, emailVerified: true }),
    ],
    [
      'link to another address',
      oneTimeTokens,
      (id: number, work: Work) => requestEmailChange(onlyOf(id), work, { email: `new-${id}@example.test` }),
    ],
    ['export', dataExports, (id: number, work: Work) => requestDataExport(onlyOf(id), work)],
    [
      'secret of codes',
      totpSecrets,
      (id: number, work: Work) =>
        beginTotp(work, envelope, { owner: { id, email: 'x@example.test' }, issuer: 'Sluice' }),
    ],
  ] as const)('no %s is kept', async (_, table, make) => {
    people += 1;
    const user = await write(createUser, { email: `p${people}@example.test`, name: 'A', role: 'member' });
    const asking = () => transact(parts, (work): Promise<unknown> => make(user.id, work));
    const { begun } = await transact(parts, async (work) => {
      const removal = { userId: user.id, typedEmail: user.email, actor: user, keptElsewhere: [] };
      await removeAccount(onlyOf(user.id), work, removal);
      const begun = asking();
      begun.catch(() => undefined);
      if (storage.kind === 'postgres') await untilSomebodyWaits(storage.db);
      return { begun };
    });
    await expect(begun).rejects.toMatchObject({ code: 'not_found' });
    await expect(asking()).rejects.toMatchObject({ code: 'not_found' });
    expect(await storage.db.$count(table, eq(table.userId, user.id))).toBe(0);
  });

  test('no account of a provider is linked by who comes from there meanwhile', async () => {
    // On the other database the arrival begins when the removal is over, and makes an account anew.
    if (storage.kind !== 'postgres') return;
    const email = 'arriving@example.test';
    const user = await write(createUser, { email, name: 'A', role: 'member' });
    await storage.db
      .update(users)
      .set({ emailVerifiedAt: new Date(0) })
      .where(eq(users.id, user.id));
    const arriving = { ...identity, subject: 'arriving', email, emailVerified: true };
    const arrival = { identity: arriving, acceptedVersion: null, organisationId: null, invite: null };
    const arrive = () =>
      transact(parts, (work) => arriveByProvider(work, { ...arrival, language: null, owners: [] }));
    const { begun } = await transact(parts, async (work) => {
      const removal = { userId: user.id, typedEmail: email, actor: user, keptElsewhere: [] };
      await removeAccount(onlyOf(user.id), work, removal);
      const begun = arrive();
      begun.catch(() => undefined);
      await untilSomebodyWaits(storage.db);
      return { begun };
    });
    await expect(begun).rejects.toMatchObject({ code: 'conflict' });
    expect(await storage.db.$count(linkedIdentities, eq(linkedIdentities.userId, user.id))).toBe(0);
    expect(await arrive()).toEqual({ outcome: 'terms_needed' });
  });
});
