/** After the rounds of the first act: what goes on inside those that run on Bun, whose probe costs a little itself. */
import { type ContenderName, usualQuestion } from '../contenders/contender.ts';
import type { LoadTool } from '../load/load.ts';
import { type AnswerForm, addressQuestion, answerForms } from '../load/question.ts';
import { spreadOf } from '../report/statistics.ts';
import type { Stage } from './stage.ts';

export interface InsideMeasurement {
  readonly name: ContenderName;
  readonly form: AnswerForm;
  /** At 32 connections. */
  readonly longestTurnMs: number;
  /** One after the other, on one connection. */
  readonly objectsPerRequest: number;
}

const connections = 32;
/** Few enough that nothing has to be collected meanwhile. */
const countedRequests: Readonly<Record<AnswerForm, number>> = { whole: 50, streamed: 5 };
const tries = 5;

export async function measureInside(
  stages: readonly Stage[],
  { tool, seconds }: { tool: LoadTool; seconds: number },
): Promise<InsideMeasurement[]> {
  const measurements: InsideMeasurement[] = [];
  for (const form of answerForms) {
    for (const { contender, running } of stages) {
      if (running.inside === undefined) continue;
      const { probe } = running.inside;
      const question = addressQuestion(usualQuestion, form, running);
      const { longestTurnMs } = await probe.watchTurns(() => tool.run({ question, connections, seconds }));
      const askSome = async () => {
        for (let place = 0; place < countedRequests[form]; place += 1) {
          const { url, headers, body } = question;
          await (await fetch(url, { method: 'POST', headers: { ...headers }, body })).arrayBuffer();
        }
      };
      const counts: number[] = [];
      while (counts.length < tries) counts.push(await probe.countObjects(askSome));
      const objectsPerRequest = (spreadOf(counts)?.median ?? 0) / countedRequests[form];
      measurements.push({ name: contender.name, form, longestTurnMs, objectsPerRequest });
    }
  }
  return measurements;
}
