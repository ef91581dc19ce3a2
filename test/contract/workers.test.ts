/** Several processes on one port, as a person or a supervisor of services runs them. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { eq } from 'drizzle-orm';
import { checkBooks, listHolders } from '../../src/ledger/index.ts';
import { readMoney } from '../../src/ledger/testing/read-money.ts';
import { openStorage } from '../../src/storage/index.ts';
import { usageRecords } from '../../src/storage/schema/usage.ts';
import { describeOnEachDatabase, type PreparedDatabase } from '../support/databases.ts';
import { newToken } from '../support/sluice.ts';
import { startUpstream, type Upstream } from '../support/upstream/index.ts';

/** Eight starts of the program, on a machine that may be busy. */
const testTimeoutMs = 180_000;

const launcher = resolve(import.meta.dir, '../../bin/sluice.mjs');

describeOnEachDatabase('serve --workers', (_open, { kind, prepare }) => {
  let folder: string;
  let database: PreparedDatabase;
  let upstream: Upstream;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-workers-'));
    database = await prepare();
    upstream = startUpstream();
  });
  afterAll(async () => {
    await database.discard();
    upstream.stop();
    await rm(folder, { recursive: true, force: true });
  });

  interface Program {
    readonly child: ChildProcess;
    text(): string;
    readonly ended: Promise<number>;
  }

  function run(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Program {
    const { PATH = '', HOME = '' } = process.env;
    const secret = { SLUICE_SECRET: 'a secret of the tests, long enough' };
    const child = spawn('node', [launcher, ...args], {
      cwd: folder,
      env: {
        PATH,
        HOME,
        PORT: '0',
        SLUICE_METRICS_ADDRESS: 'off',
        SLUICE_DRAIN_NOTICE_MS: '0',
        ...secret,
        ...database.variables,
        ...variables,
      },
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (piece: Buffer) => {
        text += piece.toString('utf8');
      });
    }
    return { child, text: () => text, ended: once(child, 'close').then(([code]) => Number(code)) };
  }

  async function until<Value>(program: Program, read: () => Value | undefined | false): Promise<Value> {
    for (;;) {
      const value = read();
      if (value !== undefined && value !== false) return value;
      if (program.child.exitCode !== null) throw new Error(`it ended: ${program.text()}`);
      await Bun.sleep(20);
    }
  }

  const childrenOf = (pid: number): number[] =>
    Bun.spawnSync(['pgrep', '-P', String(pid)])
      .stdout.toString()
      .split('\n')
      .filter((line) => line !== '')
      .map(Number);

  /**
   * The second process takes the port after that of the first. They lie below those that the kernel hands out, so that
   * no other test is given one of them in between.
   */
  function twoFreePorts(): number {
    for (;;) {
      const port = 20_000 + Math.floor(Math.random() * 10_000);
      const listeners = [port, port + 1].map(listenOn);
      for (const listener of listeners) listener?.stop(true);
      if (listeners.every((listener) => listener !== undefined)) return port;
    }
  }

  function listenOn(port: number) {
    try {
      return Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } });
    } catch {
      return undefined;
    }
  }

  async function untilItListens(port: number): Promise<void> {
    // Not of its metrics, which are rendered once a second.
    const isListening = () => fetch(`http://127.0.0.1:${port}/`).then(Boolean, () => false);
    while (!(await isListening())) await Bun.sleep(20);
  }

  async function countServed(port: number): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Number(/^sluice_requests_total\{[^}]*outcome="complete"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  }

  const bannerOf = async (program: Program) => {
    await until(program, () => /Try it:[\s\S]*-d .*\n/.test(program.text()));
    const find = (pattern: RegExp) => pattern.exec(program.text())?.[1] ?? '';
    return { url: find(/ready at (\S+)/), token: find(/API token:\s+(\S+)/) };
  };

  if (kind === 'embedded') {
    test('a number that is none, or too large, is refused', async () => {
      for (const number of ['0', '65', 'two']) {
        const refused = run(['serve', '--workers', number]);
        expect(await refused.ended).toBe(1);
        expect(refused.text()).toContain('It takes a whole number from 1 to 64.');
      }
    });

    test('is refused on the embedded database, which serves one process', async () => {
      const refused = run(['serve', '--workers', '2']);
      expect(await refused.ended).toBe(1);
      expect(refused.text()).toContain('sluice: --workers needs DATABASE_URL');
    });
    return;
  }

  test(
    'shares a port, replaces who ends, is not joined by others, and stops as one',
    async () => {
      const metricsPort = twoFreePorts();
      const providers = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: upstream.url };
      const program = run(['serve', '--workers', '2'], {
        SLUICE_METRICS_ADDRESS: `127.0.0.1:${metricsPort}`,
        ...providers,
      });
      const { url, token } = await bannerOf(program);
      const [supervisor = 0] = childrenOf(program.child.pid ?? 0);
      const workers = () => {
        const pids = childrenOf(supervisor);
        return pids.length === 2 && pids;
      };
      const first = await until(program, workers);
      // The banner is the first worker's; the second is ready a moment later.
      for (const port of [metricsPort, metricsPort + 1]) await untilItListens(port);
      const ask = (signal?: AbortSignal) =>
        fetch(`${url}/v1/chat/completions`, {
          ...(signal === undefined ? {} : { signal }),
          method: 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            connection: 'close',
          },
          body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] }),
        });
      const credit = [
        'wallet',
        'credit',
        '--owner',
        'owner@sluice.localhost',
        '--usd',
        '5',
        '--reference',
        'one',
      ];
      expect(await run(credit).ended).toBe(0);
      const statuses = await Promise.all(Array.from({ length: 40 }, async () => (await ask()).status));
      expect(new Set(statuses)).toEqual(new Set([200]));
      const served = await Promise.all([metricsPort, metricsPort + 1].map(countServed));
      expect(Math.min(...served)).toBeGreaterThan(0);
      expect(served.reduce((sum, count) => sum + count, 0)).toBe(40);

      const { port } = new URL(url);
      for (const args of [['serve'], ['serve', '--workers', '2']]) {
        const second = run(args, { PORT: port, ...providers });
        expect(await second.ended).toBe(1);
        expect(second.text()).toContain(`Port ${port} on 127.0.0.1 cannot be used`);
      }

      // Each of them has requests under way.
      upstream.byDefault({ shape: { firstDelayMs: 600_000 } });
      const leaving = new AbortController();
      const slow = Array.from({ length: 16 }, () => ask(leaving.signal).catch(() => undefined));
      await upstream.received(40 + slow.length);
      const storage = await openStorage(database.options);
      const before = (await listHolders(storage.db)).map(({ id }) => id);
      process.kill(first[0] ?? 0, 'SIGKILL');
      const second = await until(program, () => {
        const pids = workers();
        return pids !== false && !pids.includes(first[0] ?? 0) && pids;
      });
      expect(second).toContain(first[1] ?? 0);
      expect(program.text()).toContain('a worker ended by itself and is started again');
      // Whoever takes its place writes what it owed and gives back what it had leased, while the other one serves.
      const interrupted = async () =>
        await storage.db.select().from(usageRecords).where(eq(usageRecords.outcome, 'interrupted'));
      while ((await interrupted()).length === 0) await Bun.sleep(20);
      while ((await listHolders(storage.db)).filter(({ id }) => before.includes(id)).length > 1)
        await Bun.sleep(20);
      for (const port of [metricsPort, metricsPort + 1]) await untilItListens(port);
      upstream.byDefault({});
      leaving.abort();
      await Promise.all(slow);
      expect((await ask()).status).toBe(200);

      program.child.kill('SIGTERM');
      expect(await program.ended).toBe(0);
      expect((await readMoney(storage.db)).leasedNanoUsd).toBe(0n);
      expect(await listHolders(storage.db)).toEqual([]);
      expect(await checkBooks(storage.db)).toEqual([]);
      await storage.close();
      for (const pid of second) expect(() => process.kill(pid, 0)).toThrow();
    },
    testTimeoutMs,
  );

  test(
    'says of each that is started again how that one ended',
    async () => {
      const path = join(folder, 'edited.yaml');
      await writeFile(path, 'users: []\n');
      const metricsPort = twoFreePorts();
      const program = run(['serve', '--workers', '2'], {
        ...{ SLUICE_CONFIG: path, SLUICE_METRICS_ADDRESS: `127.0.0.1:${metricsPort}` },
      });
      await until(program, () => program.text().includes('ready at'));
      for (const port of [metricsPort, metricsPort + 1]) await untilItListens(port);
      const [supervisor = 0] = childrenOf(program.child.pid ?? 0);
      const [first = 0] = childrenOf(supervisor);
      await writeFile(path, 'no_such_member: 1\n');
      process.kill(first, 'SIGKILL');
      await until(program, () => /ended before it listened.*exit code 1\b/.test(program.text()));
      expect(program.text().match(/a worker ended by itself/g)).toHaveLength(1);
      program.child.kill('SIGTERM');
      expect(await program.ended).toBe(0);
    },
    testTimeoutMs,
  );

  test('ends with code 1 and one line when its processes cannot start', async () => {
    const variables = { SLUICE_CONFIG: join(folder, 'sluice.yaml') };
    await Bun.write(
      variables.SLUICE_CONFIG,
      `keys: [{ name: lost, owner: nobody@example.test, token: ${newToken()} }]\n`,
    );
    const program = run(['serve', '--workers', '2'], variables);
    expect(await program.ended).toBe(1);
    expect(program.text()).toContain('nobody@example.test');
  });
});
