/** What commands print: JSON for scripts, aligned columns for people. */

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

export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const write = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  printLines([write(header), ...rows.map(write)]);
}
