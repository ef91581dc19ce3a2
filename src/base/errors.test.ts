import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import { AppError, asAppError, describeThrown, errorKinds } from './errors.ts';

const secret = 'the hash of a token';
const driverError = Object.assign(new Error('value out of range'), { code: '22003' });
const queryError = new DrizzleQueryError('select $1', [secret], driverError);

test('an internal error tells what the driver said, and neither the query nor its parameters', () => {
  const error = asAppError(queryError);
  expect(error).toMatchObject({ code: 'internal_error', internal: '22003: value out of range' });
  expect(error.cause).toBe(driverError);
  expect(driverError.stack).not.toContain(secret);
  expect(error.message).not.toContain('range');
});

test('a query that failed for no known reason is described without its parameters', () => {
  expect(queryError.message).toContain(secret);
  expect(describeThrown(new DrizzleQueryError('select $1', [secret]))).toBe(
    'a query failed without a reason',
  );
});

test('other errors are described by their message, and other values as they are', () => {
  expect(describeThrown(new Error('outer', { cause: driverError }))).toBe('outer');
  expect(describeThrown(Object.assign(new Error('ENOTDIR: no folder'), { code: 'ENOTDIR' }))).toBe(
    'ENOTDIR: no folder',
  );
  expect(describeThrown('a text')).toBe('a text');
  expect(describeThrown(undefined)).toBe('undefined');
});

test('what is quoted in a message is told up to a bound', () => {
  const error = new AppError({ code: 'invalid_parameter', public: `no such type: ${'x'.repeat(1_000_000)}` });
  expect(error.message).toHaveLength(4000);
  expect(error.message).toStartWith('no such type: xxx');
});

/** What programs of the gateway never see: pages and the account API say these. */
const ofPeople = new Set([
  'not_signed_in',
  'wrong_credentials',
  'wrong_code',
  'first_step_over',
  'account_archived',
  'email_unverified',
  'terms_not_accepted',
  'sign_in_elsewhere',
  'cross_site',
  'proof_needed',
  'not_allowed',
  'not_acceptable',
  'conflict',
  'link_over',
  'identity_provider_unavailable',
  // The client is gone: it stands in the usage record alone.
  'client_closed',
]);

test('the document of the gateway names every code that its clients can meet, beside its status', () => {
  const document = readFileSync(join(import.meta.dirname, '../../docs/api.md'), 'utf8');
  const table = document.slice(document.indexOf('| status | `code` |'));
  const named = new Map<string, number>();
  for (const [, status, codes = ''] of table.matchAll(/^\| (\d{3}) \| (.*) \|$/gm)) {
    for (const [, code = ''] of codes.matchAll(/`(\w+)`/g)) named.set(code, Number(status));
  }
  const kinds = Object.entries(errorKinds).filter(([code]) => !ofPeople.has(code));
  expect(Object.fromEntries(named)).toEqual(
    Object.fromEntries(kinds.map(([code, { status }]) => [code, status])),
  );
});
