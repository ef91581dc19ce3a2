/** Whose data a read or a write is about: the first argument of every function that reads or writes what people own. */

export interface PersonScope {
  readonly whose: 'person';
  readonly userId: number;
}

export type Scope =
  /** For the program itself, and for platform admins. It has to be said: nothing means it by being left out. */
  | { readonly whose: 'everybody' }
  | { readonly whose: 'organisation'; readonly organisationId: number }
  | { readonly whose: 'department'; readonly organisationId: number; readonly departmentId: number }
  | PersonScope;

export const everybody: Scope = { whose: 'everybody' };

export function onlyOf(userId: number): PersonScope {
  return { whose: 'person', userId };
}
