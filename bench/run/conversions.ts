/** The third act: one Sluice asked in each protocol for models of each, so that conversions stand beside passthrough. */
import type { Reconciliation } from '../books/reconcile.ts';
import type { Contender } from '../contenders/contender.ts';
import { providers } from '../contenders/sluice-configuration.ts';
import { ask } from '../load/ask.ts';
import type { LoadTool } from '../load/load.ts';
import { type AnswerForm, addressQuestion, answerForms, type Question } from '../load/question.ts';
import { type LoadMeasurement, measureLoad } from './measure-load.ts';
import { type Pairing, pairings, questionOf } from './pairing.ts';
import { type Scenario, takeTurns } from './scenario.ts';
import { enter, type Stage, type StageSetting } from './stage.ts';
import { warmUp } from './warm-up.ts';

export interface ConversionMeasurement extends LoadMeasurement {
  readonly scenario: Scenario;
  readonly pairing: Pairing;
}

export interface ConversionsOrder {
  readonly sluice: Contender;
  readonly tool: LoadTool;
  readonly setting: Pick<StageSetting, 'programs' | 'folder'>;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpRequests: Readonly<Record<AnswerForm, number>>;
  onMeasured(measurement: ConversionMeasurement): void;
}

export interface ConversionsResult {
  readonly measurements: readonly ConversionMeasurement[];
  readonly reconciliations: readonly Reconciliation[];
}

interface Asking {
  readonly pairing: Pairing;
  readonly question: Question;
}

export async function measureConversions(order: ConversionsOrder): Promise<ConversionsResult> {
  const { sluice, tool, setting, warmUpRequests } = order;
  const stage = await enter(sluice, { ...setting, act: 'conversions', chunkDelayMs: 0 });
  const askings = pairings.map((pairing) => ({ pairing, question: questionOf(pairing) }));
  for (const { pairing, question } of askings) {
    // Each kind of provider speaks one of the two, so that its name proves what was converted and what was not.
    await ask(stage.running, question, { 'x-sluice-provider': providers[pairing.upstream].name });
  }
  for (const form of answerForms) {
    for (const { question } of askings) {
      await warmUp(tool, addressQuestion(question, form, stage.running), warmUpRequests[form]);
    }
  }
  const measurements = await measureRounds(stage, askings, order);
  const reconciliation = await stage.leave();
  return { measurements, reconciliations: reconciliation === null ? [] : [reconciliation] };
}

async function measureRounds(
  { running }: Stage,
  askings: readonly Asking[],
  { tool, rounds, seconds, onMeasured }: ConversionsOrder,
): Promise<ConversionMeasurement[]> {
  const measurements: ConversionMeasurement[] = [];
  for (const { round, scenario, one } of takeTurns(askings, rounds)) {
    const question = addressQuestion(one.question, scenario.form, running);
    const { connections } = scenario;
    const load = await measureLoad(tool, running, { round, question, connections, seconds });
    const measurement = { pairing: one.pairing, scenario, ...load };
    onMeasured(measurement);
    measurements.push(measurement);
  }
  return measurements;
}
