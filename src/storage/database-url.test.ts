/** A database that cannot be used is named, with the reason and never the password. */
import { afterEach, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { testDatabases } from '../../test/support/databases.ts';
import { refusedUrl } from '../../test/support/upstream/index.ts';
import { answerWith } from './answering-server.test-data.ts';
import { readAddresses, readConnectTimeoutMs, readDatabaseUrl } from './database-url.ts';
import { openStorage } from './open-storage.ts';

const password = 'secret-of-the-test';
const dataDir = join(tmpdir(), 'sluice-never-made');

/** What the start of the program would print. */
async function failureOf(
  databaseUrl: string,
  connectTimeoutMs = 20_000,
): Promise<{ code: unknown; message: string }> {
  const opened = openStorage({ databaseUrl, dataDir, connectTimeoutMs });
  const error: unknown = await opened.catch((thrown: unknown) => thrown);
  if (!(error instanceof Error)) throw new Error('it could be opened');
  expect(error.message).not.toContain(password);
  expect(error.message).not.toContain('\n');
  return { code: Reflect.get(error, 'code'), message: error.message };
}

describe('a database URL', () => {
  test.each([
    ['postgres://u:p%40ss@db.test:6432/wallets?sslmode=require', 'u@db.test:6432/wallets'],
    ['postgresql://u@db.test', 'u@db.test/u'],
    ['postgres://u:p@one:5432,two:5433/wallets', 'u@one:5432,two:5433/wallets'],
    ['postgres://u:p@with,comma@db.test/wallets', 'u@db.test/wallets'],
  ])('%s is described as %s', (databaseUrl, address) => {
    expect(readDatabaseUrl(databaseUrl).address).toBe(address);
  });

  test.each(['postgres://u%:p@db.test/x', 'postgres://u:p@db.test/%'])(
    '%s says what its %% lacks',
    (databaseUrl) => {
      expect(() => readDatabaseUrl(databaseUrl)).toThrow(
        'a % that begins no escape, which is written as %25',
      );
    },
  );

  test.each([
    ['postgres://u:p%40@one:5432,two/x', ['postgres://u:p%40@one:5432/x', 'postgres://u:p%40@two/x']],
    ['postgres://u:p@with,comma@db.test/x', ['postgres://u:p%40with,comma@db.test/x']],
    [
      'postgres://u@one/x?ssl=false&application_name=a&search_path=one, two&statement_timeout=5s',
      [
        'postgres://u@one/x?application_name=a&options=-c+search_path%3Done%2C%5C+two+-c+statement_timeout%3D5s',
      ],
    ],
  ])('%s is tried at %p', (databaseUrl, connectionStrings) => {
    expect(readAddresses(databaseUrl)).toEqual(
      connectionStrings.map((connectionString) => ({
        config: { connectionString },
        tlsSettings: [false],
        mustBeWritable: false,
      })),
    );
  });

  const unverified = { rejectUnauthorized: false };
  test.each([
    ['', [false]],
    ['sslmode=disable', [false]],
    ['sslmode=prefer', [unverified, false]],
    ['sslmode=require', [unverified]],
    ['ssl=require', [unverified]],
    ['sslmode=verify-full', [true]],
    ['ssl=true', [true]],
  ])('with %p is tried with the TLS settings %p', (query, modes) => {
    const addresses = readAddresses(`postgres://u@one/x?${query}`);
    expect(addresses.map(({ tlsSettings }) => tlsSettings)).toEqual([modes]);
  });

  test.each([
    ['channel_binding=prefer&gssencmode=disable&keepalives_idle=30&sslcrl=/crl.pem', false],
    ['target_session_attrs=any&uselibpqcompat=true&connect_timeout=0', false],
    ['target_session_attrs=read-write&connect_timeout=5', true],
    ['target_session_attrs=primary', true],
  ])('with %p sends the server none of it as a setting', (query, mustBeWritable) => {
    expect(readAddresses(`postgres://u@one/x?${query}`)).toMatchObject([
      { config: { connectionString: 'postgres://u@one/x' }, mustBeWritable },
    ]);
  });

  test('limits each connect to its connect_timeout in seconds, and never to none', () => {
    const read = (query: string) => readConnectTimeoutMs(`postgres://u:p@one:5432,two/x?${query}`);
    expect(['connect_timeout=5', 'connect_timeout=0', ''].map(read)).toEqual([5000, undefined, undefined]);
  });

  test.each([
    ['channel_binding=require', 'channel_binding=require cannot be honoured, only prefer or disable'],
    ['gssencmode=require', 'gssencmode=require cannot be honoured'],
    ['target_session_attrs=read-only', 'target_session_attrs=read-only cannot be honoured'],
    ['sslmode=verify-full&sslcrl=/crl.pem', 'its parameter sslcrl cannot be honoured'],
    [`sslpassword=${password}`, 'its parameter sslpassword cannot be honoured'],
    ['connect_timeout=soon', 'its connect_timeout is not a number of seconds'],
  ])('with %p is refused and told why', async (query, why) => {
    expect(await failureOf(`postgres://u:${password}@localhost:1/x?${query}`)).toMatchObject({
      code: 'bad_database_url',
      message: expect.stringContaining(why),
    });
  });

  test.each(['/', '#', '?'])('whose password ends at its %p is told how to write that', async (character) => {
    expect(await failureOf(`postgres://u:${password}${character}rest@localhost:1/x`)).toMatchObject({
      code: 'bad_database_url',
      message: expect.stringContaining('in a password, / is written %2F, # is %23, ? is %3F'),
    });
  });

  test.each(['', 'localhost:5432', `mysql://u:${password}@localhost/x`, 'not a url'])(
    '%p is refused',
    async (databaseUrl) => {
      expect(await failureOf(databaseUrl)).toMatchObject({
        code: 'bad_database_url',
        message: expect.stringContaining('postgres://user:password@host:5432/database'),
      });
    },
  );
});

describe('a server that cannot be used', () => {
  let server: Server | undefined;
  const sockets = new Set<Socket>();

  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    server?.close();
    server = undefined;
  });

  async function listen(onConnection: (socket: Socket) => void): Promise<string> {
    const listening = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      onConnection(socket);
    });
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    const address = listening.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    return `postgres://u:${password}@127.0.0.1:${port}/x`;
  }

  test('because nothing listens there', async () => {
    const nobody = await refusedUrl();
    const host = `127.0.0.1:${nobody.port}`;
    expect(await failureOf(`postgres://u:${password}@${host}/x`)).toEqual({
      code: 'unreachable',
      message: `PostgreSQL at u@${host}/x cannot be reached: nothing listens there.`,
    });
    nobody.release();
  });

  test('because its name is unknown', async () => {
    expect(await failureOf(`postgres://u:${password}@nowhere.invalid/x`)).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('u@nowhere.invalid/x'),
    });
  });

  test('because it never answers', async () => {
    expect(await failureOf(await listen(() => undefined), 1000)).toMatchObject({ code: 'unreachable' });
  });

  test('because it closes each connection', async () => {
    expect(await failureOf(await listen((socket) => socket.end()))).toMatchObject({ code: 'unreachable' });
  });

  test('because its version is too old', async () => {
    expect(await failureOf(await listen(answerWith('14.19')))).toEqual({
      code: 'too_old',
      message: 'PostgreSQL 14.19 is too old: version 15 or newer is needed.',
    });
  });

  test('because it is something else', async () => {
    const databaseUrl = await listen((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await failureOf(databaseUrl, 1000)).toMatchObject({ code: 'unreachable' });
  });
});

const postgres = testDatabases.find(({ kind }) => kind === 'postgres');
const need = postgres === undefined ? ' (needs SLUICE_TEST_POSTGRES_URL)' : '';

describe.skipIf(postgres === undefined)(`a PostgreSQL server that refuses${need}`, () => {
  async function withDatabase(
    work: (url: URL, asOwner: (statement: string) => Promise<void>) => Promise<void>,
  ) {
    const database = await postgres?.open({ migrated: false });
    if (database === undefined) return;
    try {
      await work(new URL(database.options.databaseUrl ?? ''), async (statement) => {
        await database.db.execute(sql.raw(statement));
      });
    } finally {
      await database.close();
    }
  }

  test('a wrong password, a missing database, and a user who may not create tables', async () => {
    const role = `sluice_test_${randomBytes(6).toString('hex')}`;
    await withDatabase(async (url, asOwner) => {
      url.username = role;
      url.password = password;
      await asOwner(`CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
      try {
        const storage = await openStorage({ databaseUrl: url.href, dataDir });
        await expect(storage.migrate()).rejects.toMatchObject({
          code: 'not_permitted',
          message: expect.stringContaining('Grant it CREATE'),
        });
        await storage.close();

        const wrong = new URL(url);
        wrong.password = `${password}-not`;
        expect(await failureOf(wrong.href)).toMatchObject({
          code: 'wrong_password',
          message: expect.stringContaining(`refused the password of user ${role}`),
        });

        await asOwner(`ALTER ROLE ${role} NOLOGIN`);
        expect(await failureOf(url.href)).toMatchObject({ code: 'not_permitted' });
      } finally {
        await asOwner(`DROP ROLE ${role}`);
      }
      const missing = new URL(url);
      const owner = new URL(process.env['SLUICE_TEST_POSTGRES_URL'] ?? '');
      missing.username = owner.username;
      missing.password = owner.password;
      missing.pathname = '/sluice_test_missing';
      expect(await failureOf(missing.href)).toMatchObject({
        code: 'no_such_database',
        message: expect.stringContaining('There is no database sluice_test_missing'),
      });
    });
  });
});
