#!/usr/bin/env node
/** `npm run screenshots`: installs what is missing, opens what the tests need, and hands over to test/browser/screenshots.ts. */
import { InstallError } from './install.mjs';
import { runWithParts } from './with-parts.mjs';

try {
  process.exitCode = await runWithParts('test/browser/screenshots.ts', process.argv.slice(2));
} catch (error) {
  console.error(error instanceof InstallError ? `sluice: ${error.message}` : error);
  process.exitCode = 1;
}
