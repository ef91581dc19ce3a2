/** What commands print: JSON for scripts, aligned columns for people. */

import { readNanoUsd, writeDollars } from '../../base/money.ts';

export interface OutputOptions {
  readonly json?: true;
}

/** bigint amounts become text, so that no reader rounds them. */
export function printJson(value: unknown): void {
  const text = JSON.stringify(
    value,
    (_name, member) => (typeof member === 'bigint' ? member.toString() : member),
    2,
  );
  process.stdout.write(`${text}\n`);
}

export function printLines(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

/** Beside what a command prints, which another program may read. */
export function warnOnError(message: string): void {
  process.stderr.write(`sluice: ${message}\n`);
}

export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const shown = rows.map((row) => row.map(withoutControls));
  const widths = header.map((title, column) =>
    shown.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), title.length),
  );
  const write = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  printLines([write(header), ...shown.map(write)]);
}

/** What clients and other servers chose moves no cursor of a terminal, and begins no line that looks like one of ours. */
export const withoutControls = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '\uFFFD');

/** An amount of a command's result as people read it: `$5.00`, `-$2.50`. */
export const dollars = (usd: string): string => writeDollars(readNanoUsd(usd));

/** That what was asked for with a reference had been done before; the ledger refuses another amount by the same one. */
export const bookedBefore = (
  verb: 'credited' | 'booked' | 'granted',
  asked: { readonly usd: string; readonly reference: string },
  owner: string,
): string => {
  const place = verb === 'booked' ? 'at' : 'to';
  return `${asked.reference}, ${dollars(asked.usd)}, was ${verb} ${place} ${owner} before; nothing was changed.`;
};
