/** A pool of connections through servers that break off, have no TLS, or fall silent. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { sql } from 'drizzle-orm';
import { systemClock } from '../base/clock.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { answerWith, letIn } from './answering-server.test-data.ts';
import { type ClientSettings, DatabaseClient } from './database-client.ts';
import { readAddresses } from './database-url.ts';
import { hoursStatement, longStatement } from './long-statement.ts';

let server: Server;
let onConnection: (socket: Socket) => void;
const sockets = new Set<Socket>();

beforeEach(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

function openClient(query: string, settings: Partial<ClientSettings> = {}): DatabaseClient {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const addresses = readAddresses(`postgres://u:p@127.0.0.1:${port}/x?${query}`);
  return new DatabaseClient({
    addresses,
    poolSize: 1,
    connectTimeoutMs: 5000,
    clock: systemClock,
    keepsPlans: true,
    ...settings,
  });
}

const ask = async (client: DatabaseClient, start = sql``) => {
  await client.db.execute(sql`${start}SELECT 1`);
};

test('sslmode=prefer asks for TLS at every connect and does without only where the server has none', async () => {
  const asked: string[] = [];
  let isOut = true;
  onConnection = (socket) => {
    socket.once('data', (first: Buffer) => {
      // A request for TLS is eight bytes long and carries a version of its own.
      const isTlsRequest = first.length === 8 && first.readInt32BE(4) === 80_877_103;
      asked.push(isTlsRequest ? 'TLS' : 'plain');
      if (isOut) socket.destroy();
      else if (isTlsRequest) socket.end('N');
      else {
        answerWith('15.1')(socket);
        socket.emit('data', first);
      }
    });
  };
  const client = openClient('sslmode=prefer');
  await expect(ask(client)).rejects.toThrow();
  expect(asked).toEqual(['TLS']);
  isOut = false;
  await ask(client);
  expect(asked.splice(0)).toEqual(['TLS', 'TLS', 'plain']);
  const lost = [...sockets].map((socket) => once(socket, 'close'));
  for (const socket of sockets) socket.destroy();
  await Promise.all(lost);
  // The driver may notice the loss only by its next statement.
  await ask(client).catch(() => ask(client));
  expect(asked).toEqual(['TLS', 'plain']);
  await client.close(0);
});

const marks = {
  'a statement': sql``,
  'a statement that may take minutes': longStatement,
  'a statement that may take hours': hoursStatement,
};

test.each([
  ['a statement', 30_000],
  ['a statement that may take minutes', 300_000],
  ['a statement that may take hours', 86_400_000],
  ['a statement of a transaction', 30_000],
] as const)(
  '%s that is never answered fails in time, and its connection is dropped',
  async (kind, limitMs) => {
    const asked = Promise.withResolvers<void>();
    let isSilent = true;
    onConnection = (socket) => {
      socket.once('data', (first: Buffer) => {
        if (isSilent) {
          socket.write(letIn);
          socket.on('data', () => asked.resolve());
        } else {
          answerWith('15.1')(socket);
          socket.emit('data', first);
        }
      });
    };
    const clock = new ManualClock();
    const client = openClient('', { clock });
    const outcome = (
      kind === 'a statement of a transaction'
        ? client.db.transaction(async (transaction) => {
            await transaction.execute(sql`SELECT 1`);
          })
        : ask(client, marks[kind])
    ).then(
      () => 'answered',
      () => 'failed',
    );
    await asked.promise;
    const silent = [...sockets].map((socket) => once(socket, 'close'));
    isSilent = false;
    await clock.advance(limitMs - 1);
    // What gives it up is still to come.
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(1);
    expect(await outcome).toBe('failed');
    await Promise.all(silent);
    await ask(client);
    expect(clock.pendingTimers).toBe(0);
    await client.close(0);
  },
);
