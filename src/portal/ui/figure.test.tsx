/** The course in small that stands below a figure, where little of it was measured. */
import { expect, test } from 'bun:test';
import { Figures } from './figure.tsx';

const pathsOf = (course: readonly (number | null)[]): readonly (string | undefined)[] => {
  const html = (<Figures figures={[{ name: 'Errors', value: '1', course }]} />).toString();
  return [...String(html).matchAll(/ d="([^"]*)"/g)].map(([, path]) => path);
};

test.each([
  [
    'of several values goes from the first to the last',
    [null, 1, null, 2],
    ['M33.3 30L33.3 15L100 1L100 30Z', 'M33.3 15L100 1'],
  ],
  ['of one value is as wide as can be seen', [3], ['M0 30L0 1L2 1L2 30Z', 'M0 1L2 1']],
  [
    'of one value at the end does not go beyond it',
    [null, null, 3],
    ['M98 30L98 1L100 1L100 30Z', 'M98 1L100 1'],
  ],
  ['of no value draws nothing', [null, null], []],
  ['of no time draws nothing', [], []],
])('a course %s', (_, course, paths) => {
  expect(pathsOf(course)).toEqual(paths);
});
