/** Watches how long a contender takes to say that it is well. */
import { join } from 'node:path';
import { z } from 'zod';
import type { Programs } from './programs.ts';

export interface HealthSeen {
  /** Ascending. */
  readonly latenciesMs: readonly number[];
  readonly failures: number;
}

const script = join(import.meta.dirname, '..', 'load', 'health-watch.ts');
const seenSchema = z.object({ latenciesMs: z.array(z.number()), failures: z.int() });

export function watchHealth(
  programs: Programs,
  { name, address }: { name: string; address: string },
): { stop(): Promise<HealthSeen> } {
  const command = [process.execPath, script, address];
  const program = programs.start({ name: `health-of-${name}`, command });
  return {
    async stop() {
      await program.stop();
      const seen = seenSchema.parse(JSON.parse(await Bun.file(program.logFile).text()));
      return { ...seen, latenciesMs: seen.latenciesMs.sort((one, other) => one - other) };
    },
  };
}
