/**
 * Holds processes to a share of a core each, by the kernel's control groups: so one machine can tell what a second
 * process adds, although client, upstream and database take what is left of its cores.
 */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Short, so that a process that has used up its share does not rest for long. */
const periodUs = 10_000;

/** Where a group is made, and what is written into it; of both versions that are in use. */
const hierarchies = [
  {
    folder: '/sys/fs/cgroup/cpu',
    files: (quotaUs: number) => ({ 'cpu.cfs_period_us': `${periodUs}`, 'cpu.cfs_quota_us': `${quotaUs}` }),
  },
  { folder: '/sys/fs/cgroup', files: (quotaUs: number) => ({ 'cpu.max': `${quotaUs} ${periodUs}` }) },
];

/**
 * @param share of one core, for each of the processes by itself.
 * @returns what takes the groups away once the processes have ended; undefined where the kernel or the lack of rights
 *   does not let groups be made.
 */
export function holdToShare(pids: readonly number[], share: number): (() => void) | undefined {
  const hierarchy = hierarchies.find(({ folder }) => existsSync(join(folder, 'cgroup.procs')));
  if (hierarchy === undefined || pids.length === 0) return undefined;
  const held = new Map<number, string>();
  const remove = () => {
    for (const group of held.values()) rmdirSync(group);
  };
  try {
    for (const pid of pids) {
      const group = join(hierarchy.folder, `sluice-bench-${pid}`);
      mkdirSync(group);
      held.set(pid, group);
      for (const [name, text] of Object.entries(hierarchy.files(periodUs * share))) {
        writeFileSync(join(group, name), text);
      }
      writeFileSync(join(group, 'cgroup.procs'), String(pid));
    }
  } catch {
    // Nobody stays held to a share that was not given to all.
    for (const pid of held.keys()) writeFileSync(join(hierarchy.folder, 'cgroup.procs'), String(pid));
    remove();
    return undefined;
  }
  return remove;
}
