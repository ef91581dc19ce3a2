import { expect, test } from 'bun:test';
import { readBoundary } from './form-headers.ts';

test.each([
  ['multipart/form-data; boundary=abc', 'abc'],
  ['Multipart/Form-Data;charset=utf-8;Boundary="a b; c"', 'a b; c'],
  ['multipart/form-data; boundary=abc; charset=utf-8', 'abc'],
])('%p names %p', (type, boundary) => {
  expect(readBoundary(type)).toBe(boundary);
});

test.each([null, 'application/json', 'multipart/mixed; boundary=x', 'multipart/form-database; boundary=x'])(
  '%p is no form',
  (type) => {
    expect(() => readBoundary(type)).toThrow('The content type must be multipart/form-data');
  },
);

test.each([
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=""',
  `multipart/form-data; boundary=${'x'.repeat(201)}`,
])('%p names no usable boundary', (type) => {
  expect(() => readBoundary(type)).toThrow('boundary');
});
