/** The service secret: the configured one or, on the embedded database, one generated once into the data folder. */
import { link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Ids } from '../base/ids.ts';
import { ConfigurationError } from '../configuration/index.ts';
import type { Environment } from './environment.ts';

export const shortestSecret = 32;

export interface SecretParts {
  readonly ids: Ids;
  readonly onWarning: (message: string) => void;
}

/**
 * @returns at least 32 characters, the same at every start.
 * @throws ConfigurationError when there is none and none may be generated, or the file cannot be used.
 */
export async function loadSecret(
  environment: Pick<Environment, 'secret' | 'dataDir' | 'databaseUrl'>,
  parts: SecretParts,
): Promise<string> {
  if (environment.secret !== null) return environment.secret;
  if (environment.databaseUrl !== null) throw mistake('SLUICE_SECRET', 'is required with DATABASE_URL');
  const file = join(environment.dataDir, 'secret');
  const found = await readSecret(file, parts);
  if (found !== undefined) return found;
  const generated = randomText(parts.ids, 32);
  await createOnce(file, generated, parts.ids);
  // Another process may have been quicker; then its secret is the one.
  return (await readSecret(file, parts)) ?? generated;
}

async function readSecret(file: string, { onWarning }: SecretParts): Promise<string | undefined> {
  let secret: string;
  try {
    secret = (await readFile(file, 'utf8')).trim();
    const { mode } = await stat(file);
    // Not refused: some shared folders show every file like that and cannot be told otherwise.
    if ((mode & 0o077) !== 0)
      onWarning(`${file} is open to other users of this machine: run chmod 600 on it`);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unusable(file, 'read', error);
  }
  if (secret.length >= shortestSecret) return secret;
  throw mistake(file, `holds fewer than ${shortestSecret} characters: restore it, or set SLUICE_SECRET`);
}

/** Written beside and linked into place, so that no other start ever reads half of it. */
async function createOnce(file: string, secret: string, ids: Ids): Promise<void> {
  const draft = `${file}.${randomText(ids, 6)}.new`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${secret}\n`, { mode: 0o600, flush: true });
    await link(draft, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw unusable(file, 'written', error);
  } finally {
    await rm(draft, { force: true });
  }
}

const randomText = (ids: Ids, bytes: number): string =>
  Buffer.from(ids.randomBytes(bytes)).toString('base64url');

const unusable = (file: string, done: string, error: unknown) =>
  mistake(file, `cannot be ${done} (${codeOf(error)}): check SLUICE_DATA_DIR, or set SLUICE_SECRET`);

const mistake = (where: string, message: string) =>
  new ConfigurationError([{ where, position: null, message }]);

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);
