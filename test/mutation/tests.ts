/** Which tests are to notice a mistake, and whether they do. Only those that come to its line are asked. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import type { Mutant } from './mutants.ts';

const root = resolve(import.meta.dir, '../..');

/** What is mutated, and which tests are to notice; first those that are done soonest. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  ledger: [
    'src/ledger/fund.test.ts',
    'src/ledger/lease-desk.test.ts',
    'src/ledger/admission.test.ts',
    'src/ledger/wallets.test.ts',
    'src/ledger/budgets.test.ts',
    'src/ledger/remembering.test.ts',
    'src/ledger/wallet-state.test.ts',
    'src/ledger/books.test.ts',
    'src/ledger/movements.test.ts',
    'src/ledger/lease-rows.test.ts',
    'src/ledger/promotions.test.ts',
    'src/ledger/check.test.ts',
    'src/ledger/statement.test.ts',
    'src/ledger/budget-keeper.test.ts',
    'src/ledger/budget-defaults.test.ts',
    'src/ledger/alerts.test.ts',
    'src/ledger/money-events.test.ts',
    'src/ledger/lease-model.test.ts',
    'src/ledger/wallets.property.test.ts',
  ],
  limits: [
    'src/limits/holders.test.ts',
    'src/limits/memory-limiter.test.ts',
    'src/limits/redis-link.test.ts',
    'src/limits/redis-outages.test.ts',
    'src/limits/redis-limiter.test.ts',
  ],
};
/** Files that are tested by those who use them, too. */
const users: Readonly<Record<string, readonly string[]>> = {
  'src/ledger/statement.ts': ['src/main/commands/statement.test.ts'],
  'src/ledger/settle-charges.ts': ['src/main/write-batch.test.ts'],
  'src/ledger/rerating.ts': ['src/ledger/rerating.test.ts', 'src/main/commands/rerating.test.ts'],
};
/** On PostgreSQL alone: the embedded database would double the time and notice the same. */
const names = '^(?!.*\\(embedded\\))';
/** Of a run with a mistake: so many times what it takes without, and some more on a machine that is busy. */
const patience = { times: 4, moreMs: 30_000 };
const mostMs = 300_000;

export const roomNames: readonly string[] = Object.keys(rooms);

export type Ending = 'passed' | 'failed' | 'late';

interface Known {
  readonly usualMs: number;
  /** Of each file the lines that it came to, true, and those that it did not. */
  readonly lines: ReadonlyMap<string, ReadonlyMap<number, boolean>>;
}

export class MutationTests {
  readonly #known = new Map<string, Known>();

  /** Runs each once without a mistake, so many at the same time. @returns those that fail, so that nothing could be told by them. */
  async learn(asked: readonly string[], jobs: number): Promise<readonly string[]> {
    const left = [...testsOf(asked)];
    const failing: string[] = [];
    const work = async () => {
      for (let test = left.shift(); test !== undefined; test = left.shift()) {
        if (!(await this.#learnOne(test))) failing.push(test);
      }
    };
    await Promise.all(Array.from({ length: jobs }, work));
    return failing;
  }

  async #learnOne(test: string): Promise<boolean> {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-mutation-'));
    const beganAtMs = performance.now();
    const coverage = ['--coverage', '--coverage-reporter=lcov', `--coverage-dir=${folder}`];
    const ending = await runTest(test, { more: coverage, withinMs: mostMs });
    const path = join(folder, 'lcov.info');
    const lines: Known['lines'] = existsSync(path) ? readLines(path) : new Map();
    this.#known.set(test, { usualMs: performance.now() - beganAtMs, lines });
    rmSync(folder, { recursive: true, force: true });
    return ending === 'passed';
  }

  /** The first that fails or takes too long; null where none does. */
  async findNoticing(mutant: Mutant, source: string): Promise<{ test: string; ending: Ending } | null> {
    const variables = { SLUICE_MUTATED_FILE: join(root, mutant.file), SLUICE_MUTATED_SOURCE: source };
    for (const test of testsFor(mutant.file)) {
      const known = this.#known.get(test);
      if (known !== undefined && !comesTo(known, mutant)) continue;
      const withinMs = Math.min(mostMs, patience.times * (known?.usualMs ?? mostMs) + patience.moreMs);
      const ending = await runTest(test, { variables, withinMs });
      if (ending !== 'passed') return { test, ending };
    }
    return null;
  }
}

const testsOf = (asked: readonly string[]): readonly string[] =>
  asked.flatMap((room) => [
    ...(rooms[room] ?? []),
    ...Object.entries(users).flatMap(([file, its]) => (file.startsWith(`src/${room}/`) ? its : [])),
  ]);

/** Those first that are named after the file, or after the first word of its name. */
function testsFor(file: string): readonly string[] {
  const [, room = '', name = ''] = /^src\/(\w+)\/(.*)\.ts$/.exec(file) ?? [];
  const tests = rooms[room] ?? [];
  const [word = ''] = name.split('-');
  const nearness = (test: string) =>
    Number(test.includes(`/${name}`)) * 2 + Number(test.includes(`/${word}`));
  return [...(users[file] ?? []), ...tests.toSorted((one, other) => nearness(other) - nearness(one))];
}

/** A line of which nothing was told, such as one inside of a query, is come to as the one above it. */
function comesTo({ lines }: Known, { file, line }: Mutant): boolean {
  const ofFile = lines.get(file);
  if (ofFile === undefined) return false;
  for (let above = line; above > 0; above -= 1) {
    const isReached = ofFile.get(above);
    if (isReached !== undefined) return isReached;
  }
  return true;
}

/** In the form of lcov. */
function readLines(path: string): Known['lines'] {
  const files = new Map<string, Map<number, boolean>>();
  let ofFile = new Map<number, boolean>();
  for (const row of readFileSync(path, 'utf8').split('\n')) {
    const [kind = '', told = ''] = row.split(/:(.*)/);
    if (kind === 'SF') {
      ofFile = new Map();
      files.set(relative(root, resolve(root, told)), ofFile);
    }
    if (kind !== 'DA') continue;
    const [line = 0, hits = 0] = told.split(',').map(Number);
    ofFile.set(line, hits > 0);
  }
  return files;
}

interface TestRun {
  readonly variables?: Readonly<Record<string, string>>;
  readonly more?: readonly string[];
  readonly withinMs: number;
}

async function runTest(test: string, { variables, more = [], withinMs }: TestRun): Promise<Ending> {
  const child = Bun.spawn(
    [
      ...[process.execPath, '--no-orphans', 'test', '--preload', './test/mutation/mutated.ts'],
      ...['--bail=1', '--timeout=30000', '-t', names, ...more, test],
    ],
    { cwd: root, env: { ...process.env, ...variables }, stdio: ['ignore', 'ignore', 'ignore'] },
  );
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, withinMs);
  const exitCode = await child.exited;
  clearTimeout(late);
  return isLate ? 'late' : exitCode === 0 ? 'passed' : 'failed';
}
