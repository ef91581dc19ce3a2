/** One measurement: load from the tool, and what it cost who was asked. */
import type { RunningContender } from '../contenders/contender.ts';
import type { LoadOrder, LoadResult, LoadTool } from '../load/load.ts';
import { costBetween, type MeasuredCost, readCosts } from './cost-between.ts';

export interface LoadMeasurement extends MeasuredCost, LoadResult {
  readonly round: number;
}

export async function measureLoad(
  tool: LoadTool,
  running: RunningContender,
  { round, ...order }: LoadOrder & { readonly round: number },
): Promise<LoadMeasurement> {
  const before = readCosts(running);
  const load = await tool.run(order);
  return { round, ...load, ...costBetween(before, readCosts(running), load.requests) };
}
