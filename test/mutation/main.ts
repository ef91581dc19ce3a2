/**
 * `npm run mutation`: whether the tests of the rooms that hold money and limits notice small mistakes in them. Mistakes
 * are chosen by a seed; each is read by the tests of its room in place of the file, which stays as it is.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../fuzz/random.ts';
import { applyMutant, findMutants, type Mutant } from './mutants.ts';
import { MutationTests, roomNames } from './tests.ts';

const root = resolve(import.meta.dir, '../..');

const { values } = parseArgs({
  options: {
    room: { type: 'string' },
    file: { type: 'string' },
    sample: { type: 'string', default: '150' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '60' },
    /** How many are tried at the same time. */
    jobs: { type: 'string', default: '1' },
    'at-least': { type: 'string', default: '0' },
    list: { type: 'boolean', default: false },
  },
});

interface Outcome {
  readonly mutant: Mutant;
  /** The test file that failed or took too long; null for a mistake that nobody noticed. */
  readonly noticedBy: string | null;
  /** It went on for ever, as far as anybody waited. */
  readonly isLate: boolean;
}

async function main(): Promise<number> {
  const seed = wholeNumber('seed', values.seed);
  const chosen = choose(new Random(seed), wholeNumber('sample', values.sample));
  if (values.list) {
    for (const mutant of chosen) print(describe(mutant));
    return 0;
  }
  const tests = new MutationTests();
  const jobs = wholeNumber('jobs', values.jobs);
  const failing = await tests.learn(roomNames.filter(isAsked), jobs);
  if (failing.length > 0) {
    print(`without any mistake these fail, so that nothing could be told: ${failing.join(', ')}`);
    return 1;
  }
  const endsAtMs = performance.now() + wholeNumber('minutes', values.minutes) * 60_000;
  const outcomes: Outcome[] = [];
  const left = [...chosen];
  const work = async () => {
    for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
      if (performance.now() > endsAtMs) return;
      const outcome = await tryMutant(tests, mutant);
      outcomes.push(outcome);
      const word = outcome.noticedBy === null ? 'SURVIVED' : outcome.isLate ? 'too late' : 'noticed ';
      print(`${word} ${describe(mutant)}`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return report(outcomes, chosen.length, seed);
}

function choose(random: Random, count: number): readonly Mutant[] {
  const all = roomNames
    .filter(isAsked)
    .flatMap(sourcesOf)
    .filter((file) => values.file === undefined || file.endsWith(values.file))
    .flatMap((file) => [...findMutants(file, readFileSync(join(root, file), 'utf8'))]);
  print(
    `${all.length} mistakes are possible, of which ${Math.min(count, all.length)} are made (seed ${values.seed})`,
  );
  const chosen: Mutant[] = [];
  while (chosen.length < count && all.length > 0) {
    chosen.push(...all.splice(random.below(all.length), 1));
  }
  return chosen;
}

const isAsked = (room: string): boolean => values.room === undefined || values.room === room;

const sourcesOf = (room: string): readonly string[] =>
  readdirSync(join(root, 'src', room))
    .filter((name) => name.endsWith('.ts') && !/\.(?:test|cases)\.ts$/.test(name) && name !== 'index.ts')
    .map((name) => `src/${room}/${name}`);

async function tryMutant(tests: MutationTests, mutant: Mutant): Promise<Outcome> {
  const source = applyMutant(readFileSync(join(root, mutant.file), 'utf8'), mutant);
  const found = await tests.findNoticing(mutant, source);
  return { mutant, noticedBy: found?.test ?? null, isLate: found?.ending === 'late' };
}

function report(outcomes: readonly Outcome[], chosen: number, seed: number): number {
  const byFile = Map.groupBy(outcomes, ({ mutant }) => mutant.file);
  print('');
  for (const [file, ofFile] of [...byFile].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    print(`${file.padEnd(36)}${noticed(ofFile)} of ${ofFile.length}`);
  }
  const share = outcomes.length === 0 ? 0 : (100 * noticed(outcomes)) / outcomes.length;
  if (outcomes.length < chosen) print(`the time was over after ${outcomes.length} of ${chosen}`);
  const late = outcomes.filter(({ isLate }) => isLate).length;
  print(
    `${noticed(outcomes)} of ${outcomes.length} mistakes were noticed: ${share.toFixed(1)} % (seed ${seed}), ${late} of them by tests that took too long`,
  );
  return share >= wholeNumber('at-least', values['at-least']) ? 0 : 1;
}

const noticed = (outcomes: readonly Outcome[]): number =>
  outcomes.filter(({ noticedBy }) => noticedBy !== null).length;

const describe = ({ file, line, kind, before, after }: Mutant): string =>
  `${file}:${line} ${kind}: ${short(before)} → ${short(after)}`;

const short = (text: string): string => {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length > 60 ? `${flat.slice(0, 57)}…` : flat === '' ? 'nothing' : flat;
};

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  process.stderr.write(`--${name} takes a whole number, not "${text}"\n`);
  return process.exit(2);
}

process.exitCode = await main();
