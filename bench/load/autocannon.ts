/** autocannon, from the packages in bench/packages, where there is no wrk. It costs more CPU and rounds latency to milliseconds. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readPackageVersion } from '../contenders/package-version.ts';
import type { LoadTool, LoadToolPlace } from './load.ts';

const packageFolder = join(import.meta.dirname, '..', 'packages', 'node_modules', 'autocannon');

const reportSchema = z.object({
  requests: z.object({ total: z.int() }),
  duration: z.number(),
  latency: z.object({ p50: z.number(), p99: z.number() }),
  errors: z.int(),
  non2xx: z.int(),
});

/** Undefined where it is not installed. */
export function findAutocannon({ programs }: Pick<LoadToolPlace, 'programs'>): LoadTool | undefined {
  const script = join(packageFolder, 'autocannon.js');
  const node = Bun.which('node');
  if (node === null || !existsSync(script)) return undefined;
  return {
    title: `autocannon ${readPackageVersion(packageFolder)} (latencies in whole milliseconds)`,
    run: async ({ question: { url, headers, body }, connections, seconds }) => {
      const output = await programs.finish([
        ...[node, script, '--json', '--no-progress', '--method', 'POST', '--body', body],
        ...['--connections', `${connections}`, '--duration', `${seconds}`],
        ...Object.entries(headers).flatMap(([name, value]) => ['--headers', `${name}=${value}`]),
        url,
      ]);
      const report = reportSchema.parse(JSON.parse(output));
      return {
        requests: report.requests.total,
        seconds: report.duration,
        p50Ms: report.latency.p50,
        p99Ms: report.latency.p99,
        errors: report.errors + report.non2xx,
      };
    },
  };
}
