#!/usr/bin/env node
/** `npm run test:captures`: installs what is missing and hands over to test/captures/main.ts. */
import { join } from 'node:path';
import { bunEnvironment, InstallError, install, root } from './install.mjs';
import { run } from './run.mjs';

try {
  const bun = await install('full');
  const script = join(root, 'test', 'captures', 'main.ts');
  const { exitCode } = await run(bun, [script], { env: bunEnvironment() });
  process.exitCode = exitCode;
} catch (error) {
  console.error(error instanceof InstallError ? `sluice: ${error.message}` : error);
  process.exitCode = 1;
}
