/** Sluice as `node bin/sluice.mjs serve` starts it, with keys, limits, wallet, usage and log on, as they always are. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describeThrown } from '../../src/base/errors.ts';
import { systemIds } from '../../src/base/ids.ts';
import { mintToken } from '../../src/identity/token.ts';
import type { StorageOptions } from '../../src/storage/index.ts';
import type { Books } from '../books/books.ts';
import { readBooks, readBooksBy } from '../books/read-books.ts';
import { CollectorLog } from '../probe/collector-log.ts';
import { Probe } from '../probe/probe.ts';
import { freePort } from '../programs/free-port.ts';
import { readLeaves, readProcessCost } from '../programs/process-tree.ts';
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

/** A checkout of Sluice, this one or an earlier one. */
interface Edition {
  readonly folder: string;
  readonly title: string;
}

const projectFolder = join(import.meta.dirname, '..', '..');
const here: Edition = { folder: projectFolder, title: `Sluice ${readPackageVersion(projectFolder)}` };

/** @throws Error where the folder holds no Sluice. */
export function editionBefore(folder: string): Edition {
  if (!existsSync(launcherOf(folder))) throw new Error(`${folder} is no checkout of Sluice`);
  const { stdout } = Bun.spawnSync(['git', 'rev-parse', '--short', 'HEAD'], { cwd: folder, stdout: 'pipe' });
  return {
    folder: resolve(folder),
    title: `Sluice before (commit ${stdout.toString().trim() || 'unknown'})`,
  };
}

function launcherOf(folder: string): string {
  return join(folder, 'bin', 'sluice.mjs');
}

/** On the embedded database, which runs in a thread of Sluice's own process. */
export function sluiceEmbedded(before?: Edition): Contender {
  const name = before === undefined ? 'sluice' : 'sluice-before';
  const edition = before ?? here;
  return {
    name,
    title: `${edition.title}, embedded database`,
    start: (context) => start({ name, edition, server: undefined }, context),
  };
}

/** On a PostgreSQL server, whose cost is told apart. */
export function sluiceOnPostgres(server: PostgresServer, before?: Edition): Contender {
  const name = before === undefined ? 'sluice-postgres' : 'sluice-postgres-before';
  const edition = before ?? here;
  return {
    name,
    title: `${edition.title}, PostgreSQL ${server.version}`,
    start: (context) => start({ name, edition, server }, context),
  };
}

const workerCount = 2;

/** As several processes on one port; the cost is that of all of them together. */
export function sluiceWithWorkers(server: PostgresServer): Contender {
  const name = 'sluice-workers';
  return {
    name,
    title: `${here.title}, PostgreSQL ${server.version}, --workers ${workerCount}`,
    start: (context) => start({ name, edition: here, server, workers: workerCount }, context),
  };
}

interface Variant {
  readonly name: ContenderName;
  readonly edition: Edition;
  readonly server: PostgresServer | undefined;
  /** Several processes are not looked into: each has its own event loop and collector. */
  readonly workers?: number;
}

async function start(
  { name, edition, server, workers }: Variant,
  { programs, folder, upstreamPort }: StartContext,
): Promise<RunningContender> {
  const port = freePort();
  const token = mintToken(systemIds, 'sluice_');
  const configurationFile = join(folder, 'sluice.yaml');
  writeFileSync(configurationFile, writeSluiceConfiguration({ token, upstreamPort }), { mode: 0o600 });
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  const databaseUrl = await server?.createDatabase();
  const probe = workers === undefined ? new Probe() : undefined;
  const environment = {
    PORT: String(port),
    HOST: '127.0.0.1',
    SLUICE_DATA_DIR: dataDir,
    SLUICE_CONFIG: configurationFile,
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl, SLUICE_SECRET: mintToken(systemIds, '') }),
    ...probe?.environment,
  };
  const command = [Bun.which('node') ?? 'node', launcherOf(edition.folder), 'serve'];
  if (workers !== undefined) command.push('--workers', String(workers));
  const program = programs.start({ name, command, environment });
  const target = {
    origin: originOf(port),
    headers: { ...plainHeaders, authorization: `Bearer ${token}` },
  };
  await untilReady(target, program);
  return {
    ...target,
    ...(probe && { inside: { probe, collector: new CollectorLog(program.logFile) } }),
    healthPath: '/health',
    pid: program.pid,
    readCost: () => readProcessCost(program.pid, true),
    servingPids: () => readLeaves(program.pid),
    readDatabaseCost: () => (server === undefined ? null : readProcessCost(server.pid, false)),
    async stop() {
      await program.stop();
      probe?.remove();
    },
    readBooks: () => readBooksOf(edition, { dataDir, ...(databaseUrl !== undefined && { databaseUrl }) }),
  };
}

/** Each checkout reads its own; of an earlier one that cannot, the figures are worth having all the same. */
async function readBooksOf(edition: Edition, options: StorageOptions): Promise<Books | null> {
  if (edition === here) return await readBooks(options);
  try {
    return await readBooksBy(edition.folder, options);
  } catch (error) {
    console.error(`bench: the books of ${edition.title} are not checked: ${describeThrown(error)}`);
    return null;
  }
}
