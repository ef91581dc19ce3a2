/** The last act: what a second process adds, on work that waits for its upstream, each held to a share of a core. */
import type { Reconciliation } from '../books/reconcile.ts';
import { type Contender, usualQuestion } from '../contenders/contender.ts';
import type { LoadTool } from '../load/load.ts';
import { type AnswerForm, addressQuestion } from '../load/question.ts';
import { holdToShare } from '../programs/cpu-shares.ts';
import { type LoadMeasurement, measureLoad } from './measure-load.ts';
import { enter, type Stage, type StageSetting } from './stage.ts';
import { warmUp } from './warm-up.ts';

export type ProcessCount = 'one' | 'two';

export interface ScalingMeasurement extends LoadMeasurement {
  readonly processes: ProcessCount;
}

export interface ScalingOrder {
  readonly contenders: Readonly<Record<ProcessCount, Contender>>;
  readonly tool: LoadTool;
  readonly setting: Pick<StageSetting, 'programs' | 'folder'>;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpRequests: Readonly<Record<AnswerForm, number>>;
  onMeasured(measurement: ScalingMeasurement): void;
}

export interface ScalingResult {
  /** None where this machine does not let processes be held to a share of a core. */
  readonly measurements: readonly ScalingMeasurement[];
  readonly reconciliations: readonly Reconciliation[];
}

/** So that two processes, client, upstream and database find room on two cores. */
export const shareOfCore = 0.2;
/** Before an answer begins. */
export const upstreamDelayMs = 20;
/** Many more than a process serves within its share while its upstream takes its time, also where two share them. */
export const scalingConnections = 128;

export async function measureScaling(order: ScalingOrder): Promise<ScalingResult> {
  const { contenders, tool, setting, warmUpRequests } = order;
  const place = { ...setting, act: 'scaling', chunkDelayMs: 0, headerDelayMs: upstreamDelayMs };
  const stages: [ProcessCount, Stage][] = [];
  for (const processes of ['one', 'two'] as const) {
    stages.push([processes, await enter(contenders[processes], place)]);
  }
  // At full speed, and so many for each process: what is left of the compiler's work would be paid out of its share.
  for (const [processes, { running }] of stages) {
    const requests = warmUpRequests.whole * (processes === 'two' ? 2 : 1);
    const question = addressQuestion(usualQuestion, 'whole', running);
    await warmUp(tool, question, requests, { connections: 2 * scalingConnections, mostSeconds: 90 });
  }
  const releases = stages.map(([, { running }]) => holdToShare(running.servingPids?.() ?? [], shareOfCore));
  const isHeld = releases.every((release) => release !== undefined);
  const measurements = isHeld ? await measureRounds(stages, order) : [];
  const reconciliations: Reconciliation[] = [];
  for (const [, stage] of stages) {
    const reconciliation = await stage.leave();
    if (reconciliation !== null) reconciliations.push(reconciliation);
  }
  for (const release of releases) release?.();
  return { measurements, reconciliations };
}

async function measureRounds(
  stages: readonly (readonly [ProcessCount, Stage])[],
  { tool, rounds, seconds, onMeasured }: ScalingOrder,
): Promise<ScalingMeasurement[]> {
  const measurements: ScalingMeasurement[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // Who begins changes, so that a drift of the machine does not always hit the same one.
    for (const [processes, { running }] of round % 2 === 0 ? stages : stages.toReversed()) {
      const question = addressQuestion(usualQuestion, 'whole', running);
      const load = await measureLoad(tool, running, {
        ...{ round, question, seconds },
        connections: scalingConnections,
      });
      const measurement = { processes, ...load };
      onMeasured(measurement);
      measurements.push(measurement);
    }
  }
  return measurements;
}
