/** `npm run test:captures`: compares every recording with its conversions and writes the report. */
import { hasRecordings } from '../../src/protocols/testing/recordings.ts';
import { compareAnswers } from './compare-answers.ts';
import { compareHosts } from './compare-hosts.ts';
import { compareRequests } from './compare-requests.ts';
import { writeReport } from './report.ts';

process.exitCode = await main();

async function main(): Promise<number> {
  if (!hasRecordings) {
    process.stderr.write('There are no recordings here: name their folder in SLUICE_CAPTURES.\n');
    return 2;
  }
  const findings = [...compareRequests(), ...(await compareAnswers()), ...(await compareHosts())];
  process.stdout.write(`${writeReport(findings)}\n`);
  return findings.some(({ outcome }) => outcome === 'failure') ? 1 : 0;
}
