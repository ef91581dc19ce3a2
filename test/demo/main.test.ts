/** `npm run demo` as a program of its own: what it looks at before it fills anything, and what it makes of a filling that was killed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOnEachDatabase, prepareEmbedded } from '../support/databases.ts';
import { claimFilling } from './wholeness.ts';

const root = join(import.meta.dirname, '../..');

let parent = '';
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'sluice-demo-'));
});
afterAll(() => rm(parent, { recursive: true, force: true }));

const folder = () => join(parent, 'data');

function spawn(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const config = `--config=${join(root, 'bin/bunfig.toml')}`;
  const script = join(root, 'test/demo/main.ts');
  const { PATH = '', HOME = '' } = process.env;
  return Bun.spawn([process.execPath, config, script, '--data-dir', folder(), ...args], {
    env: { PATH, HOME, PORT: '0', ...variables },
    stdout: 'pipe',
    stderr: 'pipe',
  });
}

async function start(args: readonly string[], variables?: Readonly<Record<string, string>>) {
  const child = spawn(args, variables);
  const [exitCode, output, errors] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode, printed: output + errors };
}

describe('a demonstration that cannot be served', () => {
  let taken: Bun.Server<undefined>;
  beforeAll(() => {
    taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
  });
  afterAll(() => taken.stop(true));

  test('because its port is taken says so in a line, and fills nothing', async () => {
    const port = String(taken.port);
    const { exitCode, printed } = await start(['--rows', '1'], { PORT: port });
    expect(printed).toStartWith(`sluice: Port ${port} on 127.0.0.1 cannot be used: `);
    expect(printed.trim().split('\n')).toHaveLength(1);
    expect(exitCode).toBe(1);
    expect(existsSync(folder())).toBeFalse();
  });

  test.each([
    [['--rows', 'many'], {}, 'sluice: --rows takes a whole number from 1.\n'],
    [['--row', '5'], {}, "sluice: Unknown option '--row'"],
    [[], { PORT: 'x' }, 'sluice: the settings cannot be used:\nPORT: "x" will not do'],
  ])(
    'because of %j and %j says what is wrong, without a trace',
    async (args, variables: Record<string, string>, said) => {
      const { exitCode, printed } = await start(args, variables);
      expect(printed).toStartWith(said);
      expect(printed).not.toContain('.ts:');
      expect(exitCode).toBe(1);
      expect(existsSync(folder())).toBeFalse();
    },
  );
});

test('a demonstration that was killed while it was filled is made anew, and one that is whole stays', async () => {
  // An empty database is there already: to make one takes longer than to fill it.
  await rename((await prepareEmbedded({ migrated: false })).options.dataDir, folder());
  const args = ['--fill-only', '--rows', '60', '--days', '20'];
  const killed = spawn(args);
  for await (const piece of killed.stderr) {
    if (new TextDecoder().decode(piece).includes('requests')) break;
  }
  killed.kill('SIGKILL');
  await killed.exited;
  const again = await start(args);
  expect(again.printed).toStartWith('The demonstration was not filled to its end; it is made anew.\n');
  expect(again.printed).toContain('\nFilled in ');
  expect(again.exitCode).toBe(0);
  const once = await start(args);
  expect(once.printed).toStartWith('The demonstration is there already');
}, 600_000);

describeOnEachDatabase('a database that two demonstrations would fill', (_, { kind, prepare }) => {
  // The embedded one belongs to one process alone, whatever it does.
  test.skipIf(kind === 'embedded')(
    'is filled by one of them, and the other says so in a line',
    async () => {
      const { options, variables, discard } = await prepare();
      const begin = () =>
        start(['--fill-only', '--rows', '10', '--days', '20'], {
          ...variables,
          SLUICE_SECRET: 'a secret of the tests, long enough',
        });
      const release = await claimFilling(options);
      const second = await begin();
      expect(second.printed).toBe(
        'sluice: Another process is filling this database at the moment: start again once it is done.\n',
      );
      expect(second.exitCode).toBe(1);
      await release();
      const both = await Promise.all([begin(), begin()]);
      expect(both.filter(({ printed }) => printed.includes('Filled in '))).toHaveLength(1);
      expect(both.map(({ printed }) => printed).join('')).toMatch(/Another process|is there already/);
      await discard();
    },
    600_000,
  );
});
