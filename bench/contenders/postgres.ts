/** A PostgreSQL server that someone else started: a fresh database a contender, and its process. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';

export interface PostgresServer {
  readonly version: string;
  /** Of the postmaster, on this machine. */
  readonly pid: number;
  /** @returns its address. */
  createDatabase(): Promise<string>;
}

/** @throws Error when the server cannot be reached or is not on this machine. */
export async function findPostgres(serverUrl: string): Promise<PostgresServer> {
  const [facts] = await onServer(
    serverUrl,
    (sql) => sql<{ version: string; folder: string }[]>`
      SELECT current_setting('server_version') AS version, current_setting('data_directory') AS folder`,
  );
  if (facts === undefined) throw new Error('PostgreSQL did not say what it is');
  const [pid = ''] = readFileSync(join(facts.folder, 'postmaster.pid'), 'utf8').split('\n');
  return {
    version: facts.version.split(' ')[0] ?? facts.version,
    pid: Number(pid),
    async createDatabase() {
      const name = `bench_${crypto.randomUUID().replaceAll('-', '')}`;
      await onServer(serverUrl, (sql) => sql`CREATE DATABASE ${sql(name)}`);
      const address = new URL(serverUrl);
      address.pathname = `/${name}`;
      return address.href;
    },
  };
}

async function onServer<Rows>(serverUrl: string, ask: (sql: postgres.Sql) => Promise<Rows>): Promise<Rows> {
  const sql = postgres(serverUrl, { max: 1, onnotice: () => undefined });
  try {
    return await ask(sql);
  } finally {
    await sql.end();
  }
}
