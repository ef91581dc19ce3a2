/** The first act: as many requests as fit, whole and streamed, at 1 and at 32 connections, each contender in turn. */
import type { Reconciliation } from '../books/reconcile.ts';
import { type Contender, type ContenderName, usualQuestion } from '../contenders/contender.ts';
import type { LoadTool } from '../load/load.ts';
import { type AnswerForm, addressQuestion, answerForms } from '../load/question.ts';
import { holdToCore } from '../programs/process-tree.ts';
import { type InsideMeasurement, measureInside } from './inside.ts';
import { type LoadMeasurement, measureLoad } from './measure-load.ts';
import { type Scenario, takeTurns } from './scenario.ts';
import { enter, type Stage, type StageSetting } from './stage.ts';
import { warmUp } from './warm-up.ts';

export interface Measurement extends LoadMeasurement {
  readonly scenario: Scenario;
  readonly name: ContenderName;
}

export interface ThroughputOrder {
  readonly contenders: readonly Contender[];
  readonly tool: LoadTool;
  readonly setting: Pick<StageSetting, 'programs' | 'folder'>;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpRequests: Readonly<Record<AnswerForm, number>>;
  /** Whether no contender shares its core with client, upstream and database. */
  readonly hasOwnCore: boolean;
  onMeasured(measurement: Measurement): void;
}

export interface ThroughputResult {
  readonly measurements: readonly Measurement[];
  readonly inside: readonly InsideMeasurement[];
  readonly reconciliations: readonly Reconciliation[];
}

export async function measureThroughput(order: ThroughputOrder): Promise<ThroughputResult> {
  const { contenders, tool, setting, warmUpRequests } = order;
  const stages: Stage[] = [];
  for (const contender of contenders) {
    stages.push(await enter(contender, { ...setting, act: 'throughput', chunkDelayMs: 0 }));
  }
  for (const form of answerForms) {
    for (const { running } of stages) {
      await warmUp(tool, addressQuestion(usualQuestion, form, running), warmUpRequests[form]);
    }
  }
  if (order.hasOwnCore) holdToCores(stages);
  const measurements = await measureRounds(stages, order);
  const inside = await measureInside(stages, order);
  const reconciliations: Reconciliation[] = [];
  for (const stage of stages) {
    const reconciliation = await stage.leave();
    if (reconciliation !== null) reconciliations.push(reconciliation);
  }
  return { measurements, inside, reconciliations };
}

/** With its threads; what is measured then changes less with what the others do at the same time. */
function holdToCores(stages: readonly Stage[]): void {
  // The launcher started the database too.
  holdToCore([process.ppid], 1);
  holdToCore(
    stages.flatMap(({ running }) => running.pid ?? []),
    0,
  );
}

async function measureRounds(stages: readonly Stage[], order: ThroughputOrder): Promise<Measurement[]> {
  const { tool, rounds, seconds, onMeasured } = order;
  const measurements: Measurement[] = [];
  for (const { round, scenario, one } of takeTurns(stages, rounds)) {
    const { contender, running } = one;
    const question = addressQuestion(usualQuestion, scenario.form, running);
    const { connections } = scenario;
    const load = await measureLoad(tool, running, { round, question, connections, seconds });
    const measurement = { name: contender.name, scenario, ...load };
    onMeasured(measurement);
    measurements.push(measurement);
  }
  return measurements;
}
