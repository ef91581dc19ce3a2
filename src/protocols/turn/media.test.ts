import { expect, test } from 'bun:test';
import { AppError } from '../../base/errors.ts';
import { readMediaType, readUrl, writeUrl } from './media.ts';

test.each([
  ['data:image/png;base64,AAAA', 'image/png', 'AAAA'],
  ['data:IMAGE/PNG;base64,AAAA', 'image/png', 'AAAA'],
  ['data:text/plain;charset=utf-8;base64,aGk=', 'text/plain', 'aGk='],
  ['data:,a%20b', 'text/plain', btoa('a b')],
  ['data:image/jpg;base64,AAAA', 'image/jpeg', 'AAAA'],
  ['data:image/pjpeg;base64,AAAA', 'image/jpeg', 'AAAA'],
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

test.each(['data:image/svg+xml,100%', 'data:,%E0%A4%A'])('%s is refused with a 400', (url) => {
  let error: unknown;
  try {
    readUrl(url);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(AppError);
  expect(error).toMatchObject({ code: 'invalid_parameter', param: 'messages' });
});

test.each([
  ['image/jpg', 'image/jpeg'],
  ['IMAGE/JPG', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/png', 'image/png'],
])('%s is the type %s', (name, mediaType) => {
  expect(readMediaType(name)).toBe(mediaType);
});
