/** Lets a test write by one function of a room at a time, each in work of its own. */
import type { Scope } from '../../src/base/scope.ts';
import { transact, type Work, type WorkParts } from '../../src/storage/work.ts';

export type Write = <Arguments extends unknown[], Result>(
  writing: (work: Work, ...given: Arguments) => Promise<Result>,
  ...given: Arguments
) => Promise<Result>;

export function writerOn(parts: WorkParts): Write {
  return (writing, ...given) => transact(parts, (work) => writing(work, ...given));
}

/** A function that writes in a scope, as one that only has to be told what. */
export function within<Whose extends Scope, Arguments extends unknown[], Result>(
  scope: Whose,
  writing: (scope: Whose, work: Work, ...given: Arguments) => Promise<Result>,
): (work: Work, ...given: Arguments) => Promise<Result> {
  return (work, ...given) => writing(scope, work, ...given);
}
