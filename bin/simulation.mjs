#!/usr/bin/env node
/** `npm run simulation`: installs what is missing, opens a PostgreSQL where there is one, and hands over to test/simulation/main.ts. */
import { InstallError } from './install.mjs';
import { runWithParts } from './with-parts.mjs';

try {
  process.exitCode = await runWithParts('test/simulation/main.ts', process.argv.slice(2));
} catch (error) {
  console.error(error instanceof InstallError ? `sluice: ${error.message}` : error);
  process.exitCode = 1;
}
