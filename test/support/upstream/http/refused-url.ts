/** Gives an address that refuses every connection. */
import { connect, createServer, type Socket } from 'node:net';

export interface RefusedUrl {
  readonly url: string;
  readonly port: number;
  release(): void;
}

/**
 * The port is the near end of a live connection: the kernel gives it to nobody else, and nothing listens on it.
 * A port that was merely closed could be taken by another process before the test reaches it.
 */
export async function refusedUrl(): Promise<RefusedUrl> {
  const listener = createServer();
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(0, '127.0.0.1', resolve);
  });
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('the listener has no port');
  const accepted = new Promise<Socket>((resolve) => listener.once('connection', resolve));
  const holder = connect(address.port, '127.0.0.1');
  await new Promise<void>((resolve, reject) => {
    holder.once('error', reject);
    holder.once('connect', () => resolve());
  });
  const farEnd = await accepted;
  const port = holder.localPort;
  if (port === undefined) throw new Error('the connection has no local port');
  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    release() {
      holder.destroy();
      farEnd.destroy();
      listener.close();
    },
  };
}
