#!/usr/bin/env node
/** The `sluice` command: installs what is missing, then runs the program on Bun in the caller's folder. */
import { join } from 'node:path';
import { bunEnvironment, InstallError, install, root } from './install.mjs';
import { run } from './run.mjs';

const oldestNode = 20;

try {
  process.exitCode = await sluice(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof InstallError ? `sluice: ${error.message}` : error);
  process.exitCode = 1;
}

async function sluice(args) {
  if (Number.parseInt(process.versions.node, 10) < oldestNode) {
    throw new InstallError(`Node ${oldestNode} or newer is needed; this is ${process.version}.`);
  }
  const bun = await install('prod');
  const options = [
    '--no-orphans',
    '--no-install',
    // Left to itself Bun takes both from the caller's folder, where a preload could run anybody's code.
    `--config=${join(root, 'bin', 'bunfig.toml')}`,
    `--tsconfig-override=${join(root, 'tsconfig.json')}`,
  ];
  const program = join(root, 'src', 'main', 'sluice.ts');
  const { exitCode } = await run(bun, [...options, program, ...args], { env: bunEnvironment() });
  return exitCode;
}
