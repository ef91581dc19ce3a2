#!/usr/bin/env node
/** `npm run mutation`: installs what is missing, opens a PostgreSQL and a Redis where there are, and hands over to test/mutation/main.ts. */
import { InstallError } from './install.mjs';
import { runWithParts } from './with-parts.mjs';

try {
  process.exitCode = await runWithParts('test/mutation/main.ts', process.argv.slice(2));
} catch (error) {
  console.error(error instanceof InstallError ? `sluice: ${error.message}` : error);
  process.exitCode = 1;
}
