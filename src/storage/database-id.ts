/** The name by which what lies outside of a database knows it again. A backup has it too, so that a restored one is the same. */
import type { Ids } from '../base/ids.ts';
import type { Database } from './database.ts';
import { databaseIdentity } from './schema/database-identity.ts';

/** The same from the first start on; of several first starts at once, one has named it. */
export async function loadDatabaseId(db: Database, ids: Pick<Ids, 'requestId'>): Promise<string> {
  const known = await readId(db);
  if (known !== undefined) return known;
  await db.insert(databaseIdentity).values({ id: ids.requestId() }).onConflictDoNothing();
  return (await readId(db)) ?? (await loadDatabaseId(db, ids));
}

async function readId(db: Database): Promise<string | undefined> {
  const [row] = await db.select({ id: databaseIdentity.id }).from(databaseIdentity);
  return row?.id;
}
