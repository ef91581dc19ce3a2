/** wrk: one thread, its numbers taken from a script of ours rather than from its text. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { LoadResult, LoadTool, LoadToolPlace } from './load.ts';
import type { AddressedQuestion } from './question.ts';

const summarySchema = z.object({
  requests: z.int(),
  durationUs: z.number(),
  p50Us: z.number(),
  p99Us: z.number(),
  errors: z.int(),
});

/** Undefined where wrk is not installed. */
export function findWrk({ programs, folder }: LoadToolPlace): LoadTool | undefined {
  const program = Bun.which('wrk');
  if (program === null) return undefined;
  const script = join(folder, 'question.lua');
  return {
    title: readVersion(program),
    run: async ({ question, connections, seconds }) => {
      writeFileSync(script, writeScript(question));
      const amount = ['--threads', '1', '--connections', `${connections}`, '--duration', `${seconds}s`];
      const rest = ['--timeout', '10s', '--script', script, question.url];
      const output = await programs.finish([program, ...amount, ...rest]);
      return readSummary(output);
    },
  };
}

/** wrk tells its version with its help and a failure. */
function readVersion(program: string): string {
  const { stdout } = Bun.spawnSync([program, '--version'], { stdout: 'pipe' });
  return stdout.toString().split(' [')[0]?.trim() ?? 'wrk';
}

function writeScript({ headers, body }: AddressedQuestion): string {
  const headerLines = Object.entries(headers).map(
    ([name, value]) => `wrk.headers[${quote(name)}] = ${quote(value)}`,
  );
  return [
    'wrk.method = "POST"',
    `wrk.body = ${quote(body)}`,
    ...headerLines,
    'done = function(summary, latency)',
    '  local e = summary.errors',
    '  local errors = e.connect + e.read + e.write + e.status + e.timeout',
    '  io.write(string.format(',
    `    '{"requests":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d,"errors":%d}\\n',`,
    '    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors))',
    'end',
    '',
  ].join('\n');
}

/** What we ask and send holds no control characters, and a JSON string without them is a Lua string. */
function quote(text: string): string {
  return JSON.stringify(text);
}

function readSummary(output: string): LoadResult {
  const line = output.trimEnd().split('\n').at(-1) ?? '';
  const { requests, durationUs, p50Us, p99Us, errors } = summarySchema.parse(JSON.parse(line));
  return { requests, seconds: durationUs / 1e6, p50Ms: p50Us / 1000, p99Ms: p99Us / 1000, errors };
}
