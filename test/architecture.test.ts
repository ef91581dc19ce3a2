/** The rules of the house that no compiler or linter holds: tests beside the code, short files, a lock file that installs anywhere. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const root = join(import.meta.dir, '..');
const maximumSourceLines = 300;
// It answers by itself, so there is nothing of an upstream to record.
const providersWithoutNetwork = ['simulator'];

const files = listFiles();
const manifests = files.filter((file) => /(^|\/)package\.json$/.test(file));
const lockFiles = files.filter((file) => /(^|\/)package-lock\.json$/.test(file));

const versions = z.record(z.string(), z.string()).default({});
const manifestSchema = z.object({
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
});
const checkerSchema = z.object({
  rooms: z.record(z.string(), z.array(z.string())),
  schemaReaders: z.array(z.object({ file: z.string(), reads: z.array(z.string()), why: z.string().min(1) })),
});
const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({ resolved: z.string().optional(), optionalDependencies: versions }),
  ),
});

describe('collections', () => {
  const providers = foldersIn('src/providers');
  const protocols = foldersIn('src/protocols');

  test('there are providers and protocols', () => {
    expect(providers).not.toBeEmpty();
    expect(protocols).not.toBeEmpty();
  });

  test('every provider and every protocol has tests of its own', () => {
    const untested = [...providers, ...protocols].filter(
      (folder) => !filesUnder(folder).some((file) => /\.test\.tsx?$/.test(file)),
    );
    expect(untested).toEqual([]);
  });

  test('every provider that talks to a network has fixtures', () => {
    const networked = providers.filter(
      (folder) => !providersWithoutNetwork.some((name) => folder.endsWith(name)),
    );
    expect(networked).not.toBeEmpty();
    expect(networked.filter((folder) => filesUnder(`${folder}/fixtures`).length === 0)).toEqual([]);
  });
});

test('the table of walls in ARCHITECTURE.md is the one that the checker holds', async () => {
  const { rooms } = await readChecker();
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const table = page.slice(page.indexOf('| room | may import |')).split('\n\n')[0] ?? '';
  const told = new Map(
    table.split('\n').flatMap((line) => {
      const [names, allowed] = line.split('|').slice(1, 3).map(splitList);
      return (names ?? []).map((name): [string, string[]] => [name, allowed ?? []]);
    }),
  );
  for (const word of ['room', '---', 'main']) told.delete(word);
  const held = Object.entries(rooms).map(([room, allowed]): [string, string[]] => [
    room,
    allowed.length === 0 ? ['nothing'] : allowed,
  ]);
  expect(held).not.toBeEmpty();
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(held));
});

describe('who joins tables of another room', () => {
  test('imports what the checker lets it, and nothing that it no longer needs', async () => {
    const { schemaReaders } = await readChecker();
    expect(schemaReaders).not.toBeEmpty();
    const idle = schemaReaders.flatMap(({ file, reads }) =>
      reads.filter((schema) => tablesOf(file, schema).length === 0).map((schema) => `${file}: ${schema}`),
    );
    expect(idle).toEqual([]);
  });

  test('does not write there', async () => {
    const { schemaReaders } = await readChecker();
    const writing = schemaReaders.flatMap(({ file, reads }) => {
      const text = readFileSync(join(root, 'src', file), 'utf8');
      const names = reads.flatMap((schema) => tablesOf(file, schema)).join('|');
      const writes = `\\.(insert|update|delete)\\((${names})\\)|(INTO|UPDATE|DELETE\\s+FROM)\\s+\\$\\{(${names})\\}`;
      return [...text.matchAll(new RegExp(writes, 'g'))].map(([write]) => `${file}: ${write}`);
    });
    expect(writing).toEqual([]);
  });

  /** What a file of src/ imports of a file of the schema. */
  function tablesOf(file: string, schema: string): string[] {
    const text = readFileSync(join(root, 'src', file), 'utf8');
    const [, names] =
      new RegExp(`import (?:type )?\\{([^}]*)\\} from '[^']*/schema/${schema}\\.ts'`).exec(text) ?? [];
    return splitList((names ?? '').replaceAll(/\w+ as /g, '')).filter((name) => name !== '');
  }
});

async function readChecker(): Promise<z.output<typeof checkerSchema>> {
  const checker: unknown = await import(join(root, '.dependency-cruiser.mjs'));
  return checkerSchema.parse(checker);
}

function splitList(cell: string): string[] {
  return cell.split(',').map((word) => word.trim());
}

test(`no source file is longer than ${maximumSourceLines} lines`, () => {
  const sources = files.filter(
    (file) =>
      /\.(tsx?|mjs)$/.test(file) && !/^test\/|\.(test|cases)\.|^src\/storage\/migrations\//.test(file),
  );
  expect(sources).not.toBeEmpty();
  expect(sources.filter((file) => lineCount(file) > maximumSourceLines)).toEqual([]);
});

test('every timer comes from the clock, and so does what time it is', () => {
  const sources = files.filter(
    // What runs in a browser has the browser's clock.
    (file) => /^src\/.*\.tsx?$/.test(file) && !/\.(test|cases)\.|\/(testing|fixtures|islands)\//.test(file),
  );
  const timers = sources.filter((file) =>
    /\b(setTimeout|setInterval|Bun\.sleep|AbortSignal\.timeout|Date\.now|performance\.now)\b/.test(
      readFileSync(join(root, file), 'utf8'),
    ),
  );
  expect(timers).toEqual(['src/base/clock.ts']);
});

describe('packages', () => {
  test('every dependency is pinned to one version', () => {
    const loose = manifests.flatMap((file) => {
      const { dependencies, devDependencies, optionalDependencies } = manifestSchema.parse(readJson(file));
      return Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
        .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
        .map(([name, version]) => `${file}: ${name} ${version}`);
    });
    expect(manifests).toContain('package.json');
    expect(loose).toEqual([]);
  });

  test('no lock file says where a package was downloaded from', () => {
    const resolved = lockFiles.flatMap((file) =>
      Object.entries(lockedPackages(file))
        .filter(([, entry]) => entry.resolved !== undefined)
        .map(([path]) => `${file}: ${path}`),
    );
    expect(lockFiles).toContain('package-lock.json');
    expect(resolved).toEqual([]);
  });

  // npm ci refuses a lock file without them, and npm leaves them out when it could not look one up.
  test('the lock files name the optional packages of every platform', () => {
    const absent = lockFiles.flatMap((file) => {
      const packages = lockedPackages(file);
      return Object.entries(packages).flatMap(([path, entry]) =>
        Object.keys(entry.optionalDependencies)
          .filter((name) => !isLocked(packages, path, name))
          .map((name) => `${file}: ${name} of ${path}`),
      );
    });
    expect(absent).toEqual([]);
  });
});

describe('text', () => {
  test('no file names a package registry', () => {
    const host = /\b(?:(?:registry|deb|mirrors?|packages)\.[\w.-]+|pypi|crates)\.(?:org|io|com|net|dev)\b/i;
    expect(filesThatSay(host)).toEqual([]);
  });

  test("no file holds a path of someone's own machine", () => {
    expect(filesThatSay(/(?<![\w.~/-])\/(?:work|home|root)\/[\w.]/)).toEqual([]);
  });
});

/** Every file that is or will be under version control; in a copy without git, every file outside the ignored folders. */
function listFiles(): string[] {
  const git = Bun.spawnSync(['git', 'ls-files', '-co', '--exclude-standard'], { cwd: root });
  if (git.success) return git.stdout.toString().split('\n').filter(isPresent);
  const ignored = readFileSync(join(root, '.gitignore'), 'utf8').split('\n').filter(Boolean);
  const names = ['.git', ...ignored].map((line) => line.replaceAll(/^\/|\/$/g, ''));
  return [...new Bun.Glob('**/*').scanSync({ cwd: root, dot: true })].filter(
    (file) => !names.some((name) => `/${file}`.includes(`/${name}/`)),
  );
}

/** Git still lists a file that was deleted and not yet committed so. */
function isPresent(file: string): boolean {
  return file !== '' && Bun.file(join(root, file)).size > 0;
}

function foldersIn(parent: string): string[] {
  return (
    readdirSync(join(root, parent), { withFileTypes: true })
      // Beside its members a collection may hold what their tests share.
      .filter((entry) => entry.isDirectory() && entry.name !== 'testing')
      .map((entry) => `${parent}/${entry.name}`)
  );
}

function filesUnder(folder: string): string[] {
  return files.filter((file) => file.startsWith(`${folder}/`));
}

function filesThatSay(pattern: RegExp): string[] {
  return files.filter((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return !text.includes('\0') && pattern.test(text);
  });
}

function lineCount(file: string): number {
  return readFileSync(join(root, file), 'utf8').trimEnd().split('\n').length;
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(root, file), 'utf8'));
}

type LockedPackages = z.infer<typeof lockSchema>['packages'];

function lockedPackages(file: string): LockedPackages {
  return lockSchema.parse(readJson(file)).packages;
}

/** npm looks for a package in the folder of the one that needs it, then in each folder above. */
function isLocked(packages: LockedPackages, neededBy: string, name: string): boolean {
  for (let folder = neededBy; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (packages[folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`] !== undefined)
      return true;
    if (folder === '') return false;
  }
}
