/** `npm run simulation`: the ledger of servers that share a database, for as many random steps as wanted. */
import { parseArgs } from 'node:util';
import { usualDatabase } from '../support/databases.ts';
import { Simulation } from './simulation.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string' }, steps: { type: 'string', default: '100000' } },
});

const seed = wholeNumber('seed', values.seed ?? String(crypto.getRandomValues(new Uint32Array(1))[0]));
const steps = wholeNumber('steps', values.steps);
process.stderr.write(`seed ${seed}\n`);
const reportEverySteps = 10_000;
const startedAtMs = performance.now();
const storage = await usualDatabase.open();
try {
  const simulation = await Simulation.open(storage, seed);
  for (let done = 0; done < steps; done += reportEverySteps) {
    await simulation.run(Math.min(reportEverySteps, steps - done));
    const seconds = Math.round((performance.now() - startedAtMs) / 1000);
    process.stderr.write(`${Math.min(done + reportEverySteps, steps)} steps after ${seconds} s\n`);
  }
  await simulation.close();
  for (const [name, count] of Object.entries(simulation.counts)) {
    process.stdout.write(`${name.padEnd(24)}${count}\n`);
  }
  process.stdout.write(`${steps} steps, and the books are right\n`);
} finally {
  await storage.close();
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  process.stderr.write(`--${name} takes a whole number, not "${text}"\n`);
  return process.exit(2);
}
