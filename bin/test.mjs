#!/usr/bin/env node
/** `npm test`: every test, or those the arguments select; the last line is `N passed, N failed` and perhaps `, N skipped`. */
import { InstallError } from './install.mjs';
import { runTests } from './test-run.mjs';

const { line, exitCode } = await runTests(process.argv.slice(2)).catch((error) => {
  console.error(error instanceof InstallError ? `sluice: ${error.message}` : error);
  return { line: '0 passed, 1 failed', exitCode: 1 };
});
console.log(line);
process.exitCode = exitCode;
