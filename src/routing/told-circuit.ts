/** A circuit as processes write it for each other. What cannot be read is nobody's: another version may have written it. */
import { z } from 'zod';
import { type ErrorCode, errorKinds } from '../base/errors.ts';
import type { CircuitState } from './circuit.ts';

export interface ToldCircuit {
  /** The process; empty where it is read from what was kept. */
  readonly from: string;
  readonly name: string;
  /** 0 for one that is closed. */
  readonly remainingMs: number;
  readonly state: Omit<CircuitState, 'openUntilMs'>;
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorKinds, code);

const stateShape = z.object({
  name: z.string().min(1).max(1000),
  blamed: z.enum(['provider', 'deployment', 'credential', 'account']),
  openings: z.number().int().min(0),
  isTold: z.boolean(),
  isSilent: z.boolean(),
  errorCode: z
    .string()
    .nullable()
    .transform((code) => (code !== null && isErrorCode(code) ? code : null)),
});

/** @returns its name, how long it is open still, and the rest; nothing for one whose time is over. */
export function writeTold(
  name: string,
  { openUntilMs, ...state }: CircuitState,
  nowMs: number,
): readonly string[] {
  const remainingMs = openUntilMs === 0 ? 0 : Math.ceil(openUntilMs - nowMs);
  if (openUntilMs > 0 && remainingMs <= 0) return [];
  return [name, String(remainingMs), JSON.stringify({ name, ...state })];
}

/** As it is published: process, remaining time, the rest. */
export function readTold(message: string): ToldCircuit | null {
  const space = message.indexOf(' ');
  return space < 0 ? null : readRest(message.slice(space + 1), message.slice(0, space));
}

/** As it is kept: each without the process. */
export function readReport(reply: unknown): readonly ToldCircuit[] {
  if (!Array.isArray(reply)) return [];
  return reply.flatMap((each) => (typeof each === 'string' ? (readRest(each, '') ?? []) : []));
}

function readRest(text: string, from: string): ToldCircuit | null {
  const space = text.indexOf(' ');
  const remainingMs = Number(text.slice(0, Math.max(0, space)));
  if (space <= 0 || !Number.isSafeInteger(remainingMs) || remainingMs < 0) return null;
  try {
    const { name, ...state } = stateShape.parse(JSON.parse(text.slice(space + 1)));
    return { from, name, remainingMs, state };
  } catch {
    return null;
  }
}
