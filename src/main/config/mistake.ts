/** What is wrong with a configuration, one plain line each, and the error that carries all of it at once. */

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
  const mostSlips = Math.min(3, Math.ceil(name.length / 3));
  let closest: string | undefined;
  let fewestSlips = mostSlips + 1;
  for (const candidate of known) {
    const slips = countSlips(name.toLowerCase(), candidate.toLowerCase());
    if (slips >= fewestSlips) continue;
    fewestSlips = slips;
    closest = candidate;
  }
  return closest === undefined ? '' : ` (did you mean ${JSON.stringify(closest)}?)`;
}

/** Letters to add, drop or change to make one word of the other (Levenshtein's distance). */
function countSlips(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [rowIndex, letter] of [...from].entries()) {
    const next = [rowIndex + 1];
    for (const [index, other] of [...to].entries()) {
      const changed = (row[index] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
