/** What a new key is shown with: something to copy for each client that people have, with its token and a model of its own. */
import { expect, test } from 'bun:test';
import { keySamples } from './key-samples.ts';

test('a key comes with a set-up for curl, two languages and two agents, each with its token and a model', () => {
  const aim = { address: 'https://sluice.test', model: 'maker/model' };
  const samples = keySamples({ ...aim, token: 'sluice_abc' }, 'is a variable of the environment');
  expect(samples.map(({ name }) => name)).toEqual(['curl', 'Python', 'TypeScript', 'Claude Code', 'Codex']);
  for (const { name, code } of samples) {
    expect([name, code.split('sluice_abc').length]).toEqual([name, 2]);
    expect(code).toContain('SLUICE_TOKEN');
    expect(code).toContain('https://sluice.test');
    expect(code).toContain('maker/model');
  }
});
