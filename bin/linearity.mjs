#!/usr/bin/env node
/** `npm run linearity`: installs what is missing and hands over to test/linearity/main.ts. */
import { InstallError } from './install.mjs';
import { runWithParts } from './with-parts.mjs';

try {
  process.exitCode = await runWithParts('test/linearity/main.ts', process.argv.slice(2));
} catch (error) {
  console.error(error instanceof InstallError ? `sluice: ${error.message}` : error);
  process.exitCode = 1;
}
