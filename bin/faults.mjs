#!/usr/bin/env node
/** `npm run faults`: installs what is missing, opens a PostgreSQL where there is one, and hands over to test/faults/main.ts. */
import { InstallError } from './install.mjs';
import { runWithParts } from './with-parts.mjs';

try {
  process.exitCode = await runWithParts('test/faults/main.ts', process.argv.slice(2));
} catch (error) {
  console.error(error instanceof InstallError ? `sluice: ${error.message}` : error);
  process.exitCode = 1;
}
