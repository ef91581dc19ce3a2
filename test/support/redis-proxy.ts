/** A way to Redis that a test breaks where it likes: at the call that it names, before or after the server has done it. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** The connection on which a call that was waited for has come, and is not yet passed on. */
export interface Line {
  /** The server never hears of it. */
  endBefore(): void;
  /** The server has done it, and its answer never arrives. */
  endBehind(): void;
  /** The server never hears of it, and this is the answer. */
  answer(reply: string): void;
}

export interface RedisProxy {
  /** With the server's own name and password in it. */
  readonly url: string;
  /** Calls `act` once, as soon as something with that word is sent. */
  meet(word: string, act: (line: Line) => void): void;
  /** Ends all connections, and those that are made from then on. */
  down(): void;
  up(): void;
  close(): Promise<void>;
}

export async function startRedisProxy(url: string): Promise<RedisProxy> {
  const { hostname, port, username, password } = new URL(url);
  const clients = new Set<Socket>();
  let isDown = false;
  let waiting: { word: string; act: (line: Line) => void } | null = null;
  const listener = createServer((client) => {
    if (isDown) {
      client.destroy();
      return;
    }
    clients.add(client);
    const server = connect(Number(port), hostname);
    let isHeld = false;
    client.on('data', (piece) => {
      const met = waiting !== null && piece.includes(waiting.word) ? waiting : null;
      let isPassed = true;
      if (met !== null) {
        waiting = null;
        met.act({
          endBefore: () => client.destroy(),
          endBehind: () => {
            isHeld = true;
          },
          answer: (reply) => {
            isPassed = false;
            client.write(reply);
          },
        });
      }
      if (isPassed && !client.destroyed) server.write(piece);
    });
    server.on('data', (piece) => {
      if (isHeld) client.destroy();
      else client.write(piece);
    });
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
    for (const socket of [client, server]) socket.on('error', () => socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  const down = () => {
    isDown = true;
    for (const client of clients) client.destroy();
    clients.clear();
  };
  return {
    url: `redis://${username}:${password}@127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    meet: (word, act) => {
      waiting = { word, act };
    },
    down,
    up: () => {
      isDown = false;
    },
    async close() {
      down();
      listener.close();
      await once(listener, 'close');
    },
  };
}
