import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Scope } from '../base/scope.ts';
import { type AdminView, scopeOf, widestScope } from './roles.ts';
import { userRoles } from './user.ts';

/** A row that somebody owns, as far as a scope looks at it. */
interface Row {
  readonly user: number;
  readonly organisation: number | null;
  readonly department: number | null;
}

/** What `withinScope` asks of a row, written again by hand. */
function reaches(scope: Scope, { user, organisation, department }: Row): boolean {
  switch (scope.whose) {
    case 'everybody':
      return true;
    case 'person':
      return user === scope.userId;
    case 'organisation':
      return organisation === scope.organisationId;
    case 'department':
      return organisation === scope.organisationId && department === scope.departmentId;
  }
}

const id = fc.integer({ min: 1, max: 4 });
const maybeId = fc.option(id);
const person = fc.record({
  id,
  role: fc.constantFrom(...userRoles),
  organisationId: maybeId,
  departmentId: maybeId,
});
const view: fc.Arbitrary<AdminView> = fc.record({ adminMode: fc.boolean(), organisationId: maybeId });
const row = fc.record({ user: id, organisation: maybeId, department: maybeId });

test('no mode and no filter shows more than the role without them, and one’s own things', () => {
  fc.assert(
    fc.property(person, view, row, (user, looked, owned) => {
      if (!reaches(scopeOf(user, looked), owned)) return;
      expect(reaches(widestScope(user), owned) || owned.user === user.id).toBe(true);
    }),
    { numRuns: 5000 },
  );
});

test('a filter shows no more than the same mode without it, and outside of the mode changes nothing', () => {
  fc.assert(
    fc.property(person, view, row, (user, looked, owned) => {
      const without = scopeOf(user, { ...looked, organisationId: null });
      if (reaches(scopeOf(user, looked), owned)) expect(reaches(without, owned)).toBe(true);
      if (!looked.adminMode) expect(scopeOf(user, looked)).toEqual({ whose: 'person', userId: user.id });
    }),
    { numRuns: 5000 },
  );
});
