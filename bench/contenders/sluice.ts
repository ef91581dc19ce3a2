/** Sluice as `node bin/sluice.mjs serve` starts it, with keys, limits, wallet, usage and log on, as they always are. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemIds } from '../../src/base/ids.ts';
import { mintToken } from '../../src/identity/token.ts';
import { readBooks } from '../books/read-books.ts';
import { freePort } from '../programs/free-port.ts';
import { readProcessCost } from '../programs/process-tree.ts';
import {
  type Contender,
  type ContenderName,
  originOf,
  plainHeaders,
  type RunningContender,
  type StartContext,
  untilReady,
} from './contender.ts';
import { readPackageVersion } from './package-version.ts';
import type { PostgresServer } from './postgres.ts';
import { writeSluiceConfiguration } from './sluice-configuration.ts';

const projectFolder = join(import.meta.dirname, '..', '..');
const launcher = join(projectFolder, 'bin', 'sluice.mjs');

/** On the embedded database, which runs in a thread of Sluice's own process. */
export function sluiceEmbedded(): Contender {
  return {
    name: 'sluice',
    title: `Sluice ${readPackageVersion(projectFolder)}, embedded database`,
    start: (context) => start('sluice', context, undefined),
  };
}

/** On a PostgreSQL server, whose cost is told apart. */
export function sluiceOnPostgres(server: PostgresServer): Contender {
  return {
    name: 'sluice-postgres',
    title: `Sluice ${readPackageVersion(projectFolder)}, PostgreSQL ${server.version}`,
    start: (context) => start('sluice-postgres', context, server),
  };
}

async function start(
  name: ContenderName,
  { programs, folder, upstreamPort }: StartContext,
  server: PostgresServer | undefined,
): Promise<RunningContender> {
  const port = freePort();
  const token = mintToken(systemIds, 'sluice_');
  const configurationFile = join(folder, 'sluice.yaml');
  writeFileSync(configurationFile, writeSluiceConfiguration({ token, upstreamPort }), { mode: 0o600 });
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  const databaseUrl = await server?.createDatabase();
  const environment = {
    PORT: String(port),
    HOST: '127.0.0.1',
    SLUICE_DATA_DIR: dataDir,
    SLUICE_CONFIG: configurationFile,
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl, SLUICE_SECRET: mintToken(systemIds, '') }),
  };
  const command = [Bun.which('node') ?? 'node', launcher, 'serve'];
  const program = programs.start({ name, command, environment });
  const target = {
    origin: originOf(port),
    headers: { ...plainHeaders, authorization: `Bearer ${token}` },
  };
  await untilReady(target, program);
  return {
    ...target,
    readCost: () => readProcessCost(program.pid, true),
    readDatabaseCost: () => (server === undefined ? null : readProcessCost(server.pid, false)),
    stop: () => program.stop(),
    readBooks: () => readBooks({ dataDir, ...(databaseUrl !== undefined && { databaseUrl }) }),
  };
}
