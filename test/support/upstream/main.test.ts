/** The double as a program of its own, as the bench runs it. */
import { afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';

const program = join(import.meta.dir, 'main.ts');
const body = JSON.stringify({
  model: 'barge-1',
  messages: [{ role: 'user', content: 'Hello' }],
  stream: true,
});

let run: Bun.Subprocess<'ignore', 'pipe', 'pipe'>;
afterEach(() => run.kill('SIGKILL'));

function start(...words: string[]): void {
  run = Bun.spawn([process.execPath, program, ...words], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
}

test('it prints its address, streams as told, and prints its counts when it is ended', async () => {
  start('--tokens', '5', '--chunk-delay-ms', '1');
  const output = run.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const address: unknown = JSON.parse((await output.read()).value ?? '');
  expect(address).toHaveProperty('url', expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/));
  const url = address instanceof Object && 'url' in address ? String(address.url) : '';
  const text = await (await fetch(`${url}/chat/completions`, { method: 'POST', body })).text();
  // A role, five tokens, a finish and the terminator.
  expect(text.trim().split('\n\n')).toHaveLength(8);
  run.kill('SIGTERM');
  expect(JSON.parse((await output.read()).value ?? '')).toMatchObject({ requests: 1, contentTokens: 5 });
  expect(await run.exited).toBe(0);
});

test('it refuses a number that is none', async () => {
  start('--tokens', 'many');
  expect(await run.exited).toBe(2);
  expect(await new Response(run.stderr).text()).toContain('--tokens');
});
