/** Where the service secret comes from. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemIds } from '../base/ids.ts';
import { ConfigurationError } from '../configuration/index.ts';
import { loadSecret } from './secret.ts';

let folder = '';
let warnings: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'secret-'));
  warnings = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const load = (given: { secret?: string; databaseUrl?: string; dataDir?: string } = {}) =>
  loadSecret(
    {
      secret: given.secret ?? null,
      databaseUrl: given.databaseUrl ?? null,
      dataDir: given.dataDir ?? join(folder, 'data'),
    },
    { ids: systemIds, onWarning: (message) => warnings.push(message) },
  );

describe('loadSecret', () => {
  test('generates a secret once, readable by its owner alone, and finds it again', async () => {
    const secret = await load();
    expect(secret.length).toBeGreaterThanOrEqual(32);
    const file = join(folder, 'data', 'secret');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readFile(file, 'utf8')).trim()).toBe(secret);
    expect(await load()).toBe(secret);
    expect(warnings).toEqual([]);
  });

  test('gives starts at the same time the same secret', async () => {
    const secrets = await Promise.all([load(), load(), load(), load()]);
    expect(new Set(secrets).size).toBe(1);
  });

  test('prefers the configured secret and then writes nothing', async () => {
    expect(await load({ secret: 's'.repeat(40) })).toBe('s'.repeat(40));
    expect(await Bun.file(join(folder, 'data', 'secret')).exists()).toBe(false);
  });

  test('generates none for a database that replicas share', async () => {
    await expect(load({ databaseUrl: 'postgres://db/sluice' })).rejects.toThrow(
      'SLUICE_SECRET: is required with DATABASE_URL',
    );
  });

  test('warns of a file that others can read', async () => {
    const secret = await load();
    await chmod(join(folder, 'data', 'secret'), 0o644);
    expect(await load()).toBe(secret);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('chmod 600');
  });

  test('refuses a file cut short instead of replacing it', async () => {
    await load();
    await writeFile(join(folder, 'data', 'secret'), 'short');
    await expect(load()).rejects.toThrow(ConfigurationError);
    expect(await readFile(join(folder, 'data', 'secret'), 'utf8')).toBe('short');
  });

  test('says what to do when the folder cannot be written', async () => {
    await writeFile(join(folder, 'a-file'), '');
    await expect(load({ dataDir: join(folder, 'a-file') })).rejects.toThrow('or set SLUICE_SECRET');
  });
});
