/** One run of all tests: installs, opens the databases, hands both to `bun test` and counts from its JUnit report. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bunEnvironment, install, root } from './install.mjs';
import { onStopSignal, run, signalExitCode } from './run.mjs';
import { TestParts } from './test-parts.mjs';
import { suitesThatNeed } from './test-suites.mjs';

const testTimeoutMs = 30_000;
const foldersWithoutTests = ['bench', 'data', 'tmp'];

/** Runs the tests (all, or those that `args` select for `bun test`) and resolves to `{ line, exitCode }`. */
export async function runTests(args) {
  const bun = await install('full');
  const parts = new TestParts();
  const stopListening = onStopSignal((signal) => {
    void parts.stop().then(() => process.exit(signalExitCode(signal)));
  });
  try {
    const { environment, missing } = await parts.open();
    for (const part of missing) report(part);
    const reportFile = join(parts.folder, 'report.xml');
    const { exitCode, output } = await run(bun, [...bunTestOptions(reportFile), ...args], {
      cwd: root,
      env: { ...bunEnvironment(), ...environment },
      printed: 'both',
    });
    const counts = { ...readCounts(reportFile), missing: inCi() ? missing.length : 0 };
    return summary(counts, exitCode, output);
  } finally {
    stopListening();
    await parts.stop();
  }
}

function bunTestOptions(reportFile) {
  return [
    'test',
    '--no-orphans',
    `--timeout=${testTimeoutMs}`,
    '--reporter=junit',
    `--reporter-outfile=${reportFile}`,
    ...foldersWithoutTests.map((folder) => `--path-ignore-patterns=${folder}/**`),
  ];
}

function report({ title, variable, reason, debianPackage }) {
  const suites = suitesThatNeed(variable, root, ['src', 'test']);
  console.error(`${title} is missing: ${reason}.`);
  console.error(`  Set ${variable} or install it (Debian: ${debianPackage}).`);
  console.error(
    suites.length === 0 ? '  No suite needs it yet.' : `  These suites need it: ${suites.join(', ')}.`,
  );
  console.error(inCi() ? '  With CI=true that is a failure.' : '  What they test against it is skipped.');
}

function inCi() {
  return process.env.CI === 'true' || process.env.CI === '1';
}

function readCounts(reportFile) {
  let header = '';
  try {
    header = readFileSync(reportFile, 'utf8').match(/<testsuites [^>]*>/)?.[0] ?? '';
  } catch (error) {
    // Bun writes no report when it found no test or died.
    if (error.code !== 'ENOENT') throw error;
  }
  const count = (name) => Number(header.match(new RegExp(` ${name}="(\\d+)"`))?.[1] ?? 0);
  const failed = count('failures');
  const skipped = count('skipped');
  return { passed: count('tests') - failed - skipped, failed, skipped };
}

function summary({ passed, failed, skipped, missing }, exitCode, output) {
  const noTestRan = passed + failed === 0;
  if (noTestRan) console.error('No test was executed.');
  const failures = Math.max(failed, failuresBunNames(output), exitCode === 0 && !noTestRan ? 0 : 1) + missing;
  const skips = skipped === 0 ? '' : `, ${skipped} skipped`;
  return {
    line: `${passed} passed, ${failures} failed${skips}`,
    exitCode: failures === 0 ? 0 : exitCode || 1,
  };
}

/** The report leaves out a file that does not even load; the closing lines count it as a failure. */
function failuresBunNames(output) {
  return Number([...output.matchAll(/^ *(\d+) fail$/gm)].at(-1)?.[1] ?? 0);
}
