/** `npm run test:captures`: compares every recording with its conversions and writes the report. */
import { hasRecordings } from '../../src/protocols/testing/recordings.ts';
import { comparisons } from './comparisons.ts';
import type { Finding } from './finding.ts';
import { writeReport } from './report.ts';

process.exitCode = await main();

async function main(): Promise<number> {
  if (!hasRecordings) {
    process.stderr.write(
      'There are no recordings here: name their folder, with `parallel` and `answers` in it, in SLUICE_CAPTURES.\n',
    );
    return 2;
  }
  const findings: Finding[] = [];
  const missing: string[] = [];
  for (const { title, least, compare } of comparisons) {
    const found = await compare();
    findings.push(...found);
    if (found.length < least) missing.push(`"${title}": ${found.length} compared, where ${least} must be.\n`);
  }
  process.stdout.write(`${writeReport(findings)}\n`);
  process.stderr.write(missing.join(''));
  return missing.length > 0 || findings.some(({ outcome }) => outcome === 'failure') ? 1 : 0;
}
