/** All recordings through all conversions; `npm run test:captures` writes the report of the same comparisons. */
import { describe, expect, test } from 'bun:test';
import { hasRecordings } from '../../src/protocols/testing/recordings.ts';
import { comparisons } from './comparisons.ts';

/** Thousands of comparisons through official clients. */
const timeoutMs = 600_000;

describe.skipIf(!hasRecordings)('recordings (not here when this is skipped)', () => {
  for (const { title, least, compare } of comparisons) {
    test(
      title,
      async () => {
        const findings = await compare();
        expect(findings.filter(({ outcome }) => outcome === 'failure')).toEqual([]);
        expect(findings.length).toBeGreaterThanOrEqual(least);
      },
      timeoutMs,
    );
  }
});
