#!/usr/bin/env node
/** `npm run demo`: installs what is missing, and runs test/demo/main.ts on Bun. */
import { join } from 'node:path';
import { bunEnvironment, InstallError, install, root } from './install.mjs';
import { run } from './run.mjs';

try {
  const bun = await install('prod');
  const options = ['--no-orphans', `--config=${join(root, 'bin', 'bunfig.toml')}`];
  const script = join(root, 'test', 'demo', 'main.ts');
  const { exitCode } = await run(bun, [...options, script, ...process.argv.slice(2)], {
    env: bunEnvironment(),
  });
  process.exitCode = exitCode;
} catch (error) {
  console.error(error instanceof InstallError ? `sluice: ${error.message}` : error);
  process.exitCode = 1;
}
