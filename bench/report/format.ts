/** Numbers, tables and lists as Markdown. */
import type { Spread } from './statistics.ts';

const absent = '–';

/** Three figures are more than a shared machine deserves. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined) return absent;
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString('en');
  return size >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function withSpread(spread: Spread | undefined): string {
  if (spread === undefined) return absent;
  const { median, least, most } = spread;
  return `${figure(median)} (${figure(least)}–${figure(most)})`;
}

export function mebibytes(bytes: number | null | undefined): string {
  return bytes === null || bytes === undefined ? absent : figure(bytes / 1024 / 1024);
}

/** The first column is words; the others are numbers. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = head.map((_title, column) => (column === 0 ? '---' : '---:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}
