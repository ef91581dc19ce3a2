/** Runs a script of the tests as `npm test` runs tests: with what is installed, and the servers that this machine has. */
import { join } from 'node:path';
import { bunEnvironment, install, root } from './install.mjs';
import { onStopSignal, run, signalExitCode } from './run.mjs';
import { TestParts } from './test-parts.mjs';

/** Resolves to the script's exit code. */
export async function runWithParts(script, args) {
  const bun = await install('full');
  const parts = new TestParts();
  const stopListening = onStopSignal((signal) => {
    void parts.stop().then(() => process.exit(signalExitCode(signal)));
  });
  try {
    const { environment } = await parts.open(() => true);
    const { exitCode } = await run(bun, ['--no-orphans', join(root, script), ...args], {
      cwd: root,
      env: { ...bunEnvironment(), ...environment },
    });
    return exitCode;
  } finally {
    stopListening();
    await parts.stop();
  }
}
