/** The first account of a server, and what becomes of its credit where that account is gone at the next start. */
import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { openLog } from '../base/log.ts';
import { findFirstOwner } from '../identity/index.ts';
import { providerAdapters } from '../providers/index.ts';
import { users } from '../storage/schema/identity.ts';
import { loadConfiguration } from './configuration.ts';
import { startSluice } from './start.ts';

describeOnEachDatabase('a first start', (_openDatabase, database) => {
  if (database.kind !== 'embedded') return;

  test('gives its credit once: an owner that is made after the first one went begins without', async () => {
    const prepared = await database.prepare();
    const start = async () => {
      const configuration = await loadConfiguration({ ...prepared.variables, PORT: '0' }, providerAdapters);
      return startSluice({ configuration, log: openLog({ level: 'silent' }) });
    };
    const first = await start();
    const { db } = first.services.storage;
    const gone = (await findFirstOwner(db))?.id ?? 0;
    expect((await first.services.wallets.stateOf(gone)).balanceNanoUsd).toBe(25_000_000_000n);
    await db.update(users).set({ email: 'gone@example.test', status: 'suspended' }).where(eq(users.id, gone));
    await first.stop();
    const second = await start();
    const owner = await findFirstOwner(second.services.storage.db);
    expect(owner?.id).not.toBe(gone);
    expect((await second.services.wallets.stateOf(owner?.id ?? 0)).balanceNanoUsd).toBe(0n);
    await second.stop();
    await prepared.discard();
  });
});
