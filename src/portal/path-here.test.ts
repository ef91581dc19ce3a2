import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { pathHere } from './path-here.ts';

const host = 'https://sluice.test';

test('a path of this host, with its query and fragment, stays as it is', () => {
  for (const path of [
    '/',
    '/keys?sort=-name&page=2',
    '/a/b#c',
    '/invite/x_y-z',
    '/%2F%2Fother.test',
    '/@a.test',
  ]) {
    expect(pathHere(path, '/else')).toBe(path);
  }
});

test.each([
  null,
  undefined,
  '',
  'x',
  'https://other.test',
  'javascript:alert(1)',
  '//other.test',
  '/\\other.test',
  '\\/other.test',
  '/\t/other.test',
  '/\n/other.test',
  '/a\r\nset-cookie: b',
  '/a b',
  '/ü',
  ' /a',
  '/a\0',
  `/${'x'.repeat(2000)}`,
])('%p leads to where it leads otherwise', (path) => {
  expect(pathHere(path, '/else')).toBe('/else');
});

test('no address whatever leads to another host, or out of the header that it is written in', () => {
  const parts = fc.constantFrom(
    '/',
    '\\',
    '//',
    'http:',
    '.',
    '..',
    '@',
    '?',
    '#',
    '\t',
    '\n',
    '\r',
    ' ',
    '%',
    'other.test',
    ':',
    '\u3002',
    '/a',
  );
  const odd = fc.oneof(
    fc.string(),
    fc.webUrl(),
    fc.array(parts, { maxLength: 8 }).map((some) => some.join('')),
  );
  fc.assert(
    fc.property(odd, (address) => {
      const path = pathHere(address);
      expect(new URL(path, host).origin).toBe(host);
      expect(path).toMatch(/^[\x21-\x7e]+$/);
    }),
    { numRuns: 3000 },
  );
});
