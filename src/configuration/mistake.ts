/** What is wrong with a configuration, one plain line each, and the error that carries all of it at once. */
import { findClosest } from '../base/closest.ts';

export interface Mistake {
  /** The variable, or the path inside the file such as `models[0].prices.input`. */
  readonly where: string;
  /** In the file, counted from 1; null for variables. */
  readonly position: Position | null;
  /** Never holds the value of a secret. */
  readonly message: string;
}

export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** @returns such as `sluice.yaml:3:15: users[0].role: expected one of …`. */
export function writeMistake({ where, position, message }: Mistake): string {
  const place = position === null ? [] : [`${position.file}:${position.line}:${position.column}`];
  return [...place, ...(where === '' ? [] : [where]), message].join(': ');
}

export class ConfigurationError extends Error {
  readonly mistakes: readonly Mistake[];

  constructor(mistakes: readonly Mistake[]) {
    super(mistakes.map(writeMistake).join('\n'));
    this.name = 'ConfigurationError';
    this.mistakes = mistakes;
  }
}

/** `models[0].prices.input` from its steps. */
export function writePath(steps: readonly PropertyKey[]): string {
  return steps
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`,
    )
    .join('');
}

/** ` (did you mean "x"?)` when a known name is at most a slip or two away, nothing otherwise. */
export function suggest(name: string, known: Iterable<string>): string {
  return writeSuggestion(findClosest(name, known));
}

/** Nothing for nothing. */
export const writeSuggestion = (meant: string | undefined): string =>
  meant === undefined ? '' : ` (did you mean ${JSON.stringify(meant)}?)`;
