import { expect, test } from 'bun:test';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import { AppError, asAppError, describeThrown } from './errors.ts';

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
