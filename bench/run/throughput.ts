/** The first act: as many requests as fit, whole and streamed, at 1 and at 32 connections, each contender in turn. */
import type { Reconciliation } from '../books/reconcile.ts';
import type { Contender, ContenderName } from '../contenders/contender.ts';
import type { LoadResult, LoadTool } from '../load/load.ts';
import type { AnswerForm } from '../load/question.ts';
import { costBetween, type MeasuredCost, readCosts } from './cost-between.ts';
import { enter, type Stage, type StageSetting } from './stage.ts';

export interface Scenario {
  readonly form: AnswerForm;
  readonly connections: number;
}

export interface Measurement extends MeasuredCost, LoadResult {
  readonly scenario: Scenario;
  readonly name: ContenderName;
  readonly round: number;
}

export const scenarios: readonly Scenario[] = [
  { form: 'whole', connections: 1 },
  { form: 'whole', connections: 32 },
  { form: 'streamed', connections: 1 },
  { form: 'streamed', connections: 32 },
];

export interface ThroughputOrder {
  readonly contenders: readonly Contender[];
  readonly tool: LoadTool;
  readonly setting: Pick<StageSetting, 'programs' | 'folder'>;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpRequests: Readonly<Record<AnswerForm, number>>;
  onMeasured(measurement: Measurement): void;
}

export interface ThroughputResult {
  readonly measurements: readonly Measurement[];
  readonly reconciliations: readonly Reconciliation[];
}

const mostWarmUpSeconds = 2;

export async function measureThroughput(order: ThroughputOrder): Promise<ThroughputResult> {
  const stages: Stage[] = [];
  for (const contender of order.contenders) {
    stages.push(await enter(contender, { ...order.setting, act: 'throughput', chunkDelayMs: 0 }));
  }
  await warmUp(stages, order);
  const measurements = await measureRounds(stages, order);
  const reconciliations: Reconciliation[] = [];
  for (const stage of stages) {
    const reconciliation = await stage.leave();
    if (reconciliation !== null) reconciliations.push(reconciliation);
  }
  return { measurements, reconciliations };
}

/** Until the runtimes have compiled what is hot, which takes requests rather than time; or until it takes too long. */
async function warmUp(stages: readonly Stage[], { tool, warmUpRequests }: ThroughputOrder): Promise<void> {
  for (const form of ['whole', 'streamed'] as const) {
    for (const { running } of stages) {
      const { url, headers } = running;
      let missing = warmUpRequests[form];
      for (let second = 0; second < mostWarmUpSeconds && missing > 0; second += 1) {
        const load = await tool.run({ url, headers, form, connections: 32, seconds: 1 });
        missing -= load.requests;
      }
    }
  }
}

async function measureRounds(stages: readonly Stage[], order: ThroughputOrder): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (let round = 0; round < order.rounds; round += 1) {
    for (const scenario of scenarios) {
      // Who begins changes with the round, so that a drift of the machine does not always hit the same one.
      const inTurn = [...stages.slice(round % stages.length), ...stages.slice(0, round % stages.length)];
      for (const stage of inTurn) {
        const measurement = await measure(stage, scenario, { round, order });
        order.onMeasured(measurement);
        measurements.push(measurement);
      }
    }
  }
  return measurements;
}

async function measure(
  { contender, running }: Stage,
  scenario: Scenario,
  { round, order }: { round: number; order: ThroughputOrder },
): Promise<Measurement> {
  const { url, headers } = running;
  const before = readCosts(running);
  const load = await order.tool.run({ url, headers, ...scenario, seconds: order.seconds });
  const cost = costBetween(before, readCosts(running), load.requests);
  return { name: contender.name, scenario, round, ...load, ...cost };
}
