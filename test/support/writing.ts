/** Lets a test write by one function of a room at a time, each in work of its own. */
import { transact, type Work, type WorkParts } from '../../src/storage/work.ts';

export type Write = <Arguments extends unknown[], Result>(
  writing: (work: Work, ...given: Arguments) => Promise<Result>,
  ...given: Arguments
) => Promise<Result>;

export function writerOn(parts: WorkParts): Write {
  return (writing, ...given) => transact(parts, (work) => writing(work, ...given));
}
