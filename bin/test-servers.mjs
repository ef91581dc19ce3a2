/** Throw-away servers for one test run: each on a free loopback port, in one temporary folder, gone at the end. */
import { spawn, spawnSync } from 'node:child_process';
import {
  accessSync,
  chownSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { freemem, hostname, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const startTimeoutMs = 60_000;
const stopTimeoutMs = 5_000;
const portAttempts = 3;
const keptOutputLength = 4_000;

const sharedMemory = '/dev/shm';
/** Several times of what a run takes. */
const roomBytes = 4 * 1024 ** 3;

const folderPrefix = 'sluice-test-servers-';
/** Names the process that removes the folder. */
const ownerFile = 'owner';

export class TestServers {
  folder;
  /** For what is written beside the servers: it goes with them. */
  temporaryFolder;
  stopped = false;
  #account = unprivilegedAccount();
  #guard = diesWithParent();
  #children = new Set();

  /** With `inMemory` all is kept in memory, where the machine lets files be there and has room. */
  constructor({ inMemory = false } = {}) {
    const parent = inMemory ? quickestFolder() : tmpdir();
    removeLeftBehind(parent);
    this.folder = mkdtempSync(join(parent, folderPrefix));
    writeFileSync(join(this.folder, ownerFile), ownerName(process.pid));
    this.temporaryFolder = join(this.folder, 'tmp');
    mkdirSync(this.temporaryFolder);
    if (this.#account !== undefined) chownSync(this.folder, this.#account.uid, this.#account.gid);
  }

  /** Runs a program to its end; throws with its output when it fails. */
  async finish(program, args) {
    const { output, ended } = this.#spawn([program, ...args]);
    const exitCode = await ended;
    if (exitCode !== 0) throw new Error(`${program} ended with ${exitCode}: ${output()}`);
  }

  /** Starts a server and resolves to its port once its output matches `ready`. */
  async start({ program, args, ready, stopSignal }) {
    for (let attempt = 1; ; attempt += 1) {
      const port = await freePort();
      const server = this.#spawn([...this.#guard, program, ...args(port)], stopSignal);
      if (await server.says(ready)) return port;
      if (attempt === portAttempts || !/in use/i.test(server.output())) {
        throw new Error(`${program} did not start: ${server.output().trim()}`);
      }
    }
  }

  /** Ends every server and removes the folder. */
  async stop() {
    this.stopped = true;
    await Promise.all([...this.#children].map((child) => child.stop()));
    try {
      // A server that was killed may leave a process that still writes.
      rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    } catch (error) {
      console.error(`${this.folder} stays until the next run: ${error.message}`);
    }
  }

  #spawn([program, ...args], stopSignal = 'SIGTERM') {
    if (this.stopped) throw new Error('the test run is over');
    const child = spawn(program, args, {
      cwd: this.folder,
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A Ctrl-C at the terminal is for us; the servers end when the tests have let go of them.
      detached: true,
      ...this.#account,
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        text = (text + chunk).slice(-keptOutputLength);
      });
    }
    const ended = new Promise((resolve) => {
      child.once('error', (error) => {
        text += error.message;
        resolve(1);
      });
      child.once('close', (code, signal) => resolve(code ?? signal));
    });
    const entry = {
      ended,
      output: () => text,
      says: (pattern) => untilMatch(child, pattern, () => text, ended),
      stop: async () => {
        child.kill(stopSignal);
        const killer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
        await ended;
        clearTimeout(killer);
      },
    };
    this.#children.add(entry);
    void ended.then(() => this.#children.delete(entry));
    return entry;
  }
}

/** The folders of runs that were killed, which may be in memory. */
function removeLeftBehind(parent) {
  for (const name of readdirSync(parent).filter((each) => each.startsWith(folderPrefix))) {
    const folder = join(parent, name);
    try {
      const owner = readFileSync(join(folder, ownerFile), 'utf8');
      const [pid] = owner.split(' ');
      // Of a process in another container nothing can be told from here.
      if (owner !== ownerName(pid) || isRunning(Number(pid))) continue;
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // It is being made or removed at this moment, or belongs to somebody else.
    }
  }
}

function ownerName(pid) {
  let namespace = '';
  try {
    namespace = readlinkSync('/proc/self/ns/pid');
  } catch {
    // This system has none.
  }
  return `${pid} ${hostname()} ${namespace}`;
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

/** Databases of tests are thrown away, and the thousand small files of each cost ten times as much on a disk. */
function quickestFolder() {
  try {
    const { bavail, bsize } = statfsSync(sharedMemory);
    if (Math.min(bavail * bsize, process.availableMemory?.() ?? freemem()) >= roomBytes) return sharedMemory;
  } catch {
    // This system has none.
  }
  return tmpdir();
}

/** The first of the folders, then of the PATH, that holds all the programs; undefined when none does. */
export function folderOfPrograms(names, folders = []) {
  const path = (process.env.PATH ?? '').split(delimiter);
  return [...folders, ...path].find((folder) => names.every((name) => isExecutable(join(folder, name))));
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function untilMatch(child, pattern, text, ended) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), startTimeoutMs);
    const look = () => {
      if (!pattern.test(text())) return;
      clearTimeout(timer);
      resolve(true);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    void ended.then(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** PostgreSQL refuses to run as root: then the servers run as one of these instead. */
function unprivilegedAccount() {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const account = ['postgres', 'nobody'].flatMap((name) =>
    accounts.filter((fields) => fields[0] === name),
  )[0];
  return account === undefined ? undefined : { uid: Number(account[2]), gid: Number(account[3]) };
}

/** A command prefix that ends a server when this process is killed and cannot; empty where the machine has none. */
function diesWithParent() {
  const prefix = ['setpriv', '--pdeathsig', 'INT'];
  return spawnSync(prefix[0], [...prefix.slice(1), 'true']).status === 0 ? prefix : [];
}
