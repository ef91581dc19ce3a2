/** A department for tests: nothing of the program makes one yet. */
import { departments } from '../../storage/schema/identity.ts';
import type { Work } from '../../storage/work.ts';
import type { Department } from '../organisations.ts';

export async function newDepartment(
  { executor }: Work,
  organisationId: number,
  name: string,
): Promise<Department> {
  const [row] = await executor.insert(departments).values({ organisationId, name }).returning();
  if (row === undefined) throw new Error('the insert of a department returned nothing');
  return row;
}
