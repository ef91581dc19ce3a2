/** What tests need beside the code: those parts that the environment names, else this machine's own, started for the run. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from './install.mjs';
import { folderOfPrograms, TestServers } from './test-servers.mjs';
import { suitesThatNeed } from './test-suites.mjs';

const debianPostgres = '/usr/lib/postgresql';

const parts = [
  {
    title: 'PostgreSQL',
    variable: 'SLUICE_TEST_POSTGRES_URL',
    remedy: 'install it (Debian: postgresql)',
    start: startPostgres,
  },
  {
    title: 'Redis',
    variable: 'SLUICE_TEST_REDIS_URL',
    remedy: 'install it (Debian: redis-server)',
    start: startRedis,
  },
  {
    title: 'Recorded traffic of providers',
    variable: 'SLUICE_CAPTURES',
    remedy: 'put it into ../shared/captures beside this folder',
    start: findRecordings,
  },
  {
    title: 'Chromium',
    variable: 'SLUICE_TEST_CHROMIUM',
    remedy: 'install it (Debian: chromium-headless-shell)',
    start: findChromium,
  },
];

/** The parts of one test run. `stop()` ends and removes all that was started, also when the start is not yet over. */
export class TestParts {
  #servers;

  /** With `inMemory` they keep nothing on a disk where that can be: not for what fills large databases or measures them. */
  constructor(options = {}) {
    this.#servers = new TestServers(options);
  }

  /** A temporary folder that goes with the servers. */
  get folder() {
    return this.#servers.folder;
  }

  /** Where tests make their temporary files. */
  get temporaryFolder() {
    return this.#servers.temporaryFolder;
  }

  /**
   * Opens the parts that test files need, only those files that `isSelected` takes:
   * `environment` holds where they are, `missing` tells why the others could not be had.
   */
  async open(isSelected) {
    const needed = parts
      .map((part) => ({ ...part, suites: suitesThatNeed(part.variable, root, ['src', 'test']) }))
      .filter(({ suites }) => suites.some(isSelected));
    const opened = await Promise.all(needed.map((part) => this.#openPart(part)));
    // Once stopped, the process is about to exit: no test may begin.
    if (this.#servers.stopped) await new Promise(() => {});
    const present = opened.filter((part) => part.place !== undefined);
    return {
      environment: Object.fromEntries(present.map((part) => [part.variable, part.place])),
      missing: opened.filter((part) => part.place === undefined),
    };
  }

  stop() {
    return this.#servers.stop();
  }

  async #openPart(part) {
    try {
      return { ...part, place: await part.start(this.#servers, process.env[part.variable]) };
    } catch (error) {
      return { ...part, reason: error.message };
    }
  }
}

async function startPostgres(servers, named) {
  if (named) return named;
  const folder = folderOfPrograms(['initdb', 'postgres'], debianPostgresFolders());
  if (folder === undefined)
    throw new Error(`no initdb and postgres on the PATH or in ${debianPostgres}/*/bin`);
  const password = randomPassword();
  const passwordFile = join(servers.folder, 'postgres-password');
  writeFileSync(passwordFile, password, { mode: 0o644 });
  const data = join(servers.folder, 'postgres');
  await servers.finish(join(folder, 'initdb'), [
    ...['--pgdata', data, '--username', 'sluice', '--pwfile', passwordFile],
    ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C', '--no-sync'],
  ]);
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '200',
    // Tests look at plans and locks, and each has its database for seconds.
    autovacuum: 'off',
  };
  const port = await servers.start({
    program: join(folder, 'postgres'),
    args: (port) => ['-D', data, '-p', `${port}`, ...Object.entries(settings).flatMap(asOption)],
    ready: /ready to accept connections/,
    stopSignal: 'SIGQUIT',
  });
  return `postgres://sluice:${password}@127.0.0.1:${port}/postgres`;
}

async function startRedis(servers, named) {
  if (named) return named;
  const program = ['redis-server', 'valkey-server'].find((name) => folderOfPrograms([name]) !== undefined);
  if (program === undefined) throw new Error('no redis-server or valkey-server on the PATH');
  const password = randomPassword();
  const settings = ['--save', '', '--appendonly', 'no', '--requirepass', password];
  const port = await servers.start({
    program,
    args: (port) => ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', servers.folder, ...settings],
    ready: /ready to accept connections/i,
    stopSignal: 'SIGTERM',
  });
  return `redis://:${password}@127.0.0.1:${port}`;
}

function findRecordings(_servers, named) {
  const folder = resolve(root, named || join('..', 'shared', 'captures'));
  for (const part of ['parallel', 'answers']) {
    if (!existsSync(join(folder, part))) throw new Error(`there is no folder ${join(folder, part)}`);
  }
  return folder;
}

function findChromium(_servers, named) {
  if (named) return named;
  // The first is the same browser without its windows, and takes a third less time.
  const names = [
    'chromium-headless-shell',
    ...['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
  ];
  for (const name of names) {
    const folder = folderOfPrograms([name]);
    if (folder !== undefined) return join(folder, name);
  }
  throw new Error(`none of ${names.join(', ')} on the PATH`);
}

function debianPostgresFolders() {
  try {
    return readdirSync(debianPostgres)
      .sort((one, other) => Number(other) - Number(one))
      .map((version) => join(debianPostgres, version, 'bin'));
  } catch {
    return [];
  }
}

function asOption([name, value]) {
  return ['-c', `${name}=${value}`];
}

function randomPassword() {
  return randomBytes(16).toString('hex');
}
