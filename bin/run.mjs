/** Running another program as if it were this one: signals go to it, its end becomes our exit code. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const forwardedSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

// npm passes on a Ctrl-C that the terminal has already delivered; the program must not take the echo for a second, impatient one.
const echoMs = 500;

const stdioFor = {
  shown: 'inherit',
  kept: ['ignore', 'pipe', 'pipe'],
  both: ['inherit', 'inherit', 'pipe'],
};

/**
 * Runs a program to its end and resolves to `{ exitCode, output }`: its own code, or 128 + the signal that ended it.
 * With `printed: 'kept'` what it prints goes to `output` and is not shown; with 'both', its standard error is shown and kept.
 */
export function run(program, args, { cwd, env, printed = 'shown' } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: stdioFor[printed],
      // In a group of its own the child hears each signal once, from us, and not from the terminal as well.
      // A silent child is a step of ours and stays in our group, so that killing the group ends it too.
      detached: printed !== 'kept' && process.platform !== 'win32',
      windowsHide: true,
    });
    const chunks = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => chunks.push(chunk));
    if (printed === 'both') child.stderr.on('data', (chunk) => process.stderr.write(chunk));
    const stopForwarding = forwardSignals(child);
    child.once('error', (error) => {
      stopForwarding();
      reject(error);
    });
    child.once('close', (code, signal) => {
      stopForwarding();
      resolve({ exitCode: code ?? signalExitCode(signal), output: Buffer.concat(chunks).toString() });
    });
  });
}

/** The exit code a shell would show for a program that this signal ended. */
export function signalExitCode(signal) {
  return 128 + (constants.signals[signal] ?? 0);
}

/** Calls the listener for each signal that asks us to stop; the answer takes the listener away again. */
export function onStopSignal(listener) {
  for (const signal of forwardedSignals) process.on(signal, listener);
  return () => {
    for (const signal of forwardedSignals) process.off(signal, listener);
  };
}

function forwardSignals(child) {
  const lastSentMs = new Map();
  return onStopSignal((signal) => {
    const nowMs = performance.now();
    const previousMs = lastSentMs.get(signal);
    if (previousMs !== undefined && nowMs - previousMs < echoMs) return;
    lastSentMs.set(signal, nowMs);
    child.kill(signal);
  });
}
