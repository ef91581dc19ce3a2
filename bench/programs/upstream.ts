/** The upstream double as a program of its own: fixed answers, and its own count of them. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { UpstreamCounts } from '../books/books.ts';
import { answerTokens, promptTokens } from '../load/question.ts';
import { freePort } from './free-port.ts';
import type { Programs } from './programs.ts';

export interface RunningUpstream {
  readonly port: number;
  readCounts(): Promise<UpstreamCounts>;
  stop(): Promise<void>;
}

const script = join(import.meta.dirname, '..', '..', 'test', 'support', 'upstream', 'main.ts');
const countsSchema = z.object({ requests: z.int(), promptTokens: z.int(), completionTokens: z.int() });
const startTimeoutMs = 15_000;
const pollMs = 50;

export interface UpstreamDelays {
  /** Before each chunk of a stream. */
  readonly chunkDelayMs: number;
  /** Before an answer begins; 0 when not given. */
  readonly headerDelayMs?: number;
}

export async function startUpstream(
  programs: Programs,
  { name, chunkDelayMs, headerDelayMs = 0 }: UpstreamDelays & { readonly name: string },
): Promise<RunningUpstream> {
  const port = freePort();
  const options = {
    port,
    tokens: answerTokens,
    'prompt-tokens': promptTokens,
    'chunk-delay-ms': chunkDelayMs,
    'header-delay-ms': headerDelayMs,
  };
  const program = programs.start({
    name: `upstream-of-${name}`,
    command: [
      process.execPath,
      script,
      ...Object.entries(options).flatMap(([option, value]) => [`--${option}`, String(value)]),
    ],
  });
  const readCounts = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/double/counts`);
    return countsSchema.parse(await response.json());
  };
  await untilItCounts(readCounts);
  return { port, readCounts, stop: () => program.stop() };
}

async function untilItCounts(readCounts: () => Promise<UpstreamCounts>): Promise<void> {
  const deadline = performance.now() + startTimeoutMs;
  for (;;) {
    try {
      await readCounts();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await sleep(pollMs);
  }
}
