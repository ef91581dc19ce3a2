/** Load that nobody measures. */
import type { LoadTool } from '../load/load.ts';
import type { AddressedQuestion } from '../load/question.ts';

/** For each form of answer: the slowest contender must not decide how long a run takes. */
export const mostWarmUpSeconds = 20;
const partSeconds = 1;

/** Until the runtimes have compiled what is hot, which takes requests rather than time; or until it takes too long. */
export async function warmUp(
  tool: LoadTool,
  question: AddressedQuestion,
  requests: number,
  { connections, mostSeconds } = usually,
): Promise<void> {
  let missing = requests;
  for (let seconds = 0; seconds < mostSeconds && missing > 0; seconds += partSeconds) {
    const load = await tool.run({ question, connections, seconds: partSeconds });
    missing -= load.requests;
  }
}

const usually = { connections: 32, mostSeconds: mostWarmUpSeconds };
