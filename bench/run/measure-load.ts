/** One measurement: load from the tool, and what it cost who was asked. */
import type { RunningContender } from '../contenders/contender.ts';
import type { LoadOrder, LoadResult, LoadTool } from '../load/load.ts';
import { costBetween, type MeasuredCost, readCosts } from './cost-between.ts';

export interface LoadMeasurement extends MeasuredCost, LoadResult {
  readonly round: number;
  /** How long the collector stopped the program, shared by the requests; null where it cannot be known. */
  readonly pauseUsPerRequest: number | null;
  readonly longestPauseMs: number | null;
}

export async function measureLoad(
  tool: LoadTool,
  running: RunningContender,
  { round, ...order }: LoadOrder & { readonly round: number },
): Promise<LoadMeasurement> {
  const collector = running.inside?.collector;
  const logFrom = collector?.end ?? 0;
  const before = readCosts(running);
  const load = await tool.run(order);
  const cost = costBetween(before, readCosts(running), load.requests);
  const pauses = collector?.readPauses(logFrom);
  return {
    round,
    ...load,
    ...cost,
    pauseUsPerRequest:
      pauses === undefined || load.requests === 0 ? null : (pauses.totalMs * 1000) / load.requests,
    longestPauseMs: pauses?.longestMs ?? null,
  };
}
