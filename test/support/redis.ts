/** Redis for tests: the server that the environment names for all, and servers of a test's own to kill and pause. */
import { describe, test } from 'bun:test';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { portOfOwn } from './port-of-own.ts';

const redisUrlName = 'SLUICE_TEST_REDIS_URL';
const startTimeoutMs = 30_000;

/** Registers the suite with the server's address; without one it is skipped by name, and fails when `CI` is `true`. */
export function describeOnRedis(title: string, suite: (url: string) => void): void {
  const url = process.env[redisUrlName];
  if (url !== undefined && url !== '') {
    describe(title, () => suite(url));
    return;
  }
  const need = `${title} (needs ${redisUrlName})`;
  if (process.env['CI'] === 'true') {
    test(need, () => {
      throw new Error(`${redisUrlName} is not set.`);
    });
    return;
  }
  describe.skip(need, () => suite('redis://127.0.0.1:1'));
}

/** One that a test does what it likes with. It keeps nothing on a disk: after a restart it is empty. */
export interface OwnRedis {
  readonly url: string;
  kill(): Promise<void>;
  /** On the same port. */
  start(): Promise<void>;
  /** It takes connections and says nothing. */
  pause(): void;
  resume(): void;
}

export async function startOwnRedis(): Promise<OwnRedis> {
  const program = Bun.which('redis-server') ?? Bun.which('valkey-server');
  if (program === null) throw new Error('There is no redis-server or valkey-server on the PATH.');
  let port = await portOfOwn();
  let child = await launch(program, port).catch(async () => {
    // Somebody else was given it in between.
    port = await portOfOwn();
    return await launch(program, port);
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    async kill() {
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
    },
    async start() {
      child = await launch(program, port);
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  };
}

async function launch(program: string, port: number): Promise<ChildProcess> {
  const settings = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn(program, ['--port', String(port), ...settings], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { promise, resolve, reject } = Promise.withResolvers<ChildProcess>();
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    printed += piece;
    if (/ready to accept connections/i.test(printed)) resolve(child);
  });
  child.once('close', () => reject(new Error(`Redis did not start: ${printed}`)));
  const killer = setTimeout(() => child.kill('SIGKILL'), startTimeoutMs);
  return await promise.finally(() => clearTimeout(killer));
}
