/** `npm run bench`: measures Sluice beside others in one run and writes bench/RESULTS.md. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isSluice } from './contenders/contender.ts';
import { type Field, findContenders } from './contenders/index.ts';
import { findAutocannon } from './load/autocannon.ts';
import { findWrk } from './load/wrk.ts';
import { Programs } from './programs/programs.ts';
import { watchMachine } from './report/machine.ts';
import { tellConversion, tellMeasurement, tellScaling, tellSlowMeasurement } from './report/progress.ts';
import { type Results, writeResults } from './report/results.ts';
import { runActs, whoTakesPart } from './run/acts.ts';
import { type BenchOptions, readOptions, UsageError } from './run/options.ts';

const workFolder = join(import.meta.dirname, '.work');
const usualOutputFile = join(import.meta.dirname, 'RESULTS.md');

process.exitCode = await main();

async function main(): Promise<number> {
  let options: BenchOptions;
  try {
    options = readOptions(process.argv.slice(2), usualOutputFile);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`bench: ${error.message}`);
    return 2;
  }
  mkdirSync(workFolder, { recursive: true });
  const folder = mkdtempSync(join(workFolder, 'run-'));
  const programs = new Programs(folder);
  const leave = async () => {
    await programs.stopAll();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void leave().then(() => process.exit(130)));
  }
  try {
    const postgresUrl = process.env['SLUICE_BENCH_POSTGRES_URL'];
    const field = await findContenders({ names: options.only, before: options.before, postgresUrl });
    return report(await run(field, options, { programs, folder }));
  } finally {
    await leave();
  }
}

async function run(
  field: Field,
  options: BenchOptions,
  setting: { programs: Programs; folder: string },
): Promise<Results> {
  const tool = findWrk(setting) ?? findAutocannon(setting);
  if (tool === undefined) throw new Error('neither wrk (Debian package wrk) nor autocannon is there');
  const startedAtMs = performance.now();
  const machine = watchMachine();
  const contenders = whoTakesPart(field.contenders, options.acts);
  for (const line of field.missing) console.log(`left out: ${line}`);
  const measured = await runActs({
    contenders,
    tool,
    setting,
    options,
    onMeasured: tellMeasurement,
    onSlowMeasured: tellSlowMeasurement,
    onConversionMeasured: tellConversion,
    onScalingMeasured: tellScaling,
  });
  return {
    options,
    contenders,
    missing: field.missing,
    loadTitle: tool.title,
    machine: machine.describe(),
    date: new Date(),
    seconds: (performance.now() - startedAtMs) / 1000,
    ...measured,
  };
}

/** @returns the exit code: books that do not agree, or a Sluice that failed requests, are a failure. */
function report(results: Results): number {
  const page = writeResults(results);
  const { outputFile, slowStreams } = results.options;
  if (outputFile === undefined) console.log(`\n${page}`);
  else {
    writeFileSync(resolve(outputFile), page);
    console.log(`Results: ${resolve(outputFile)}`);
  }
  const booksDisagree = results.reconciliations.some(({ complaints }) => complaints.length > 0);
  const hasFailures =
    results.throughput.some(({ name, errors }) => isSluice(name) && errors > 0) ||
    results.slow.some(({ name, complete }) => isSluice(name) && complete < slowStreams) ||
    results.conversions.some(({ errors }) => errors > 0) ||
    results.scaling.some(({ errors }) => errors > 0);
  if (booksDisagree) console.error('bench: the books do not agree');
  if (hasFailures) console.error('bench: Sluice failed requests');
  return booksDisagree || hasFailures ? 1 : 0;
}
