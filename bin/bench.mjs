#!/usr/bin/env node
/** `npm run bench`: installs what the bench compares with, opens a PostgreSQL server, and hands over to bench/main.ts. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bunEnvironment, InstallError, install, root } from './install.mjs';
import { onStopSignal, run, signalExitCode } from './run.mjs';
import { TestParts } from './test-parts.mjs';

const packages = join(root, 'bench', 'packages');

try {
  process.exitCode = await bench(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof InstallError ? `sluice: ${error.message}` : error);
  process.exitCode = 1;
}

async function bench(args) {
  const bun = await install('full');
  await installPackages();
  const parts = new TestParts();
  const stopListening = onStopSignal((signal) => {
    void parts.stop().then(() => process.exit(signalExitCode(signal)));
  });
  try {
    const { environment } = await parts.open(() => true);
    // From here on a signal goes to the bench, which puts its own things away first.
    stopListening();
    const postgresUrl = environment.SLUICE_TEST_POSTGRES_URL;
    const { exitCode } = await run(bun, ['--no-orphans', join(root, 'bench', 'main.ts'), ...args], {
      env: { ...bunEnvironment(), ...(postgresUrl && { SLUICE_BENCH_POSTGRES_URL: postgresUrl }) },
    });
    return exitCode;
  } finally {
    await parts.stop();
  }
}

/** Without them the bench still runs: main.ts says what it leaves out. */
async function installPackages() {
  if (existsSync(join(packages, 'node_modules', '.package-lock.json'))) return;
  console.error('sluice: installing what the bench compares with');
  const args = ['ci', '--ignore-scripts', '--loglevel=error'];
  const { exitCode, output } = await run('npm', args, { cwd: packages, printed: 'kept' }).catch((error) => ({
    exitCode: 1,
    output: error.message,
  }));
  if (exitCode !== 0) console.error(`sluice: npm ci in bench/packages failed:\n${output.trim()}`);
}
