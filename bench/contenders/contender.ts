/** What can be measured: something that stands between a client and the upstream. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Books } from '../books/books.ts';
import { ask } from '../load/ask.ts';
import { chatQuestion } from '../load/chat-question.ts';
import { benchModels, type Target } from '../load/question.ts';
import type { CollectorLog } from '../probe/collector-log.ts';
import type { Probe } from '../probe/probe.ts';
import type { ProcessCost } from '../programs/process-tree.ts';
import type { Program, Programs } from '../programs/programs.ts';

export const contenderNames = [
  'direct',
  'bare',
  'nginx',
  'portkey',
  'sluice-before',
  'sluice',
  'sluice-postgres-before',
  'sluice-postgres',
  'sluice-workers',
] as const;
export type ContenderName = (typeof contenderNames)[number];

/** The Sluice that a `…-before` one is held against. */
export function nowOf(name: ContenderName): ContenderName | undefined {
  if (name === 'sluice-before') return 'sluice';
  return name === 'sluice-postgres-before' ? 'sluice-postgres' : undefined;
}

export function isSluice(name: ContenderName): boolean {
  return name.startsWith('sluice');
}

export interface StartContext {
  readonly programs: Programs;
  /** For what the contender keeps on disk; it exists and is empty. */
  readonly folder: string;
  readonly upstreamPort: number;
}

export interface Contender {
  readonly name: ContenderName;
  /** With its version. */
  readonly title: string;
  start(context: StartContext): Promise<RunningContender>;
}

export interface RunningContender extends Target {
  /** Null where there is no process between client and upstream. */
  readCost(): ProcessCost | null;
  /** Who launched it and what it runs as; undefined where there is no process between client and upstream. */
  readonly pid?: number;
  /** Those that answer requests, without who only starts them. */
  servingPids?(): readonly number[];
  /** Only those that run on Bun can be looked into. */
  readonly inside?: { readonly probe: Probe; readonly collector: CollectorLog };
  /** Answers without an upstream; undefined where nothing does. */
  readonly healthPath?: string;
  /** Of a database outside the contender's own process. */
  readDatabaseCost(): ProcessCost | null;
  stop(): Promise<void>;
  /** After the stop: what it booked, or null for an earlier one whose books cannot be read. Only those that keep books. */
  readBooks?(): Promise<Books | null>;
}

export const plainHeaders = { 'content-type': 'application/json', authorization: 'Bearer bench' };

/** Every contender can be asked this one. */
export const usualQuestion = chatQuestion(benchModels.chat);

const startTimeoutMs = 60_000;
const pollMs = 100;

export function originOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/** Waits until the contender gives the right answers. @throws Error with the reason when it never does. */
export async function untilReady(target: Target, program: Program): Promise<void> {
  const deadline = performance.now() + startTimeoutMs;
  for (;;) {
    try {
      await ask(target, usualQuestion);
      return;
    } catch (error) {
      if (program.hasEnded || performance.now() > deadline) {
        const log = await Bun.file(program.logFile).text();
        throw new Error(`${String(error)}\n${log.slice(-2000)}`);
      }
    }
    await sleep(pollMs);
  }
}
