/** The findings as a page: a table of all pairs, then what was lost and what failed. */
import { type Finding, kinds } from './finding.ts';

export function writeReport(findings: readonly Finding[]): string {
  const failures = findings.filter(({ outcome }) => outcome === 'failure');
  const losses = findings.filter(({ outcome }) => outcome === 'loss');
  return [
    writeTable(findings),
    `\nDeclared losses: ${losses.length}`,
    ...tally(
      losses.flatMap(({ kind, from, to, details }) =>
        details.map((one) => `${kind} ${from} → ${to}: ${one}`),
      ),
    ),
    `\nFailures: ${failures.length}`,
    ...failures.map(
      ({ kind, name, file, from, to, details }) =>
        `  ${kind} ${from} → ${to}, ${name} ${file}\n    ${details.join('\n    ')}`,
    ),
  ].join('\n');
}

function writeTable(findings: readonly Finding[]): string {
  const rows = new Map<string, Record<Finding['outcome'], number>>();
  for (const kind of kinds) {
    for (const { from, to, outcome } of findings.filter((one) => one.kind === kind)) {
      const pair = `${kind.padEnd(8)} ${from.padEnd(16)} → ${to.padEnd(16)}`;
      const row = rows.get(pair) ?? { match: 0, loss: 0, failure: 0 };
      row[outcome] += 1;
      rows.set(pair, row);
    }
  }
  const lines = [...rows].map(
    ([pair, { match, loss, failure }]) =>
      `${pair} ${String(match).padStart(7)} ${String(loss).padStart(7)} ${String(failure).padStart(8)}`,
  );
  return [`${''.padEnd(43)} matches  losses failures`, ...lines].join('\n');
}

function tally(lines: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].map(([line, times]) => `  ${times} × ${line}`);
}
