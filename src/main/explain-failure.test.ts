import { expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { AppError } from '../base/errors.ts';
import { StorageError, unavailableError } from '../storage/storage-error.ts';
import { explainFailure } from './explain-failure.ts';

describeOnEachDatabase('a statement that the database refuses', (openDatabase) => {
  test('is told by its code and reason, without the query, its parameters and a trace', async () => {
    const storage = await openDatabase({ migrated: false });
    const writing = storage.db.transaction(async (transaction) => {
      await transaction.execute(sql`SET TRANSACTION READ ONLY`);
      await transaction.execute(sql`CREATE TABLE kept AS SELECT ${'the hash of a token'}::text AS hash`);
    });
    const told = explainFailure(await writing.catch((thrown: unknown) => thrown));
    await storage.close();
    expect(told).toBe(
      'the database did not carry it out: 25006: cannot execute CREATE TABLE AS in a read-only transaction',
    );
  });
});

test('whoever runs the program is told why a database cannot be reached, where clients are told that it is away', () => {
  const full = Object.assign(new Error('sorry, too many clients already'), { code: '53300' });
  expect(explainFailure(unavailableError(full))).toBe(
    'the database cannot be reached: sorry, too many clients already',
  );
});

test('what is meant for people is told as it is, and a fault of the program with its trace', () => {
  expect(
    explainFailure(new AppError({ code: 'not_found', public: 'There is none.', internal: 'hidden' })),
  ).toBe('There is none.');
  expect(explainFailure(new StorageError('too_old', 'It is too old.'))).toBe('It is too old.');
  expect(explainFailure(new Error('a fault'))).toMatch(/^Error: a fault\n +at /);
});
