/** A wire to a database that can lose the answer to what was sent, as a network does: the statement has happened. */
import { connect, createServer, type Socket } from 'node:net';

export interface DatabaseWire {
  /** The database's address by way of this wire. */
  readonly url: string;
  /** Of each connection with the chance given, the next answer is thrown away and the connection is cut. */
  loseAnswers(isChosen: () => boolean): void;
  /** How many answers were thrown away. */
  readonly lostCount: number;
  stop(): void;
}

interface Line {
  readonly client: Socket;
  readonly server: Socket;
  isDeaf: boolean;
}

export async function openWire(databaseUrl: string): Promise<DatabaseWire> {
  const target = new URL(databaseUrl);
  const lines = new Set<Line>();
  let lostCount = 0;
  const listener = createServer((client) => {
    const server = connect(Number(target.port || 5432), target.hostname);
    const line: Line = { client, server, isDeaf: false };
    lines.add(line);
    const cut = () => {
      lines.delete(line);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.setNoDelay(true).on('error', cut).on('close', cut);
    client.on('data', (piece: Buffer) => void server.write(piece));
    server.on('data', (piece: Buffer) => {
      if (!line.isDeaf) return void client.write(piece);
      lostCount += 1;
      cut();
    });
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  listener.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = listener.address();
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' && address !== null ? address.port : 0);
  return {
    url: url.href,
    loseAnswers(isChosen) {
      for (const line of lines) if (isChosen()) line.isDeaf = true;
    },
    get lostCount() {
      return lostCount;
    },
    stop() {
      listener.close();
      for (const { client, server } of lines) {
        client.destroy();
        server.destroy();
      }
    },
  };
}
