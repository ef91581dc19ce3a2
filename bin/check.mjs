#!/usr/bin/env node
/** `npm run check`: types, lint, walls, dead code and tests; all of them run, and one failure is enough to fail. */
import { join } from 'node:path';
import { InstallError, install, root } from './install.mjs';
import { run } from './run.mjs';
import { runTests } from './test-run.mjs';

const tools = [
  { title: 'types', args: ['node_modules/typescript/bin/tsc', '--noEmit'] },
  { title: 'lint and format', args: ['node_modules/@biomejs/biome/bin/biome', 'check'] },
  { title: 'walls', args: ['bin/walls.mjs'] },
  { title: 'dead code', args: ['node_modules/knip/bin/knip.js'] },
  { title: 'code that only tests use', args: ['node_modules/knip/bin/knip.js', '--production'] },
];

let testLine = '0 passed, 1 failed';

try {
  await install('full');
  process.exitCode = await checkAll();
} catch (error) {
  console.error(error instanceof InstallError ? `sluice: ${error.message}` : error);
  process.exitCode = 1;
}
console.log(testLine);

async function checkAll() {
  const outcomes = [];
  for (const { title, args } of tools) outcomes.push(await timed(title, () => runTool(args)));
  outcomes.push(await timed('tests', testAll));
  console.log(`\n${outcomes.map(({ text }) => text).join('\n')}\n`);
  return outcomes.every(({ exitCode }) => exitCode === 0) ? 0 : 1;
}

async function timed(title, step) {
  console.log(`\n── ${title}`);
  const startMs = performance.now();
  const exitCode = await step();
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  const text = `${title}: ${exitCode === 0 ? 'passed' : 'FAILED'} in ${seconds} s`;
  console.log(text);
  return { text, exitCode };
}

async function runTool([script, ...args]) {
  const { exitCode } = await run(process.execPath, [join(root, script), ...args], { cwd: root });
  return exitCode;
}

async function testAll() {
  const { line, exitCode } = await runTests([]);
  testLine = line;
  return exitCode;
}
