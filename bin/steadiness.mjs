#!/usr/bin/env node
/**
 * `npm run steadiness`: `npm test` ten times in a row (`--runs`), while processes beside it (`--busy`, one) use all that
 * a core gives them. A line a run, below it the tests that failed; what each run printed stays in a folder.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './install.mjs';
import { onStopSignal, signalExitCode } from './run.mjs';

/** Until whoever began it is gone, however that ended. */
const busyWork = 'const parent = process.ppid; while (process.ppid === parent);';

try {
  process.exitCode = await runAll();
} catch (error) {
  console.error(`sluice: ${error.message}`);
  process.exitCode = 1;
}

async function runAll() {
  const { values } = parseArgs({
    options: { runs: { type: 'string', default: '10' }, busy: { type: 'string', default: '1' } },
  });
  const runs = wholeNumber('runs', values.runs, 1);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-steadiness-'));
  console.log(`What each run prints goes to ${folder}.`);
  const children = new Set();
  const begin = (args, stdio) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio });
    children.add(child);
    return child;
  };
  let isStopping = false;
  onStopSignal((signal) => {
    isStopping = true;
    const ended = [...children].map((child) => once(child, 'close'));
    for (const child of children) child.kill(signal);
    void Promise.all(ended).then(() => process.exit(signalExitCode(signal)));
  });
  const busy = Array.from({ length: wholeNumber('busy', values.busy, 0) }, () =>
    begin(['-e', busyWork], 'ignore'),
  );
  let failed = 0;
  try {
    for (let number = 1; number <= runs; number += 1) {
      const file = join(folder, `run-${number}.log`);
      const log = openSync(file, 'w');
      const startMs = performance.now();
      const child = begin(['bin/test.mjs'], ['ignore', log, log]);
      const [exitCode] = await once(child, 'close');
      // The signal that ended it ends this program, too, once the others have ended.
      if (isStopping) await new Promise(() => {});
      children.delete(child);
      closeSync(log);
      const seconds = Math.round((performance.now() - startMs) / 1000);
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      const load = loadavg().map((each) => each.toFixed(1));
      console.log(`run ${number}: ${lines.at(-1)}, ${seconds} s, load ${load.join(' ')}`);
      // Bun tells of a test that failed where it ran, and once more at the end.
      for (const line of new Set(lines.filter((each) => each.startsWith('(fail)')))) console.log(`  ${line}`);
      if (exitCode !== 0) failed += 1;
    }
  } finally {
    for (const each of busy) each.kill('SIGKILL');
  }
  console.log(failed === 0 ? `All ${runs} runs were green.` : `${failed} of ${runs} runs failed.`);
  return failed === 0 ? 0 : 1;
}

function wholeNumber(name, value, least) {
  const number = Number(value);
  if (Number.isInteger(number) && number >= least) return number;
  throw new Error(`--${name} takes a whole number from ${least}.`);
}
