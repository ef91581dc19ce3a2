/** Starts a contender that is one program and keeps nothing. */
import { CollectorLog } from '../probe/collector-log.ts';
import { Probe } from '../probe/probe.ts';
import { readProcessCost } from '../programs/process-tree.ts';
import type { Programs } from '../programs/programs.ts';
import { originOf, type RunningContender, untilReady } from './contender.ts';

export interface Proxy {
  readonly programs: Programs;
  readonly name: string;
  readonly port: number;
  readonly command: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly healthPath?: string;
  readonly runsOnBun?: boolean;
}

export async function startProxy({
  programs,
  name,
  port,
  command,
  headers,
  healthPath,
  runsOnBun = false,
}: Proxy): Promise<RunningContender> {
  const probe = runsOnBun ? new Probe() : undefined;
  const program = programs.start({ name, command, ...(probe && { environment: probe.environment }) });
  const target = { origin: originOf(port), headers };
  await untilReady(target, program);
  return {
    ...target,
    ...(probe && { inside: { probe, collector: new CollectorLog(program.logFile) } }),
    ...(healthPath !== undefined && { healthPath }),
    pid: program.pid,
    readCost: () => readProcessCost(program.pid, false),
    readDatabaseCost: () => null,
    async stop() {
      await program.stop();
      probe?.remove();
    },
  };
}
