import { expect, test } from 'bun:test';
import { addressOf } from './http-server.ts';

test.each([
  ['127.0.0.1', 'http://127.0.0.1:8080'],
  ['0.0.0.0', 'http://127.0.0.1:8080'],
  ['::', 'http://127.0.0.1:8080'],
  ['::1', 'http://[::1]:8080'],
  ['sluice.internal', 'http://sluice.internal:8080'],
])('a server that listens on %s is reached at %s', (host, address) => {
  expect(addressOf(host, 8080)).toBe(address);
});
