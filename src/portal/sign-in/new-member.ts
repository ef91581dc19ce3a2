/** What a group gives to whoever joins it. */
import type { User, Work } from '../../identity/index.ts';
import { giveDefaultBudgets, removeGivenBudgets } from '../../ledger/index.ts';

type Place = Pick<User, 'organisationId' | 'departmentId'>;

/** In the work in which they join. @param before where they were; nowhere when not given. Who stays there gets nothing. */
export async function giveToMember(work: Work, user: User, before?: Place): Promise<void> {
  const { id, organisationId, departmentId } = user;
  if (organisationId === before?.organisationId && departmentId === before?.departmentId) return;
  await giveDefaultBudgets(work, { kind: 'user', id }, { organisationId, departmentId });
}

/** Whose account it is now: budgets of the place that somebody else registered it at are not theirs. */
export async function giveToNewcomer(work: Work, user: User): Promise<void> {
  await removeGivenBudgets(work, { kind: 'user', id: user.id });
  await giveToMember(work, user);
}
