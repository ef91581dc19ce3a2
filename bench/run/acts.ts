/** The acts of a run, one after the other, and who takes part in them. */
import type { Reconciliation } from '../books/reconcile.ts';
import { type Contender, isSluice } from '../contenders/contender.ts';
import type { LoadTool } from '../load/load.ts';
import { type ConversionMeasurement, measureConversions } from './conversions.ts';
import type { InsideMeasurement } from './inside.ts';
import type { Act, BenchOptions } from './options.ts';
import { measureScaling, type ScalingMeasurement, type ScalingResult } from './scaling.ts';
import { measureSlowStreams, type SlowMeasurement } from './slow-streams.ts';
import type { StageSetting } from './stage.ts';
import { type Measurement, measureThroughput } from './throughput.ts';

export interface ActsOrder {
  readonly contenders: readonly Contender[];
  readonly tool: LoadTool;
  readonly setting: Pick<StageSetting, 'programs' | 'folder'>;
  readonly options: BenchOptions;
  onMeasured(measurement: Measurement): void;
  onSlowMeasured(measurement: SlowMeasurement): void;
  onConversionMeasured(measurement: ConversionMeasurement): void;
  onScalingMeasured(measurement: ScalingMeasurement): void;
}

/** Without measurements for an act that was not asked for. */
export interface ActsResult {
  readonly throughput: readonly Measurement[];
  readonly inside: readonly InsideMeasurement[];
  readonly slow: readonly SlowMeasurement[];
  readonly conversions: readonly ConversionMeasurement[];
  readonly scaling: readonly ScalingMeasurement[];
  readonly reconciliations: readonly Reconciliation[];
}

/** Those of the contenders that the acts need. */
export function whoTakesPart(contenders: readonly Contender[], acts: readonly Act[]): readonly Contender[] {
  if (acts.some((act) => act === 'throughput' || act === 'slow')) return contenders;
  const converts = acts.includes('conversions') ? whoConverts(contenders) : undefined;
  const scales = acts.includes('scaling') ? ['sluice-postgres', 'sluice-workers'] : [];
  return contenders.filter((each) => each === converts || scales.includes(each.name));
}

export async function runActs(order: ActsOrder): Promise<ActsResult> {
  const { acts } = order.options;
  const throughput = acts.includes('throughput') ? await runThroughput(order) : { ...nothing, inside: [] };
  const slow = acts.includes('slow') ? await runSlow(order) : nothing;
  const conversions = acts.includes('conversions') ? await runConversions(order) : nothing;
  const scaling = acts.includes('scaling') ? await runScaling(order) : nothing;
  return {
    throughput: throughput.measurements,
    inside: throughput.inside,
    slow: slow.measurements,
    conversions: conversions.measurements,
    scaling: scaling.measurements,
    reconciliations: [throughput, slow, conversions, scaling].flatMap((act) => act.reconciliations),
  };
}

const nothing = { measurements: [], reconciliations: [] };

/** Both on PostgreSQL, which several processes can share. */
async function runScaling(order: ActsOrder): Promise<ScalingResult> {
  const { contenders, tool, setting, options, onScalingMeasured: onMeasured } = order;
  const one = contenders.find(({ name }) => name === 'sluice-postgres');
  const two = contenders.find(({ name }) => name === 'sluice-workers');
  if (one === undefined || two === undefined) return nothing;
  const { rounds, seconds, warmUpRequests } = options;
  return measureScaling({
    contenders: { one, two },
    tool,
    setting,
    rounds,
    seconds,
    warmUpRequests,
    onMeasured,
  });
}

function runThroughput({ contenders, tool, setting, options, onMeasured }: ActsOrder) {
  const { rounds, seconds, warmUpRequests, hasOwnCore } = options;
  return measureThroughput({
    contenders,
    tool,
    setting,
    rounds,
    seconds,
    warmUpRequests,
    hasOwnCore,
    onMeasured,
  });
}

function runSlow({ contenders, tool, setting, options, onSlowMeasured }: ActsOrder) {
  const { slowStreams: streams, slowChunkDelayMs: chunkDelayMs } = options;
  // Streams that mostly wait need no second process.
  const alone = contenders.filter(({ name }) => name !== 'sluice-workers');
  return measureSlowStreams({
    contenders: alone,
    tool,
    setting,
    streams,
    chunkDelayMs,
    onMeasured: onSlowMeasured,
  });
}

async function runConversions({ contenders, tool, setting, options, onConversionMeasured }: ActsOrder) {
  const sluice = whoConverts(contenders);
  if (sluice === undefined) return nothing;
  const { rounds, seconds, warmUpRequests } = options;
  const onMeasured = onConversionMeasured;
  return measureConversions({ sluice, tool, setting, rounds, seconds, warmUpRequests, onMeasured });
}

/** Rather the one whose database is no part of its CPU. */
function whoConverts(contenders: readonly Contender[]): Contender | undefined {
  const sluices = contenders.filter(({ name }) => isSluice(name));
  return sluices.find(({ name }) => name === 'sluice-postgres') ?? sluices[0];
}
