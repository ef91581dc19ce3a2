/** The databases that a suite runs against: the embedded one always, PostgreSQL when the environment names a server. */
import { describe, test } from 'bun:test';
import { createHash, randomBytes } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openStorage } from '../../src/storage/open-storage.ts';
import type { Storage, StorageOptions } from '../../src/storage/storage.ts';
import { databaseErrorCode } from '../../src/storage/storage-error.ts';

const postgresUrlName = 'SLUICE_TEST_POSTGRES_URL';

/** A database of one test's own that nobody has opened: for a test that starts the whole program on it. */
export interface PreparedDatabase {
  readonly options: StorageOptions;
  /** The same for the program: settings by the names of its environment. */
  readonly variables: Readonly<Record<string, string>>;
  discard(): Promise<void>;
}

/** An open one. Closing it throws it away. The embedded one cannot be opened again meanwhile. */
export interface TestDatabase extends Storage, Omit<PreparedDatabase, 'discard'> {}

/** Its tables are there already, unless `migrated` is false. */
type Prepare = (wanted?: { migrated?: boolean }) => Promise<PreparedDatabase>;
export type OpenDatabase = (wanted?: { migrated?: boolean }) => Promise<TestDatabase>;

export interface DatabaseChoice {
  readonly kind: Storage['kind'];
  readonly prepare: Prepare;
  readonly open: OpenDatabase;
}

const postgresUrl = process.env[postgresUrlName];

export const testDatabases: readonly DatabaseChoice[] = [
  choice('embedded', prepareEmbedded),
  ...(postgresUrl ? [choice('postgres', preparePostgres(postgresUrl))] : []),
];

/** What a test runs on that is not about databases: the one that most run Sluice on, where it is at hand. */
export const usualDatabase: DatabaseChoice =
  testDatabases.find(({ kind }) => kind === 'postgres') ?? choice('embedded', prepareEmbedded);

/** Registers the suite once for each database; what is missing is skipped by name, and fails when `CI` is `true`. */
export function describeOnEachDatabase(
  title: string,
  suite: (openDatabase: OpenDatabase, database: DatabaseChoice) => void,
): void {
  for (const database of testDatabases) {
    describe(`${title} (${database.kind})`, () => suite(database.open, database));
  }
  if (postgresUrl) return;
  const need = `${title} (postgres, needs ${postgresUrlName})`;
  if (process.env['CI'] === 'true') {
    test(need, () => {
      throw new Error(`${postgresUrlName} is not set.`);
    });
    return;
  }
  const missing = choice('postgres', preparePostgres(''));
  describe.skip(need, () => suite(missing.open, missing));
}

function choice(kind: Storage['kind'], prepare: Prepare): DatabaseChoice {
  const open: OpenDatabase = async (wanted) => {
    const { options, variables, discard } = await prepare(wanted);
    const storage = await openStorage(options);
    let closing: Promise<void> | undefined;
    const close = () => {
      closing ??= storage.close().then(discard);
      return closing;
    };
    return { ...storage, options, variables, close };
  };
  return { kind, prepare, open };
}

export async function prepareEmbedded({ migrated = true } = {}): Promise<PreparedDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  copyDatabase(await prepareTemplate(migrated), dataDir);
  return {
    options: { dataDir },
    variables: { SLUICE_DATA_DIR: dataDir },
    discard: () => rm(dataDir, { recursive: true, force: true }),
  };
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const cacheDir = join(root, 'node_modules/.cache/sluice-test');

/** Creating an embedded database takes seconds of work, copying one takes a moment: it is created once a version. */
async function prepareTemplate(migrated: boolean): Promise<string> {
  const version = templateVersion();
  const templateDir = join(cacheDir, `${version}-${migrated ? 'migrated' : 'empty'}`);
  if (existsSync(templateDir)) return templateDir;
  await mkdir(cacheDir, { recursive: true });
  for (const old of readdirSync(cacheDir).filter((name) => !name.startsWith(version))) {
    await rm(join(cacheDir, old), { recursive: true, force: true });
  }
  const draftDir = await mkdtemp(join(cacheDir, `${version}-draft-`));
  if (migrated) copyDatabase(await prepareTemplate(false), draftDir);
  await openOnce({ dataDir: draftDir }, migrated);
  // When another process was first, its result is the same.
  await rename(draftDir, templateDir).catch(() => rm(draftDir, { recursive: true, force: true }));
  return templateDir;
}

/** Over a thousand small files, which would take twice the work of this thread if they were copied beside it. */
function copyDatabase(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
}

let knownVersion: string | undefined;

function templateVersion(): string {
  knownVersion ??= readTemplateVersion();
  return knownVersion;
}

function readTemplateVersion(): string {
  const migrations = [...new Bun.Glob('src/storage/migrations/**/*.*').scanSync(root)].sort();
  const hash = createHash('sha256');
  for (const file of ['node_modules/@electric-sql/pglite/package.json', ...migrations]) {
    hash.update(readFileSync(join(root, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

async function openOnce(options: StorageOptions, migrated: boolean): Promise<void> {
  const storage = await openStorage(options);
  if (migrated) await storage.migrate();
  await storage.close();
}

function preparePostgres(serverUrl: string): Prepare {
  return async ({ migrated = true } = {}) => {
    const name = `sluice_test_${randomBytes(8).toString('hex')}`;
    if (migrated) await createMigrated(serverUrl, name);
    else await onServer(serverUrl, `CREATE DATABASE ${name} TEMPLATE template0`);
    const databaseUrl = urlOf(serverUrl, name);
    const dataDir = await mkdtemp(join(tmpdir(), 'sluice-test-'));
    return {
      options: { databaseUrl, dataDir, poolSize: 4 },
      variables: { DATABASE_URL: databaseUrl, SLUICE_DATA_DIR: dataDir },
      async discard() {
        await onServer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`);
        await rm(dataDir, { recursive: true, force: true });
      },
    };
  };
}

const noSuchDatabase = '3D000';
const databaseExists = '42P04';

/** Half a second of migrations goes into one database a server and version, of which all others are copies. */
async function createMigrated(serverUrl: string, name: string): Promise<void> {
  const template = `sluice_template_${templateVersion()}`;
  try {
    await onServer(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  } catch (error) {
    if (databaseErrorCode(error) !== noSuchDatabase) throw error;
    await createTemplate(serverUrl, template);
    await onServer(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  }
}

async function createTemplate(serverUrl: string, template: string): Promise<void> {
  const draft = `sluice_draft_${randomBytes(8).toString('hex')}`;
  await onServer(serverUrl, `CREATE DATABASE ${draft} TEMPLATE template0`);
  try {
    await openOnce({ databaseUrl: urlOf(serverUrl, draft), dataDir: tmpdir(), poolSize: 1 }, true);
    await onServer(serverUrl, `COMMENT ON DATABASE ${draft} IS '${new Date().toISOString()}'`);
    await onServer(serverUrl, `ALTER DATABASE ${draft} RENAME TO ${template}`);
  } catch (error) {
    await onServer(serverUrl, `DROP DATABASE ${draft} WITH (FORCE)`);
    // When another process was first, its result is the same.
    if (databaseErrorCode(error) !== databaseExists) throw error;
    return;
  }
  await dropOldTemplates(template, serverUrl);
}

const dayMs = 86_400_000;

/** A server that outlives the run would keep one of each version of the migrations for ever. Younger ones may be of another checkout. */
async function dropOldTemplates(template: string, serverUrl: string): Promise<void> {
  const yesterday = new Date(Date.now() - dayMs).toISOString();
  const old = await onServer(
    serverUrl,
    `SELECT datname AS name FROM pg_database
      WHERE datname LIKE 'sluice\\_template\\_%' AND datname <> '${template}'
        AND coalesce(shobj_description(oid, 'pg_database'), '') < '${yesterday}'`,
  );
  for (const { name } of old.rows) {
    // One that is being copied at this moment, or belongs to somebody else, stays until the next version.
    await onServer(serverUrl, `DROP DATABASE IF EXISTS ${name}`).catch(() => undefined);
  }
}

function urlOf(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function onServer(serverUrl: string, statement: string): Promise<pg.QueryResult<{ name: string }>> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}
