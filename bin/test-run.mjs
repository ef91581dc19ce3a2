/** One run of all tests: installs, opens what they need, hands all to the workers of `bun test` and counts from its JUnit report. */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { bunEnvironment, install, root } from './install.mjs';
import { onStopSignal, run, signalExitCode } from './run.mjs';
import { TestParts } from './test-parts.mjs';
import { suitesThatNeed } from './test-suites.mjs';

/** Of a test or a hook, on a machine that has much else to do. */
const testTimeoutMs = 60_000;
const foldersWithoutTests = ['bench', 'data', 'tmp'];
const slowestShown = 10;
const suitesShown = 12;

/** How long each file took the last time, so that the longest begin first; until there was one, what the repository says. */
const timings = join(root, 'node_modules', '.cache', 'sluice-test-timings.json');
const firstTimings = join(root, 'test', 'timings.json');

/** Runs the tests (all, or those that `args` select for `bun test`) and resolves to `{ line, exitCode }`. */
export async function runTests(args) {
  const bun = await install('full');
  const parts = new TestParts({ inMemory: true });
  const stopListening = onStopSignal((signal) => {
    void parts.stop().then(() => process.exit(signalExitCode(signal)));
  });
  try {
    const { environment, missing } = await parts.open(selectedBy(args));
    for (const part of missing) report(part);
    if (suitesThatNeed('prepareEmbedded', root, ['src', 'test']).some(selectedBy(args))) {
      // What keeps it from being made, the tests that need it say themselves.
      await run(bun, ['test/support/embedded-template/main.ts'], {
        cwd: root,
        env: bunEnvironment(),
        printed: 'kept',
      });
    }
    const reportFile = join(parts.folder, 'report.xml');
    const { exitCode, output } = await run(bun, [...bunTestOptions(args, reportFile), ...args], {
      cwd: root,
      env: { ...bunEnvironment(), ...environment, TMPDIR: parts.temporaryFolder },
      printed: 'both',
    });
    const junit = readReport(reportFile);
    printSlowest(junit);
    const counts = { ...readCounts(junit), missing: inCi() ? missing.length : 0 };
    return summary(counts, exitCode, output);
  } finally {
    stopListening();
    await parts.stop();
  }
}

/** As `bun test` selects files: by any part of their path. An option's value looks like one, so with options it is all files. */
function selectedBy(args) {
  if (args.length === 0 || args.some((arg) => arg.startsWith('-'))) return () => true;
  const filters = args.map((arg) => arg.replace(/^\.\//, ''));
  return (file) => filters.some((filter) => file.includes(filter));
}

function bunTestOptions(args, reportFile) {
  if (!existsSync(timings) && existsSync(firstTimings)) {
    mkdirSync(dirname(timings), { recursive: true });
    copyFileSync(firstTimings, timings);
  }
  const isParallel = !args.some((arg) => /^--(no-)?(parallel|isolate)\b/.test(arg));
  return [
    'test',
    '--no-orphans',
    '--preload=./test/support/quick-passwords.ts',
    `--timeout=${testTimeoutMs}`,
    // Workers keep their modules from file to file, as one process for all files would.
    ...(isParallel ? [`--parallel=${workerCount()}`, '--no-isolate'] : []),
    `--timings=${timings}`,
    '--update-timings',
    '--reporter=junit',
    `--reporter-outfile=${reportFile}`,
    ...foldersWithoutTests.map((folder) => `--path-ignore-patterns=${folder}/**`),
  ];
}

/** One more than cores: some tests wait for a process, a socket or a browser, and others work meanwhile. */
function workerCount() {
  return availableParallelism() + 1;
}

function report({ title, variable, reason, remedy, suites }) {
  console.error(`${title}: missing, ${reason}.`);
  console.error(`  Set ${variable} or ${remedy}.`);
  const more = suites.length > suitesShown ? ` and ${suites.length - suitesShown} more` : '';
  console.error(`  These suites need it: ${suites.slice(0, suitesShown).join(', ')}${more}.`);
  console.error(inCi() ? '  With CI=true that is a failure.' : '  What they test against it is skipped.');
}

function inCi() {
  return process.env.CI === 'true' || process.env.CI === '1';
}

/** Empty when Bun wrote no report, because it found no test or died. */
function readReport(reportFile) {
  try {
    return readFileSync(reportFile, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}

function printSlowest(junit) {
  const files = [...junit.matchAll(/^ {2}<testsuite name="([^"]+)"[^>]* time="([\d.]+)"/gm)]
    .map(([, file, seconds]) => ({ file, seconds: Number(seconds) }))
    .sort((one, other) => other.seconds - one.seconds);
  if (files.length < 2) return;
  console.error('\nThe slowest files:');
  for (const { file, seconds } of files.slice(0, slowestShown)) {
    console.error(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
  }
}

function readCounts(junit) {
  const header = junit.match(/<testsuites [^>]*>/)?.[0] ?? '';
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
