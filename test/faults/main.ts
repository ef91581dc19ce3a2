/** `npm run faults`: the sixteen faults through a started gateway, and through an older one beside it, as one table. */
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type FaultResult, runFaults } from './run.ts';
import { type Edition, writePage } from './table.ts';

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    only: { type: 'string' },
    out: { type: 'string', default: join(import.meta.dirname, 'RESULTS.md') },
    'no-file': { type: 'boolean', default: false },
  },
});

const here = resolve(import.meta.dirname, '../..');
if (values.before !== undefined && !existsSync(join(values.before, 'src/main/sluice.ts'))) {
  process.stderr.write(`--before: ${values.before} is no checkout of Sluice\n`);
  process.exit(2);
}
const isWanted = (fault: string): boolean => values.only === undefined || fault.includes(values.only);
const editions: Edition[] = [];
if (values.before !== undefined) {
  const results = await runFaults({ checkout: values.before, isWanted });
  editions.push({ name: 'before', title: titleOf(values.before), results });
}
const results = await runFaults({ isWanted });
editions.push({ name: 'now', title: titleOf(here), results });
const rescued = await runFaults({ isWanted, isRescued: true });
editions.push({
  name: 'rescue',
  title: `${titleOf(here)}, asked with \`x-sluice-rescue: on\``,
  results: rescued,
});
const page = writePage(editions, new Date());
process.stdout.write(page);
// A part of the table is not left as if it were the whole.
if (!values['no-file'] && values.only === undefined) {
  writeFileSync(resolve(values.out), page);
  process.stderr.write(`Results: ${resolve(values.out)}\n`);
}
const failed = [...results, ...rescued].filter(({ grade }) => grade === 'fail');
for (const result of failed) process.stderr.write(`FAILED ${describe(result)}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;

function describe({ place, fault, isStreamed, client, why }: FaultResult): string {
  return `${fault}, ${isStreamed ? 'streamed' : 'whole'}, ${client}, ${place}: ${why}`;
}

function titleOf(folder: string): string {
  const git = (...args: string[]): string =>
    Bun.spawnSync(['git', ...args], { cwd: folder, stdout: 'pipe', stderr: 'ignore' })
      .stdout.toString()
      .trim();
  const commit = git('rev-parse', '--short', 'HEAD') || 'unknown';
  const isChanged = git('status', '--porcelain', '--', 'src') !== '';
  return `commit ${commit}${isChanged ? ' with changes' : ''}`;
}
