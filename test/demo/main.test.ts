/** What `npm run demo` looks at before it fills anything, which takes minutes: as a program of its own. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

describe('a demonstration that cannot be served', () => {
  let parent = '';
  let taken: Bun.Server<undefined>;
  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'sluice-demo-'));
    taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
  });
  afterAll(async () => {
    await taken.stop(true);
    await rm(parent, { recursive: true, force: true });
  });

  const folder = () => join(parent, 'data');

  async function start(args: readonly string[], variables: Readonly<Record<string, string>>) {
    const config = `--config=${join(root, 'bin/bunfig.toml')}`;
    const script = join(root, 'test/demo/main.ts');
    const { PATH = '', HOME = '' } = process.env;
    const child = Bun.spawn([process.execPath, config, script, '--data-dir', folder(), ...args], {
      env: { PATH, HOME, PORT: '0', ...variables },
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [exitCode, output, errors] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { exitCode, printed: output + errors };
  }

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
