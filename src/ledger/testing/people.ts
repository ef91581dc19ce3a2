/** Payers for tests. */
import type { Executor } from '../../storage/database.ts';
import { users } from '../../storage/schema/identity.ts';

/** Whose key is that of nobody else, and who belongs to nothing. */
export const alone = (userId: number) => ({
  keyId: userId,
  userId,
  departmentId: null,
  projectId: null,
  organisationId: null,
});

let count = 0;

/** @returns the id of somebody who has no wallet yet. */
export async function newPerson(db: Executor): Promise<number> {
  count += 1;
  const [row] = await db
    .insert(users)
    .values({ email: `payer-${count}-${crypto.randomUUID()}@example.test`, role: 'member' })
    .returning({ id: users.id });
  if (row === undefined) throw new Error('no row');
  return row.id;
}
