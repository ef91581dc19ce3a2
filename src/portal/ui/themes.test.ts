/** What the two themes differ in: the checks in a browser look at all of a page in one of them, and at colours in the other. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';

const portal = join(import.meta.dir, '..');

test('themes change colours alone', async () => {
  const rules: string[] = [];
  for (const name of new Bun.Glob('**/*.css').scanSync(portal)) {
    const text = await Bun.file(join(portal, name)).text();
    expect({ name, asksForTheTheme: text.includes('prefers-color-scheme') }).toEqual({
      name,
      asksForTheTheme: false,
    });
    for (const [rule] of text.matchAll(/[^\n]*data-theme=[^}]*\}/g)) rules.push(rule.replaceAll(/\s+/g, ' '));
  }
  expect(rules).toEqual([
    ':root[data-theme="light"] { color-scheme: light; }',
    ':root[data-theme="dark"] { color-scheme: dark; }',
  ]);
});
