/** Load that nobody measures. */
import type { LoadTool } from '../load/load.ts';
import type { AddressedQuestion } from '../load/question.ts';

export const mostWarmUpSeconds = 2;

/** Until the runtimes have compiled what is hot, which takes requests rather than time; or until it takes too long. */
export async function warmUp(tool: LoadTool, question: AddressedQuestion, requests: number): Promise<void> {
  let missing = requests;
  for (let second = 0; second < mostWarmUpSeconds && missing > 0; second += 1) {
    const load = await tool.run({ question, connections: 32, seconds: 1 });
    missing -= load.requests;
  }
}
