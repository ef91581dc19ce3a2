/**
 * `npm run mutation`: whether the tests of the rooms that hold money and limits notice small mistakes in them. Mistakes
 * are chosen by a seed; each is read by the tests of its room in place of the file, which stays as it is.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../fuzz/random.ts';
import { applyMutant, findMutants, type Mutant } from './mutants.ts';

const root = resolve(import.meta.dir, '../..');

/** What is mutated, and which tests are to notice; first those that are done soonest. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  ledger: [
    'src/ledger/fund.test.ts',
    'src/ledger/admission.test.ts',
    'src/ledger/wallets.test.ts',
    'src/ledger/budgets.test.ts',
    'src/ledger/books.test.ts',
    'src/ledger/lease-rows.test.ts',
    'src/ledger/promotions.test.ts',
    'src/ledger/budget-keeper.test.ts',
    'src/ledger/budget-defaults.test.ts',
    'src/ledger/lease-model.test.ts',
    'src/ledger/wallets.property.test.ts',
  ],
  limits: [
    'src/limits/holders.test.ts',
    'src/limits/memory-limiter.test.ts',
    'src/limits/redis-limiter.test.ts',
  ],
};
/** Files that are tested by those who use them, too. */
const users: Readonly<Record<string, readonly string[]>> = {
  'src/ledger/statement.ts': ['src/main/commands/statement.test.ts'],
  'src/ledger/settle-charges.ts': ['src/main/write-batch.test.ts'],
  'src/ledger/rerating.ts': ['src/main/commands/rerating.test.ts'],
};
/** On PostgreSQL alone: the embedded database would double the time and notice the same. */
const names = '^(?!.*\\(embedded\\))';
const timeoutMs = 90_000;

const { values } = parseArgs({
  options: {
    room: { type: 'string' },
    file: { type: 'string' },
    sample: { type: 'string', default: '150' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '60' },
    'at-least': { type: 'string', default: '0' },
    list: { type: 'boolean', default: false },
  },
});

interface Outcome {
  readonly mutant: Mutant;
  /** The test file that failed or took too long; null for a mistake that nobody noticed. */
  readonly noticedBy: string | null;
}

async function main(): Promise<number> {
  const seed = wholeNumber('seed', values.seed);
  const chosen = choose(new Random(seed), wholeNumber('sample', values.sample));
  if (values.list) {
    for (const mutant of chosen) print(describe(mutant));
    return 0;
  }
  const failing = await findFailing();
  if (failing.length > 0) {
    print(`without any mistake these fail, so that nothing could be told: ${failing.join(', ')}`);
    return 1;
  }
  const endsAtMs = performance.now() + wholeNumber('minutes', values.minutes) * 60_000;
  const outcomes: Outcome[] = [];
  for (const mutant of chosen) {
    if (performance.now() > endsAtMs) break;
    const outcome = await tryMutant(mutant);
    outcomes.push(outcome);
    print(`${outcome.noticedBy === null ? 'SURVIVED' : 'noticed '} ${describe(mutant)}`);
  }
  return report(outcomes, chosen.length, seed);
}

function choose(random: Random, count: number): readonly Mutant[] {
  const all = Object.keys(rooms)
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

async function findFailing(): Promise<readonly string[]> {
  const failing: string[] = [];
  const tests = Object.keys(rooms)
    .filter(isAsked)
    .flatMap((room) => [
      ...(rooms[room] ?? []),
      ...Object.entries(users).flatMap(([file, its]) => (file.startsWith(`src/${room}/`) ? its : [])),
    ]);
  for (const test of tests) if (!(await passes(test, {}))) failing.push(test);
  return failing;
}

async function tryMutant(mutant: Mutant): Promise<Outcome> {
  const source = applyMutant(readFileSync(join(root, mutant.file), 'utf8'), mutant);
  const mutated = { SLUICE_MUTATED_FILE: join(root, mutant.file), SLUICE_MUTATED_SOURCE: source };
  for (const test of testsFor(mutant.file)) {
    if (!(await passes(test, mutated))) return { mutant, noticedBy: test };
  }
  return { mutant, noticedBy: null };
}

/** Those first that are named after the file, or after the first word of its name. */
function testsFor(file: string): readonly string[] {
  const [, room = '', name = ''] = /^src\/(\w+)\/(.*)\.ts$/.exec(file) ?? [];
  const tests = rooms[room] ?? [];
  const [word = ''] = name.split('-');
  const nearness = (test: string) =>
    Number(test.includes(`/${name}`)) * 2 + Number(test.includes(`/${word}`));
  return [...(users[file] ?? []), ...tests.toSorted((one, other) => nearness(other) - nearness(one))];
}

async function passes(test: string, mutated: Readonly<Record<string, string>>): Promise<boolean> {
  const child = Bun.spawn(
    [
      ...[process.execPath, '--no-orphans', 'test', '--preload', './test/mutation/mutated.ts'],
      ...['--bail=1', '--timeout=30000', '-t', names, test],
    ],
    {
      cwd: root,
      env: { ...process.env, ...mutated },
      stdio: ['ignore', 'ignore', 'ignore'],
    },
  );
  const late = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const exitCode = await child.exited;
  clearTimeout(late);
  return exitCode === 0;
}

function report(outcomes: readonly Outcome[], chosen: number, seed: number): number {
  const byFile = Map.groupBy(outcomes, ({ mutant }) => mutant.file);
  print('');
  for (const [file, ofFile] of [...byFile].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    print(`${file.padEnd(36)}${noticed(ofFile)} of ${ofFile.length}`);
  }
  const share = outcomes.length === 0 ? 0 : (100 * noticed(outcomes)) / outcomes.length;
  if (outcomes.length < chosen) print(`the time was over after ${outcomes.length} of ${chosen}`);
  print(
    `${noticed(outcomes)} of ${outcomes.length} mistakes were noticed: ${share.toFixed(1)} % (seed ${seed})`,
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
