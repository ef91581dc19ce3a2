/** What the command line asks for. */
import { parseArgs } from 'node:util';
import { type ContenderName, contenderNames } from '../contenders/contender.ts';
import type { AnswerForm } from '../load/question.ts';

export interface BenchOptions {
  readonly rounds: number;
  /** Of load, for each measurement. */
  readonly seconds: number;
  readonly warmUpRequests: Readonly<Record<AnswerForm, number>>;
  readonly only: readonly ContenderName[];
  /** Undefined: to the terminal alone, because a part of the whole is no result to keep. */
  readonly outputFile: string | undefined;
  readonly slowStreams: number;
  readonly slowChunkDelayMs: number;
}

export class UsageError extends Error {}

/** @throws UsageError with a line for the person at the terminal. */
export function readOptions(args: readonly string[], usualOutputFile: string): BenchOptions {
  const { quick, rounds, only, output } = parse(args);
  const isPart = quick || only !== undefined;
  return {
    rounds: rounds === undefined ? (quick ? 1 : 3) : readCount('--rounds', rounds),
    seconds: quick ? 1 : 2,
    warmUpRequests: quick ? { whole: 500, streamed: 50 } : { whole: 8000, streamed: 800 },
    only: only === undefined ? contenderNames : only.split(',').map(readName),
    outputFile: output ?? (isPart ? undefined : usualOutputFile),
    slowStreams: quick ? 200 : 2000,
    slowChunkDelayMs: quick ? 20 : 100,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        rounds: { type: 'string' },
        only: { type: 'string' },
        output: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function readCount(option: string, text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new UsageError(`${option} takes a whole number from 1, not "${text}"`);
}

function readName(text: string): ContenderName {
  const name = contenderNames.find((known) => known === text.trim());
  if (name !== undefined) return name;
  throw new UsageError(`--only takes some of ${contenderNames.join(', ')}, not "${text}"`);
}
