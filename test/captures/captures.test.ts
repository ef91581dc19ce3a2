/** All recordings through all conversions; `npm run test:captures` writes the report of the same comparisons. */
import { describe, expect, test } from 'bun:test';
import { hasRecordings } from '../../src/protocols/testing/recordings.ts';
import { compareAnswers } from './compare-answers.ts';
import { compareRequests } from './compare-requests.ts';
import type { Finding } from './finding.ts';

/** Thousands of comparisons through official clients. */
const timeoutMs = 180_000;

const failuresOf = (findings: readonly Finding[]) => findings.filter(({ outcome }) => outcome === 'failure');

describe.skipIf(!hasRecordings)('recordings (not here when this is skipped)', () => {
  test(
    'requests keep their meaning in every protocol, but for declared losses',
    () => {
      const findings = compareRequests();
      expect(failuresOf(findings)).toEqual([]);
      expect(findings.length).toBeGreaterThan(500);
    },
    timeoutMs,
  );

  test(
    'answers and streams say the same to every official client',
    async () => {
      const findings = await compareAnswers();
      expect(failuresOf(findings)).toEqual([]);
      expect(findings.length).toBeGreaterThan(400);
    },
    timeoutMs,
  );
});
