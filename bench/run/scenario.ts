/** What is asked for, by how many at once, and in which order everyone is measured. */
import type { AnswerForm } from '../load/question.ts';

export interface Scenario {
  readonly form: AnswerForm;
  readonly connections: number;
}

export const scenarios: readonly Scenario[] = [
  { form: 'whole', connections: 1 },
  { form: 'whole', connections: 32 },
  { form: 'streamed', connections: 1 },
  { form: 'streamed', connections: 32 },
];

export interface Turn<One> {
  /** From 0. */
  readonly round: number;
  readonly scenario: Scenario;
  readonly one: One;
}

/** Who begins changes with the round, so that a drift of the machine does not always hit the same one. */
export function takeTurns<One>(ones: readonly One[], rounds: number): Turn<One>[] {
  return Array.from({ length: rounds }, (_, round) => {
    const first = round % ones.length;
    const inTurn = [...ones.slice(first), ...ones.slice(0, first)];
    return scenarios.flatMap((scenario) => inTurn.map((one) => ({ round, scenario, one })));
  }).flat();
}
