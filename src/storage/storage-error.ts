/** What can go wrong between the program and its database, said in one line that tells the reader what to do, and what the driver threw. */
import pg from 'pg';
import { AppError } from '../base/errors.ts';

export type StorageErrorCode =
  | 'bad_database_url'
  | 'unreachable'
  | 'wrong_password'
  | 'not_permitted'
  | 'no_such_database'
  | 'too_many_connections'
  | 'too_old'
  | 'newer_than_code'
  | 'migration_blocked'
  | 'migration_failed'
  | 'data_dir'
  | 'data_dir_in_use'
  | 'embedded_failed';

export class StorageError extends Error {
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StorageError';
    this.code = code;
  }
}

/** The data folder belongs to another process. */
export class DataDirInUseError extends StorageError {
  /** Null when the holder has not written its process id yet. */
  readonly holderPid: number | null;

  constructor(dataDir: string, holderPid: number | null) {
    const holder = holderPid === null ? 'another process' : `process ${holderPid}`;
    super(
      'data_dir_in_use',
      `The data folder ${dataDir} is in use by ${holder}. Stop it, or set SLUICE_DATA_DIR to another folder.`,
    );
    this.name = 'DataDirInUseError';
    this.holderPid = holderPid;
  }
}

/** @returns a SQLSTATE such as `23505`, a system error such as `ECONNREFUSED`, or undefined for anything else. */
export function databaseErrorCode(thrown: unknown): string | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (!(error instanceof AppError) && 'code' in error && typeof error.code === 'string') return error.code;
  }
  return undefined;
}

/** Told to callers who need the database meanwhile. What the driver said stays its cause. */
export function unavailableError(cause: unknown): AppError {
  return new AppError({
    code: 'database_unavailable',
    public: 'The database of this service cannot be reached at the moment. Try again in a few seconds.',
    internal: `the database cannot be reached: ${databaseErrorMessage(cause)}`,
    retryAfterSeconds: 5,
    cause,
  });
}

/** The innermost message: the query builder wraps the server's answer in the text of the query. */
export function databaseErrorMessage(thrown: unknown): string {
  let message = String(thrown);
  for (let error = thrown; error instanceof Error; error = error.cause) message = error.message;
  return message;
}

/** What is left to a statement whose connection broke, or was ended because it did not answer. */
const lostMessages =
  /^(Connection terminated|Client has encountered a connection error|it did not answer within)/;
const lostCodes: ReadonlySet<string | undefined> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ECONNREFUSED',
]);

/** True when nobody knows what became of the statement, because its connection is gone. */
export const isConnectionLost = (thrown: unknown): boolean =>
  isConnectionEnded(thrown) ||
  lostCodes.has(databaseErrorCode(thrown)) ||
  (thrown instanceof Error && lostMessages.test(withoutQueryText(thrown)));

function withoutQueryText(thrown: Error): string {
  for (let error: unknown = thrown; error instanceof Error; error = error.cause) {
    if (!('params' in error)) return error.message;
  }
  return thrown.message;
}

/** True when the server ended the connection with its answer. A socket that was lost is noticed by the driver. */
export function isConnectionEnded(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof pg.DatabaseError) return error.severity === 'FATAL' || error.severity === 'PANIC';
  }
  return false;
}

/**
 * True when the server takes no writes: in a fail-over an address can lead to a standby for a while. The next connection may
 * be led elsewhere.
 */
export const isReadOnlyServer = (thrown: unknown): boolean => databaseErrorCode(thrown) === '25006';
