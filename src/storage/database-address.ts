/** One host of a database, and how its connections are made and judged. */
import type pg from 'pg';
import { databaseErrorMessage } from './storage-error.ts';

export type TlsSetting = pg.ClientConfig['ssl'];

export interface DatabaseAddress {
  readonly config: pg.ClientConfig;
  /** Tried in order at every connect, the next one only when the server says that it has no TLS. */
  readonly tlsSettings: readonly TlsSetting[];
  /** A server that takes no writes, such as a standby, counts as one that cannot be connected to. */
  readonly mustBeWritable: boolean;
}

/** What the driver says when the server answers the request for TLS with a no. */
export const tlsMissingMessage = 'The server does not support SSL connections';

export function isTlsMissing(thrown: unknown): boolean {
  return databaseErrorMessage(thrown) === tlsMissingMessage;
}

/** @throws when the server takes no writes. */
export async function refuseReadOnly(connection: pg.ClientBase): Promise<void> {
  const answer = await connection.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  if (answer.rows[0]?.transaction_read_only !== 'off') {
    throw new Error('it takes no writes, which target_session_attrs asks for');
  }
}
