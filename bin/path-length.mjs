#!/usr/bin/env node
/**
 * `npm run path-length`: through how many files of src/ a request runs, once all is warm, and how long the files are.
 * A program that answered the request some times more has executed some lines more often; their files are the
 * request's. It answers no other request meanwhile, and the one several times more: a stream is cut into other pieces
 * each time, so that how often its lines run is not the same twice.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bunEnvironment, InstallError, install, root } from './install.mjs';
import { run } from './run.mjs';

const requests = './test/path-length/requests.ts';
const aims = { passthrough: 30, 'converted-stream': 50 };

try {
  process.exitCode = await measure(await install('full'));
} catch (error) {
  console.error(error instanceof InstallError ? `sluice: ${error.message}` : error);
  process.exitCode = 1;
}

async function measure(bun) {
  for (const [name, aim] of Object.entries(aims)) {
    const before = await countLines(bun, name, 1);
    const after = await countLines(bun, name, 4);
    const files = [...after.keys()].filter((file) => ranMore(before.get(file), after.get(file))).sort();
    console.log(`${name}: ${files.length} files (aim: at most ${aim})`);
    if (process.argv.includes('--files')) for (const file of files) console.log(`  ${file}`);
  }
  const lengths = sourceFiles()
    .map(lineCount)
    .sort((one, other) => one - other);
  console.log(
    `${lengths.length} source files, median ${lengths[lengths.length >> 1]} lines, longest ${lengths.at(-1)}`,
  );
  return 0;
}

/** How often each line of each file of src/ was executed when a request was answered so many times. */
async function countLines(bun, name, times) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-coverage-'));
  try {
    const coverage = ['--coverage', '--coverage-reporter=lcov', `--coverage-dir=${folder}`];
    const env = { ...bunEnvironment(), SLUICE_PATH_OF: name, SLUICE_PATH_TIMES: String(times) };
    const { exitCode, output } = await run(bun, ['test', ...coverage, requests], {
      cwd: root,
      env,
      printed: 'kept',
    });
    if (exitCode !== 0) throw new Error(`the requests failed:\n${output}`);
    return readCounts(readFileSync(join(folder, 'lcov.info'), 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readCounts(report) {
  const counts = new Map();
  let lines;
  for (const line of report.split('\n')) {
    if (line.startsWith('SF:')) {
      const file = line.slice(3).replaceAll('\\', '/').replace(`${root}/`, '');
      lines = new Map();
      if (file.startsWith('src/') && !file.includes('/testing/')) counts.set(file, lines);
    } else if (line.startsWith('DA:')) {
      const [number, count] = line.slice(3).split(',').map(Number);
      lines.set(number, count);
    }
  }
  return counts;
}

function ranMore(before, after) {
  return [...after].some(([line, count]) => count > (before?.get(line) ?? 0));
}

function sourceFiles() {
  return readdirSync(join(root, 'src'), { recursive: true })
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .filter((file) => /\.tsx?$/.test(file) && !/\.(test|cases|test-data)\.|\/testing\//.test(file));
}

function lineCount(file) {
  return readFileSync(join(root, file), 'utf8').trimEnd().split('\n').length;
}
