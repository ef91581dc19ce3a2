/** Starts a contender that is one program and keeps nothing. */
import { readProcessCost } from '../programs/process-tree.ts';
import type { Programs } from '../programs/programs.ts';
import { originOf, type RunningContender, untilReady } from './contender.ts';

export interface Proxy {
  readonly programs: Programs;
  readonly name: string;
  readonly port: number;
  readonly command: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

export async function startProxy({
  programs,
  name,
  port,
  command,
  headers,
}: Proxy): Promise<RunningContender> {
  const program = programs.start({ name, command });
  const target = { origin: originOf(port), headers };
  await untilReady(target, program);
  return {
    ...target,
    readCost: () => readProcessCost(program.pid, false),
    readDatabaseCost: () => null,
    stop: () => program.stop(),
  };
}
