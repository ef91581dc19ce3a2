/** A bare HTTP/1.1 listener on loopback, hand-made so that resets, half answers and single writes are exact. */
import { Connection, type RequestHandler } from './connection.ts';

export interface Server {
  readonly port: number;
  readonly connections: { readonly accepted: number; readonly open: number };
  /** Refuses new connections and resets the open ones. */
  stop(): void;
}

export function listen(port: number, onRequest: RequestHandler): Server {
  const open = new Set<Connection>();
  let accepted = 0;
  const listener = Bun.listen<Connection>({
    hostname: '127.0.0.1',
    port,
    socket: {
      open(socket) {
        socket.setNoDelay(true);
        socket.data = new Connection(socket, onRequest);
        open.add(socket.data);
        accepted += 1;
      },
      data: (socket, bytes) => socket.data.receive(bytes),
      drain: (socket) => socket.data.drained(),
      close(socket) {
        open.delete(socket.data);
        socket.data.closed();
      },
    },
  });
  return {
    port: listener.port,
    connections: {
      get accepted() {
        return accepted;
      },
      get open() {
        return open.size;
      },
    },
    stop() {
      for (const connection of open) connection.reset();
      listener.stop(true);
    },
  };
}
