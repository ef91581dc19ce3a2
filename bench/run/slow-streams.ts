/** The second act: many slow streams at once, one contender after the other, each freshly started. */
import type { Reconciliation } from '../books/reconcile.ts';
import { type Contender, type ContenderName, usualQuestion } from '../contenders/contender.ts';
import type { LoadTool } from '../load/load.ts';
import { addressQuestion } from '../load/question.ts';
import { runSlowStreams, type SlowStreamsResult } from '../load/slow-streams.ts';
import { type HealthSeen, watchHealth } from '../programs/health.ts';
import { costBetween, type MeasuredCost, readCosts } from './cost-between.ts';
import { enter, type Stage, type StageSetting } from './stage.ts';

export interface SlowMeasurement extends MeasuredCost, SlowStreamsResult {
  readonly name: ContenderName;
  readonly mostResidentBytes: number | null;
  /** Null where it cannot be known. */
  readonly longestTurnMs: number | null;
  readonly health: HealthSeen | null;
}

export interface SlowOrder {
  readonly contenders: readonly Contender[];
  readonly setting: Pick<StageSetting, 'programs' | 'folder'>;
  readonly tool: LoadTool;
  readonly streams: number;
  readonly chunkDelayMs: number;
  onMeasured(measurement: SlowMeasurement): void;
}

export interface SlowResult {
  readonly measurements: readonly SlowMeasurement[];
  readonly reconciliations: readonly Reconciliation[];
}

const lookEveryMs = 500;
const warmUpSeconds = 1;

export async function measureSlowStreams(order: SlowOrder): Promise<SlowResult> {
  const { contenders, setting, chunkDelayMs } = order;
  const measurements: SlowMeasurement[] = [];
  const reconciliations: Reconciliation[] = [];
  for (const contender of contenders) {
    const stage = await enter(contender, { ...setting, act: 'slow-streams', chunkDelayMs });
    const question = addressQuestion(usualQuestion, 'whole', stage.running);
    await order.tool.run({ question, connections: 32, seconds: warmUpSeconds });
    const measurement = await measure(stage, order);
    const reconciliation = await stage.leave();
    order.onMeasured(measurement);
    measurements.push(measurement);
    if (reconciliation !== null) reconciliations.push(reconciliation);
  }
  return { measurements, reconciliations };
}

async function measure(stage: Stage, { setting, streams }: SlowOrder): Promise<SlowMeasurement> {
  const { contender, running } = stage;
  const { inside, healthPath, origin } = running;
  const address = healthPath === undefined ? undefined : origin + healthPath;
  const watch =
    address === undefined ? null : watchHealth(setting.programs, { name: contender.name, address });
  const run = () => measureStreams(stage, streams);
  const { result, longestTurnMs } =
    inside === undefined ? { result: await run(), longestTurnMs: null } : await inside.probe.watchTurns(run);
  const health = (await watch?.stop()) ?? null;
  return { ...result, longestTurnMs, health };
}

type StreamsMeasurement = Omit<SlowMeasurement, 'longestTurnMs' | 'health'>;

async function measureStreams({ contender, running }: Stage, streams: number): Promise<StreamsMeasurement> {
  const question = addressQuestion(usualQuestion, 'streamed', running);
  const before = readCosts(running);
  let mostResidentBytes = before.own?.residentBytes ?? null;
  const look = () => {
    const now = running.readCost();
    if (now !== null) mostResidentBytes = Math.max(mostResidentBytes ?? 0, now.residentBytes);
  };
  const looking = setInterval(look, lookEveryMs);
  try {
    const result = await runSlowStreams({ question, streams });
    look();
    const cost = costBetween(before, readCosts(running), streams);
    return { name: contender.name, mostResidentBytes, ...result, ...cost };
  } finally {
    clearInterval(looking);
  }
}
