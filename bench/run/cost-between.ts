/** What a contender spent between two looks at its processes. */
import type { RunningContender } from '../contenders/contender.ts';
import type { ProcessCost } from '../programs/process-tree.ts';

export interface MeasuredCost {
  /** Null where there is no process to look at, or no request to share the cost. */
  readonly cpuUsPerRequest: number | null;
  readonly databaseCpuUsPerRequest: number | null;
  readonly residentBytes: number | null;
}

export interface Costs {
  readonly own: ProcessCost | null;
  readonly database: ProcessCost | null;
}

export function readCosts(running: RunningContender): Costs {
  return { own: running.readCost(), database: running.readDatabaseCost() };
}

export function costBetween(before: Costs, after: Costs, requests: number): MeasuredCost {
  return {
    cpuUsPerRequest: perRequest(before.own, after.own, requests),
    databaseCpuUsPerRequest: perRequest(before.database, after.database, requests),
    residentBytes: after.own?.residentBytes ?? null,
  };
}

function perRequest(before: ProcessCost | null, after: ProcessCost | null, requests: number): number | null {
  if (before === null || after === null || requests === 0) return null;
  return ((after.cpuSeconds - before.cpuSeconds) * 1e6) / requests;
}
