/** A PostgreSQL server that someone else started: a fresh database a contender, and its process. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

export interface PostgresServer {
  readonly version: string;
  /** Of the postmaster, on this machine. */
  readonly pid: number;
  /** @returns its address. */
  createDatabase(): Promise<string>;
}

/** @throws Error when the server cannot be reached or is not on this machine. */
export async function findPostgres(serverUrl: string): Promise<PostgresServer> {
  const [facts] = await onServer<{ version: string; folder: string }>(
    serverUrl,
    `SELECT current_setting('server_version') AS version, current_setting('data_directory') AS folder`,
  );
  if (facts === undefined) throw new Error('PostgreSQL did not say what it is');
  const [pid = ''] = readFileSync(join(facts.folder, 'postmaster.pid'), 'utf8').split('\n');
  return {
    version: facts.version.split(' ')[0] ?? facts.version,
    pid: Number(pid),
    async createDatabase() {
      const name = `bench_${crypto.randomUUID().replaceAll('-', '')}`;
      await onServer(serverUrl, `CREATE DATABASE ${name}`);
      const address = new URL(serverUrl);
      address.pathname = `/${name}`;
      return address.href;
    },
  };
}

async function onServer<Row extends pg.QueryResultRow>(serverUrl: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
