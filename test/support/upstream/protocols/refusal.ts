/** How a protocol's readers say no: they throw, and the protocol's front turns it into a reading. */
import type { Call, Problem, Reading } from './protocol.ts';

export class Refusal extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.name = 'Refusal';
    this.problem = problem;
  }
}

export function readingOf(read: () => Call): Reading {
  try {
    return { ok: true, call: read() };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, problem: error.problem };
    throw error;
  }
}
