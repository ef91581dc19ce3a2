import { expect, test } from 'bun:test';
import { readUrl, writeUrl } from './media.ts';

test.each([
  ['data:image/png;base64,AAAA', 'image/png', 'AAAA'],
  ['data:IMAGE/PNG;base64,AAAA', 'image/png', 'AAAA'],
  ['data:text/plain;charset=utf-8;base64,aGk=', 'text/plain', 'aGk='],
  ['data:,a%20b', 'text/plain', btoa('a b')],
  ['data:text/html,<p>', 'text/html', btoa('<p>')],
])('%s is bytes', (url, mediaType, data) => {
  expect(readUrl(url)).toEqual({ kind: 'base64', mediaType, data });
});

test.each(['https://example.test/data:,x', 'data:nonsense', 'gs://bucket/file'])('%s is a URL', (url) => {
  expect(readUrl(url)).toEqual({ kind: 'url', url });
});

test('bytes become a data URL again', () => {
  const url = 'data:image/png;base64,AAAA';
  expect(writeUrl(readUrl(url))).toBe(url);
});
