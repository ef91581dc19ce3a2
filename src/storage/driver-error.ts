/** Reads what the driver threw: which SQLSTATE or system error it was, however deep it is wrapped. */
import pg from 'pg';

/** @returns a SQLSTATE such as `23505`, a system error such as `ECONNREFUSED`, or undefined for anything else. */
export function databaseErrorCode(thrown: unknown): string | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if ('code' in error && typeof error.code === 'string') return error.code;
  }
  return undefined;
}

/** The innermost message: the query builder wraps the server's answer in the text of the query. */
export function databaseErrorMessage(thrown: unknown): string {
  let message = String(thrown);
  for (let error = thrown; error instanceof Error; error = error.cause) message = error.message;
  return message;
}

/** True when the server ended the connection with its answer. A socket that was lost is noticed by the driver. */
export function isConnectionEnded(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof pg.DatabaseError) return error.severity === 'FATAL' || error.severity === 'PANIC';
  }
  return false;
}
