/** The machine, and how much else it had to do meanwhile. */
import { readFileSync } from 'node:fs';
import { arch, cpus, loadavg, release, totalmem, type } from 'node:os';
import { readProcessCost, ticksPerSecond } from '../programs/process-tree.ts';

export interface MachineWatch {
  /** Lines for the results. */
  describe(): readonly string[];
}

/** In ticks, of all cores. */
interface Times {
  readonly all: number;
  /** Of the bench and all it started, its database server included. */
  readonly ours: number;
  readonly idle: number;
  readonly stolen: number;
}

/** Begins to watch; `describe` tells about the time since then. */
export function watchMachine(): MachineWatch {
  const before = readTimes();
  const loadBefore = loadavg()[0] ?? 0;
  return {
    describe() {
      const after = readTimes();
      const all = Math.max(1, after.all - before.all);
      const stolen = after.stolen - before.stolen;
      const others = Math.max(0, all - stolen - (after.idle - before.idle) - (after.ours - before.ours));
      const { length } = cpus();
      return [
        `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${length} cores (${arch()})`,
        `${(totalmem() / 1024 ** 3).toFixed(1)} GiB of memory, ${type()} ${release()}`,
        `load average before the run ${loadBefore.toFixed(2)}; of the processor time during the run ${percent(others / all)} went to other programs of this machine and ${percent(stolen / all)} to other guests of its host`,
      ];
    },
  };
}

function readTimes(): Times {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
  const [_user, _nice, _system, idle = 0, waiting = 0, _interrupts, _softInterrupts, stolen = 0] = ticks;
  return {
    all: ticks.reduce((sum, count) => sum + count, 0),
    // The command that started us also started the database server.
    ours: readProcessCost(process.ppid, false).cpuSeconds * ticksPerSecond,
    idle: idle + waiting,
    stolen,
  };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
