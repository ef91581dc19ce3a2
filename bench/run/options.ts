/** What the command line asks for. */
import { parseArgs } from 'node:util';
import { type ContenderName, contenderNames, isSluice } from '../contenders/contender.ts';
import type { AnswerForm } from '../load/question.ts';

export const acts = ['throughput', 'slow', 'conversions', 'scaling'] as const;
export type Act = (typeof acts)[number];

export interface BenchOptions {
  readonly acts: readonly Act[];
  readonly rounds: number;
  /** Of load, for each measurement. */
  readonly seconds: number;
  /**
   * Fewer, and the compiler's own work is measured as cost: of the 400,000 whole answers behind the first 60,000, its
   * threads still spent 7 µs on each, as large functions are compiled last.
   */
  readonly warmUpRequests: Readonly<Record<AnswerForm, number>>;
  readonly only: readonly ContenderName[];
  /** A folder with another checkout of Sluice, measured in the same run. */
  readonly before: string | undefined;
  /** Each contender of the throughput act on a core of its own, everything else on another. */
  readonly hasOwnCore: boolean;
  /** Undefined: to the terminal alone, because a part of the whole is no result to keep. */
  readonly outputFile: string | undefined;
  /** With the delay, some 20,000 chunks a second. */
  readonly slowStreams: number;
  readonly slowChunkDelayMs: number;
}

export class UsageError extends Error {}

/** @throws UsageError with a line for the person at the terminal. */
export function readOptions(args: readonly string[], usualOutputFile: string): BenchOptions {
  const { quick, rounds, act, only, output, before, 'warm-up': warmUp, 'own-core': hasOwnCore } = parse(args);
  const wantedActs = act === undefined ? acts : readNames('--act', act, acts);
  const isPart = quick || warmUp !== undefined || hasOwnCore || act !== undefined || only !== undefined;
  return {
    acts: wantedActs,
    rounds: rounds === undefined ? (quick ? 1 : 3) : readCount('--rounds', rounds),
    seconds: quick ? 1 : 2,
    warmUpRequests: warmUpOf(warmUp === undefined ? (quick ? 500 : 150_000) : readCount('--warm-up', warmUp)),
    only: only === undefined ? contendersOf(wantedActs) : readNames('--only', only, contenderNames),
    before,
    hasOwnCore,
    outputFile: output ?? (isPart ? undefined : usualOutputFile),
    slowStreams: quick ? 200 : 2000,
    slowChunkDelayMs: quick ? 10 : 100,
  };
}

/** A stream runs through as much code a hundred times as a whole answer does once, and through less of it. */
function warmUpOf(whole: number): Readonly<Record<AnswerForm, number>> {
  return { whole, streamed: Math.ceil(whole / 16) };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        rounds: { type: 'string' },
        act: { type: 'string' },
        only: { type: 'string' },
        output: { type: 'string' },
        before: { type: 'string' },
        'own-core': { type: 'boolean', default: false },
        'warm-up': { type: 'string' },
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

/** Each once, in the order of those that are known. */
function readNames<Name extends string>(option: string, text: string, known: readonly Name[]): Name[] {
  const parts = text.split(',').map((part) => part.trim());
  const stranger = parts.find((part) => !known.some((name) => name === part));
  if (stranger === undefined) return known.filter((name) => parts.includes(name));
  throw new UsageError(`${option} takes some of ${known.join(', ')}, not "${stranger}"`);
}

function contendersOf(wantedActs: readonly Act[]): readonly ContenderName[] {
  const areSluices = wantedActs.every((act) => act === 'conversions' || act === 'scaling');
  return areSluices ? contenderNames.filter(isSluice) : contenderNames;
}
