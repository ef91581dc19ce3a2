/** What is noted of a filling, and what is emptied. */
import { expect, test } from 'bun:test';
import { systemIds } from '../../src/base/ids.ts';
import { loadDatabaseId } from '../../src/storage/database-id.ts';
import type { Storage } from '../../src/storage/index.ts';
import { users } from '../../src/storage/schema/identity.ts';
import { describeOnEachDatabase } from '../support/databases.ts';
import { emailOf } from './settle-people.ts';
import { beginAnew, noteBegun, noteWhole, readWholeness, requireOnly } from './wholeness.ts';

describeOnEachDatabase('a database that is filled', (openDatabase) => {
  const add = ({ db }: Storage, email: string) => db.insert(users).values({ email, role: 'member' });

  test('is whole once all of it is there, and emptied where it was only begun', async () => {
    const storage = await openDatabase();
    expect(await readWholeness(storage)).toBe('unknown');
    await noteBegun(storage);
    await add(storage, emailOf('olga'));
    expect(await readWholeness(storage)).toBe('begun');
    if (storage.kind === 'embedded') {
      const id = await loadDatabaseId(storage.db, systemIds);
      await beginAnew(storage);
      expect(await storage.db.$count(users)).toBe(0);
      // Else a spool that the killed filling left would refuse the start.
      expect(await loadDatabaseId(storage.db, systemIds)).toBe(id);
      expect(await readWholeness(storage)).toBe('begun');
    } else {
      // Whatever else is in it stays.
      await expect(beginAnew(storage)).rejects.toMatchObject({ code: 'conflict' });
      expect(await storage.db.$count(users)).toBe(1);
    }
    await noteWhole(storage);
    expect(await readWholeness(storage)).toBe('whole');
    await storage.close();
  });

  test('is not emptied where somebody is in it who was not invented', async () => {
    const storage = await openDatabase();
    await noteBegun(storage);
    await add(storage, emailOf('olga'));
    await expect(requireOnly(storage, 'nobody')).rejects.toMatchObject({ code: 'conflict' });
    await add(storage, 'ada@example.test');
    await expect(beginAnew(storage)).rejects.toMatchObject({ code: 'conflict' });
    expect(await storage.db.$count(users)).toBe(2);
    await storage.close();
  });
});
