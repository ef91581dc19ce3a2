/** Load from a tool of this machine: as many requests as fit into some seconds. */
import type { Programs } from '../programs/programs.ts';
import type { AddressedQuestion } from './question.ts';

export interface LoadOrder {
  readonly question: AddressedQuestion;
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Refused or broken connections, timeouts and answers that are not 2xx or 3xx. */
  readonly errors: number;
}

export interface LoadTool {
  /** With its version, and what to know of its numbers. */
  readonly title: string;
  run(order: LoadOrder): Promise<LoadResult>;
}

export interface LoadToolPlace {
  readonly programs: Programs;
  /** For scripts; it exists. */
  readonly folder: string;
}
