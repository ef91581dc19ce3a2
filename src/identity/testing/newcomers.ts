/** Organisations with departments and projects, and people in them, for tests. */
import { eq } from 'drizzle-orm';
import type { Write } from '../../../test/support/writing.ts';
import { projects, users } from '../../storage/schema/identity.ts';
import type { Storage } from '../../storage/storage.ts';
import { createOrganisation } from '../organisations.ts';
import type { User, UserRole } from '../user.ts';
import { createUser } from '../users.ts';
import { newDepartment } from './new-department.ts';

export type Newcomers = ReturnType<typeof newcomersIn>;
export type House = Awaited<ReturnType<Newcomers['house']>>;

export function newcomersIn({ db }: Pick<Storage, 'db'>, write: Write) {
  let people = 0;
  return {
    /** With the departments Sales and Labs, and a project of Sales and one of all. */
    async house(slug: string) {
      const { id } = await write(createOrganisation, { name: slug, slug });
      const sales = (await write(newDepartment, id, 'Sales')).id;
      const labs = (await write(newDepartment, id, 'Labs')).id;
      const project = async (name: string, departmentId: number | null) => {
        const values = { organisationId: id, departmentId, name };
        const [row] = await db.insert(projects).values(values).returning({ id: projects.id });
        return row?.id ?? 0;
      };
      return {
        id,
        sales,
        labs,
        ofSales: await project('of sales', sales),
        ofAll: await project('of all', null),
        whole: { whose: 'organisation', organisationId: id } as const,
        inSales: { whose: 'department', organisationId: id, departmentId: sales } as const,
        inLabs: { whose: 'department', organisationId: id, departmentId: labs } as const,
      };
    },
    async person(
      role: UserRole,
      place: { readonly id: number; readonly department?: number } | null = null,
    ): Promise<User> {
      people += 1;
      const made = await write(createUser, { email: `person-${people}@example.test`, role });
      if (place === null) return made;
      const at = { organisationId: place.id, departmentId: place.department ?? null };
      await db.update(users).set(at).where(eq(users.id, made.id));
      return { ...made, ...at };
    },
  };
}
