/** In which organisation and department a key is. */
import { eq, sql } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { users } from '../storage/schema/identity.ts';

/** Where the key is by itself, else where its owner is. */
export async function groupOfKey(
  executor: Executor,
  keyId: number,
): Promise<{ readonly organisationId: number | null; readonly departmentId: number | null }> {
  const [row] = await executor
    .select({
      isOwn: sql<boolean>`${apiKeys.organisationId} IS NOT NULL`,
      ...{ organisationId: apiKeys.organisationId, departmentId: apiKeys.departmentId },
      ...{ ownersOrganisationId: users.organisationId, ownersDepartmentId: users.departmentId },
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.ownerId))
    .where(eq(apiKeys.id, keyId));
  if (row === undefined) return { organisationId: null, departmentId: null };
  const { isOwn, organisationId, departmentId, ownersOrganisationId, ownersDepartmentId } = row;
  return isOwn
    ? { organisationId, departmentId }
    : { organisationId: ownersOrganisationId, departmentId: ownersDepartmentId };
}
