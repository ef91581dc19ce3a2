/** What a database is known by, for as long as it lives and in every copy of it. */
import { expect, test } from 'bun:test';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { systemIds } from '../base/ids.ts';
import { loadDatabaseId } from './database-id.ts';

describeOnEachDatabase('the id of a database', (openDatabase) => {
  test('is one for all who start on it, and no other database has it', async () => {
    const [storage, other] = [await openDatabase(), await openDatabase()];
    const ids = await Promise.all([1, 2, 3].map(() => loadDatabaseId(storage.db, systemIds)));
    ids.push(await loadDatabaseId(storage.db, systemIds));
    expect(new Set(ids).size).toBe(1);
    expect(ids).not.toContain(await loadDatabaseId(other.db, systemIds));
    await Promise.all([storage.close(), other.close()]);
  });
});
