/** What a program and all its children have cost so far, from /proc. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface ProcessCost {
  readonly cpuSeconds: number;
  /** Pages that processes share are counted in each. */
  readonly residentBytes: number;
}

interface Stat {
  readonly parentPid: number;
  readonly ticks: number;
}

/** USER_HZ: the kernel reports in this unit on every Linux platform that Bun runs on. */
export const ticksPerSecond = 100;

/**
 * The process and its descendants; without the process itself when it is only their launcher. The time of children
 * that have ended is in their parent's.
 */
export function readProcessCost(pid: number, isLauncher: boolean): ProcessCost {
  const stats = readAllStats();
  const pids = familyOf(pid, stats).filter((member) => !isLauncher || member !== pid);
  const ticks = pids.reduce((sum, member) => sum + (stats.get(member)?.ticks ?? 0), 0);
  return {
    cpuSeconds: ticks / ticksPerSecond,
    residentBytes: pids.reduce((sum, member) => sum + readResidentBytes(member), 0),
  };
}

/** Those of the process and its descendants that have no child. */
export function readLeaves(pid: number): readonly number[] {
  const stats = readAllStats();
  const parents = new Set([...stats.values()].map(({ parentPid }) => parentPid));
  return familyOf(pid, stats).filter((member) => !parents.has(member));
}

/** Of the kernel, so that a process that is started meanwhile is on the core of who starts it. */
export function holdToCore(pids: readonly number[], core: number): void {
  const stats = readAllStats();
  const families = new Set(pids.flatMap((pid) => familyOf(pid, stats)));
  for (const pid of families) {
    const { exitCode, stderr } = Bun.spawnSync(['taskset', '-a', '-c', '-p', String(core), String(pid)]);
    // A process that has ended meanwhile needs no core.
    if (exitCode !== 0 && existsSync(`/proc/${pid}`)) throw new Error(`taskset: ${stderr.toString().trim()}`);
  }
}

function familyOf(pid: number, stats: ReadonlyMap<number, Stat>): number[] {
  const family = new Set([pid]);
  // A set that grows while it is walked is walked to its new end.
  for (const member of family) {
    for (const [candidate, { parentPid }] of stats) if (parentPid === member) family.add(candidate);
  }
  return [...family];
}

function readAllStats(): Map<number, Stat> {
  const stats = new Map<number, Stat>();
  for (const name of readdirSync('/proc')) {
    const text = /^\d+$/.test(name) ? readProcFile(`/proc/${name}/stat`) : '';
    // The command's name, in brackets, may itself hold spaces and brackets.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    if (fields.length < 15) continue;
    const own = Number(fields[11]) + Number(fields[12]);
    const ofEndedChildren = Number(fields[13]) + Number(fields[14]);
    stats.set(Number(name), { parentPid: Number(fields[1]), ticks: own + ofEndedChildren });
  }
  return stats;
}

function readResidentBytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readProcFile(`/proc/${pid}/status`))?.[1];
  return Number(kibibytes ?? 0) * 1024;
}

/** Empty for a process that has just gone. */
function readProcFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
