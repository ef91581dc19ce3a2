/** The program as a person or a supervisor runs it: started by Node, stopped by signals, asked by the command line. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readlink, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { prepareEmbedded } from '../support/databases.ts';
import { startUpstream, type Upstream } from '../support/upstream/index.ts';

/** A first start makes a database, which takes a second alone and half a minute on a machine that has much else to do. */
setDefaultTimeout(600_000);

const launcher = resolve(import.meta.dir, '../../bin/sluice.mjs');

let folder: string;
let upstream: Upstream;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-process-'));
  upstream = startUpstream();
});
afterAll(async () => {
  upstream.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Program {
  readonly child: ChildProcess;
  /** What it has printed so far. */
  text(): string;
  /** Resolves with the exit code, or 128 and the signal's name. */
  readonly ended: Promise<number | string>;
}

function run(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Program {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('node', [launcher, ...args], {
    cwd: folder,
    env: {
      PATH,
      HOME,
      PORT: '0',
      SLUICE_METRICS_ADDRESS: 'off',
      SLUICE_DRAIN_NOTICE_MS: '0',
      SLUICE_DATA_DIR: join(folder, 'data'),
      ...variables,
    },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => {
      text += piece.toString('utf8');
    });
  }
  const ended = once(child, 'close').then(([code, signal]) => Number(code ?? `128${signal}`));
  return { child, text: () => text, ended };
}

async function command(args: readonly string[], variables?: Readonly<Record<string, string>>) {
  const program = run(args, variables);
  const code = await program.ended;
  return { code, text: program.text() };
}

async function started(variables?: Readonly<Record<string, string>>) {
  const program = run(['serve'], variables);
  while (!/Try it:[\s\S]*-d .*\n/.test(program.text())) {
    if (program.child.exitCode !== null) throw new Error(`it ended: ${program.text()}`);
    await Bun.sleep(20);
  }
  const text = program.text();
  const find = (pattern: RegExp) => pattern.exec(text)?.[1] ?? '';
  return {
    ...program,
    url: find(/ready at (\S+)/),
    token: find(/API token:\s+(\S+)/),
    signIn: find(/within an hour\):\s+(\S+)/),
    curl: find(/Try it:\n([\s\S]*?)\n\n/),
  };
}

const post = (url: string, token: string, body: object) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function readRest(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<string> {
  let text = '';
  while (true) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) return text;
    text += Buffer.from(piece.value).toString('utf8');
  }
}

/** The process that the launcher stands before. */
const serverOf = ({ child }: Program): number =>
  Number(Bun.spawnSync(['pgrep', '-P', String(child.pid)]).stdout.toString());

const providers = () => ({ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: upstream.url });
const ask = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] };

/** A data folder with a database in it, where it is not the first start that is looked at. */
async function migratedFolder(name: string): Promise<string> {
  const { options } = await prepareEmbedded();
  const dataDir = join(folder, name);
  await rename(options.dataDir, dataDir);
  return dataDir;
}

/** The tests of one data folder, in the order of its life: each start takes some seconds. */
describe('a data folder', () => {
  const owner = 'owner@sluice.localhost';
  const showWallet = async () =>
    JSON.parse((await command(['wallet', 'show', '--owner', owner, '--json'])).text);
  let first: Awaited<ReturnType<typeof started>>;
  let next: Awaited<ReturnType<typeof started>>;

  test('at its first start gets an account, and a curl line that works is printed', async () => {
    first = await started({ SLUICE_DRAIN_NOTICE_MS: '60000' });
    const pasted = Bun.spawnSync(['sh', '-c', first.curl]);
    expect(pasted.stdout.toString()).toContain('This is a simulation');
    const headers = { accept: 'text/html' };
    const signedIn = await fetch(first.signIn, { method: 'POST', redirect: 'manual', headers });
    expect(signedIn.status).toBe(303);
    expect(JSON.parse((await command(['keys', 'list', '--json'])).text)).toHaveLength(1);
  });

  test('is managed by commands while the server runs, and a revoked key ends at once', async () => {
    const created = await command(['keys', 'create', '--owner', owner, '--name', 'script', '--json']);
    const { id, token } = JSON.parse(created.text);
    expect((await post(first.url, token, { ...ask, model: 'simulator' })).status).toBe(200);
    expect((await command(['keys', 'revoke', String(id)])).code).toBe(0);
    expect((await post(first.url, token, { ...ask, model: 'simulator' })).status).toBe(401);
    const credit = ['wallet', 'credit', '--owner', owner, '--usd', '5', '--reference', 'invoice 7', '--json'];
    expect(JSON.parse((await command(credit)).text)).toMatchObject({ creditedUsd: '5.00', isNew: true });
    expect(JSON.parse((await command(credit)).text)).toMatchObject({ isNew: false });
    const mistaken = await command(['keys', 'create', '--owner', 'nobody@example.test', '--name', 'x']);
    expect(mistaken).toMatchObject({ code: 1 });
    expect(mistaken.text).toContain('There is no account nobody@example.test');
  });

  test('is refused to a second server, which is told who has it', async () => {
    const second = await command(['serve']);
    expect(second.code).toBe(1);
    expect(second.text).toMatch(/in use|process \d+/);
  });

  test('stays served after SIGTERM until a load balancer could see that an idle process stops', async () => {
    first.child.kill('SIGTERM');
    let status = 200;
    while (status === 200) ({ status } = await fetch(`${first.url}/health`));
    expect(status).toBe(503);
    // Another signal than the first, which the launcher would hold for an echo of it.
    first.child.kill('SIGINT');
    expect(await first.ended).toBe(1);
  });

  test('at its next start has the same token; SIGTERM lets a stream end and records what it used', async () => {
    upstream.byDefault({ generate: { tokens: 30 }, shape: { chunkDelayMs: 30 } });
    const { url, token, signIn, child, ended } = await started(providers());
    const full = await showWallet();
    expect(token).toBe(first.token);
    expect(signIn).not.toBe(first.signIn);
    const response = await post(url, token, { ...ask, stream: true });
    const reader = response.body?.getReader();
    await reader?.read();
    child.kill('SIGTERM');
    expect((await readRest(reader)).trimEnd()).toEndWith('data: [DONE]');
    expect(await ended).toBe(0);
    expect(Number((await showWallet()).availableUsd)).toBeLessThan(Number(full.availableUsd));
  });

  test('after kill -9 is taken over by the next start, with all that was recorded', async () => {
    upstream.byDefault({});
    const killed = await started(providers());
    const full = await showWallet();
    expect((await post(killed.url, killed.token, ask)).status).toBe(200);
    let before = await showWallet();
    while (before.availableUsd === full.availableUsd) before = await showWallet();
    // The launcher dies with its child: the whole process group is killed, as a crash of the machine would.
    process.kill(serverOf(killed), 'SIGKILL');
    await killed.ended;
    next = await started(providers());
    expect(await showWallet()).toEqual(before);
  });

  test('lets a stream end when its terminal is closed, of which it is told more than once', async () => {
    const toldTwice = Promise.withResolvers<void>();
    const hold = { until: toldTwice.promise, lastWrites: 1 };
    upstream.byDefault({ generate: { tokens: 30 }, shape: { hold } });
    const response = await post(next.url, next.token, { ...ask, stream: true });
    const reader = response.body?.getReader();
    await reader?.read();
    // Not through the launcher, which would hold the second for an echo.
    const server = serverOf(next);
    process.kill(server, 'SIGHUP');
    while (!next.text().includes('letting answers under way end')) {
      if (next.child.exitCode !== null) throw new Error(`it ended: ${next.text()}`);
      await Bun.sleep(20);
    }
    process.kill(server, 'SIGHUP');
    toldTwice.resolve();
    expect((await readRest(reader)).trimEnd()).toEndWith('data: [DONE]');
    expect(await next.ended).toBe(0);
  });
});

test('a start that cannot open its control socket ends with code 1 and one line', async () => {
  const dataDir = await migratedFolder('blocked');
  await mkdir(join(dataDir, 'run', 'control.sock', 'folder'), { recursive: true });
  const { code, text } = await command(['serve'], { SLUICE_DATA_DIR: dataDir, SLUICE_LOG_LEVEL: 'error' });
  expect(code).toBe(1);
  expect(text.trimEnd()).toMatch(/^sluice: The control socket in \S+ cannot be opened: [^\n]+$/);
});

test('a data folder whose path is too long for a socket: commands still reach the server, others cannot', async () => {
  const dataDir = await migratedFolder('d'.repeat(120));
  const variables = { SLUICE_DATA_DIR: dataDir };
  const { child, ended } = await started(variables);
  const listed = await command(['keys', 'list', '--json'], variables);
  expect(JSON.parse(listed.text)).toHaveLength(1);
  const socketFolder = dirname(await readlink(join(dataDir, 'run', 'control.sock')));
  for (const place of [socketFolder, join(dataDir, 'run')])
    expect((await stat(place)).mode & 0o777).toBe(0o700);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  await expect(stat(socketFolder)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('mistakes in the settings are told together, one line each, without values of secrets', async () => {
  const { code, text } = await command(['config', 'check'], {
    PORT: 'eighty',
    SLUICE_LOG_LEVEL: 'loud',
    SLUICE_SECRET: 'too-short',
    SLUICE_DATA_DRI: 'x',
  });
  expect(code).toBe(1);
  for (const name of ['PORT', 'SLUICE_LOG_LEVEL', 'SLUICE_SECRET', 'SLUICE_DATA_DRI'])
    expect(text).toContain(name);
  expect(text).toContain('did you mean "SLUICE_DATA_DIR"');
  expect(text).not.toContain('too-short');
  expect((await command(['serve'], { PORT: 'eighty' })).code).toBe(1);
});

test('what a bunfig.toml in the current folder preloads is not run', async () => {
  await Bun.write(join(folder, 'bunfig.toml'), 'preload = ["./preloaded.ts"]\n');
  await Bun.write(join(folder, 'preloaded.ts'), "console.log('preloaded');\n");
  const { code, text } = await command(['--version']);
  expect(text).toMatch(/^\d+\.\d+\.\d+\s*$/);
  expect(code).toBe(0);
});

test('doctor says what is there and what is not', async () => {
  const { code, text } = await command(['doctor', '--json'], providers());
  expect(code).toBe(0);
  const { findings } = JSON.parse(text);
  expect(findings.map(({ what }: { what: string }) => what)).toEqual(
    expect.arrayContaining(['configuration', 'database', 'mail']),
  );
  const unreachable = await command(['doctor'], {
    OPENAI_API_KEY: 'x',
    OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
    SLUICE_SMTP_URL: 'smtp://127.0.0.1:1',
    SLUICE_MAIL_FROM: 'sluice@example.test',
    REDIS_URL: 'redis://:s3cret-word@127.0.0.1:1',
  });
  expect(unreachable.code).toBe(1);
  expect(unreachable.text).toContain('redis: does not answer');
  expect(unreachable.text).not.toContain('s3cret-word');
  expect(unreachable.text).toContain('nothing listens there');
  expect(unreachable.text).toContain('mail: 127.0.0.1 port 1 takes no mails: ');
  const dataDir = join(folder, 'no-spool');
  await mkdir(dataDir);
  await writeFile(join(dataDir, 'spool'), '');
  const spoiled = await command(['doctor'], { SLUICE_DATA_DIR: dataDir });
  expect(spoiled.code).toBe(1);
  expect(spoiled.text).toContain(`warning   database: There is no database in the data folder ${dataDir}.`);
  expect(await readdir(dataDir)).toEqual(['spool']);
  expect(spoiled.text).toContain(
    `problem   spool: The folder ${join(dataDir, 'spool')}, where usage is kept`,
  );
  const left = join(folder, 'left-spool', 'spool', '7');
  await mkdir(join(left, 'lock'), { recursive: true });
  const jobs = { SLUICE_DATA_DIR: join(folder, 'left-spool'), SLUICE_ROLE: 'jobs' };
  expect((await command(['doctor'], jobs)).text).toContain(`problem   spool: The folder ${left}, where`);
});

test('doctor examines no other database and no other mails than those of a setting that is mistaken', async () => {
  const mistaken = { DATABASE_URL: 'postgress://db/sluice', SLUICE_SMTP_URL: 'mail.example.com' };
  const { code, text } = await command(['doctor', '--json'], mistaken);
  expect(code).toBe(1);
  const { findings }: { findings: readonly { what: string; detail: string }[] } = JSON.parse(text);
  for (const what of ['database', 'mail']) expect(findings.map((found) => found.what)).not.toContain(what);
  for (const name of Object.keys(mistaken))
    expect(findings.map(({ detail }) => detail)).toContainEqual(expect.stringContaining(name));
});
