/** A program of its own, so that nothing else of the bench delays it: asks one address again and again until it is told to stop. */
import { setTimeout as sleep } from 'node:timers/promises';

const [address] = process.argv.slice(2);
if (address === undefined) {
  process.stderr.write('health-watch.ts takes an address\n');
  process.exit(2);
}

const everyMs = 50;
const patienceMs = 20_000;
const latenciesMs: number[] = [];
let failures = 0;
let isOver = false;

process.once('SIGTERM', () => {
  isOver = true;
});

while (!isOver) {
  const startedAtMs = performance.now();
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(patienceMs) });
    await response.arrayBuffer();
    if (!response.ok) failures += 1;
  } catch {
    failures += 1;
  }
  latenciesMs.push(performance.now() - startedAtMs);
  await sleep(everyMs);
}
process.stdout.write(`${JSON.stringify({ latenciesMs, failures })}\n`);
process.exit(0);
