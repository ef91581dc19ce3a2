#!/usr/bin/env node
/** `npm run page-times`: installs what is missing, finds Chromium, and hands over to test/page-times/main.ts. */
import { InstallError } from './install.mjs';
import { runWithParts } from './with-parts.mjs';

try {
  process.exitCode = await runWithParts('test/page-times/main.ts', process.argv.slice(2));
} catch (error) {
  console.error(error instanceof InstallError ? `sluice: ${error.message}` : error);
  process.exitCode = 1;
}
