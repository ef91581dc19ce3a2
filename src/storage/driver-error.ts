/** Reads what the driver threw: which SQLSTATE or system error it was, however deep it is wrapped. */
import postgres from 'postgres';

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

/** True when the connection cannot be used again. The driver's own refusals carry no `errno`, lost sockets do. */
export function isConnectionLost(thrown: unknown): boolean {
  if (thrown instanceof postgres.PostgresError) {
    return thrown.severity === 'FATAL' || thrown.severity === 'PANIC';
  }
  return thrown instanceof Error && 'errno' in thrown;
}
