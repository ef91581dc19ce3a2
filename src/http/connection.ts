/** Connections to servers: each carries one exchange at a time, and is idle among those of its origin between two. */
import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import type { AnswerHead } from './answer-head.ts';
import { AnswerReader, type AnswerReceiver } from './answer-reader.ts';
import { AnswerError, ConnectionError, UnsentError } from './errors.ts';

/** Where a connection leads; those to the same origin are alike. */
export interface Origin {
  readonly hostname: string;
  readonly port: number;
  /** Whose certificate it has to be; null without TLS. */
  readonly serverName: string | null;
  /** Whether any certificate will do. */
  readonly isTrustWaived: boolean;
  /** Open and without an exchange; the one that was free last is the last. */
  readonly idle: Connection[];
  /** Still being opened, while the request that asked for it has been given up. */
  readonly abandoned: Connection[];
}

/** Whom a connection works for. */
export interface Carried {
  begins(head: AnswerHead): void;
  /** Bytes of the body that nobody else has. */
  brings(bytes: Buffer): void;
  ends(): void;
  /** All that came together has been brought. */
  tell(): void;
  /** The connection has broken, or never came to be. */
  fails(error: Error): void;
}

type Socket = Bun.Socket<Connection>;

const mostIdle = 256;
/** The runtime looks at the timeouts of sockets every four seconds: one that is no multiple of it ends late. */
const timerSeconds = 4;
const probedAfterMs = 60_000;
/** `http/1.1`, as TLS has it: some servers speak HTTP/2 to whoever does not say (RFC 7301). */
const alpnProtocols = Buffer.from('\x08http/1.1');

export class Connection implements AnswerReceiver {
  readonly #origin: Origin;
  readonly #reader = new AnswerReader(this);
  #socket: Socket | undefined;
  #exchange: Carried | undefined;
  /** What the socket has not taken yet, or nobody is connected to take. */
  #unsent: Buffer | undefined;
  /** Something of the request under way has been sent. */
  #hasSent = false;
  #isOpening = false;
  #isReused = false;
  #isEnded = false;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  /** @param request all of it, head and body. */
  carry(exchange: Carried, request: Buffer): void {
    this.#exchange = exchange;
    this.#unsent = request;
    this.#hasSent = false;
    const socket = this.#socket;
    if (socket === undefined) {
      if (!this.#isOpening) this.#connect();
      return;
    }
    this.#isReused = true;
    this.#reader.begin();
    socket.timeout(0);
    socket.ref();
    this.#send();
  }

  /** Whether all of the request has left this process. */
  get isSent(): boolean {
    return this.#hasSent && this.#unsent === undefined;
  }

  /** By whoever it works for. */
  leave(): void {
    if (!this.#isOpening) {
      this.terminate();
      return;
    }
    // Nothing takes back what the runtime is opening, and a host that is silent keeps it for minutes.
    this.#exchange = undefined;
    this.#unsent = undefined;
    this.#origin.abandoned.push(this);
  }

  /** Whatever is under way: its server learns at once that nobody waits. */
  terminate(): void {
    if (this.#end()) this.#socket?.terminate();
  }

  /** What is over on both sides. A server would take being cut off for an error. */
  close(): void {
    if (this.#end()) this.#socket?.close();
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  head(head: AnswerHead): void {
    // So some servers end what was idle for too long, and have not heard what was asked just then (RFC 9110, 15.5.9).
    if (head.status === 408 && this.#isReused && this.#reader.isLast)
      throw new ConnectionError('ConnectionClosed', 'the connection was closed while it was idle');
    this.#exchange?.begins(head);
  }

  piece(bytes: Buffer): void {
    this.#exchange?.brings(bytes);
  }

  end(): void {
    this.#exchange?.ends();
  }

  opened(socket: Socket): void {
    this.#isOpening = false;
    this.#socket = socket;
    if (this.#exchange === undefined) {
      drop(this.#origin.abandoned, this);
      this.close();
      return;
    }
    // An answer can be minutes away, and what stands between forgets connections that are silent for a few.
    socket.setKeepAlive(true, probedAfterMs);
    if (this.#origin.serverName === null) this.#send();
  }

  /** @param isTrusted what its chain of certificates comes to; whose certificate it is has not been looked at. */
  secured(socket: Socket, isTrusted: boolean, error: Error | null): void {
    const { serverName, isTrustWaived } = this.#origin;
    if (this.#isEnded || serverName === null) return;
    if (isTrustWaived) {
      this.#send();
      return;
    }
    const refusal =
      error ?? (isTrusted ? checkServerIdentity(serverName, socket.getPeerCertificate()) : untrusted());
    if (refusal == null) this.#send();
    else this.#break(refusal);
  }

  received(bytes: Buffer): void {
    const exchange = this.#exchange;
    if (exchange === undefined) {
      // Nobody asked: whoever comes next must not be given it for an answer.
      this.terminate();
      return;
    }
    try {
      this.#reader.push(bytes);
    } catch (thrown) {
      this.#break(thrown);
      return;
    }
    exchange.tell();
    if (this.#reader.isOver) this.#idle();
  }

  drained(): void {
    this.#send();
  }

  /** By the other side, or by the network. */
  closed(error: Error | null | undefined): void {
    if (this.#isEnded) return;
    const exchange = this.#exchange;
    if (exchange === undefined) {
      this.close();
      return;
    }
    if (!this.#reader.hasBegun) {
      this.#break(error ?? new ConnectionError('ConnectionClosed', 'the connection was closed unanswered'));
      return;
    }
    try {
      if (error != null) throw new AnswerError('ConnectionClosed', error.message);
      this.#reader.close();
      exchange.tell();
      this.close();
    } catch (thrown) {
      this.#break(thrown);
    }
  }

  #connect(): void {
    const { hostname, port, serverName, isTrustWaived } = this.#origin;
    // An address is no name that a server could choose its certificate by (RFC 6066, 3).
    const named = serverName === null || isIP(serverName) !== 0 ? '' : serverName;
    const tls = { serverName: named, rejectUnauthorized: !isTrustWaived, ALPNProtocols: alpnProtocols };
    const to = { hostname, port, data: this, socket: handlers, ...(serverName === null ? {} : { tls }) };
    this.#isOpening = true;
    try {
      Bun.connect<Connection>(to).catch((error) => this.#refused(error));
    } catch (error) {
      this.#refused(error);
    }
  }

  #refused(error: unknown): void {
    this.#isOpening = false;
    drop(this.#origin.abandoned, this);
    this.#break(error);
  }

  #send(): void {
    const bytes = this.#unsent;
    if (bytes === undefined) return;
    const written = this.#socket?.write(bytes) ?? -1;
    if (written < 0) {
      this.#break(
        new ConnectionError('ConnectionClosed', 'the connection was closed before the request was sent'),
      );
      return;
    }
    if (written > 0) this.#hasSent = true;
    this.#unsent = written < bytes.length ? bytes.subarray(written) : undefined;
  }

  /** Its exchange is over. */
  #idle(): void {
    const { idle } = this.#origin;
    this.#exchange = undefined;
    if (this.#isEnded) return;
    // Who answered without having read the request would take the rest of it for the next one.
    if (this.#unsent !== undefined) {
      this.terminate();
      return;
    }
    const { idleSeconds } = this.#reader;
    const ownSeconds = idleSeconds - (idleSeconds % timerSeconds);
    if (ownSeconds === 0 || idle.length >= mostIdle) {
      this.close();
      return;
    }
    this.#socket?.resume();
    this.#socket?.timeout(ownSeconds);
    // A process that has nothing else to do may end.
    this.#socket?.unref();
    idle.push(this);
  }

  /** @returns false where it has ended before. */
  #end(): boolean {
    if (this.#isEnded) return false;
    this.#isEnded = true;
    this.#exchange = undefined;
    this.#unsent = undefined;
    drop(this.#origin.idle, this);
    return true;
  }

  #break(thrown: unknown): void {
    const exchange = this.#exchange;
    this.terminate();
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    exchange?.fails(!this.#hasSent && 'code' in error ? new UnsentError(error) : error);
  }
}

function drop(from: Connection[], connection: Connection): void {
  const at = from.indexOf(connection);
  if (at !== -1) from.splice(at, 1);
}

const untrusted = () => new ConnectionError('CertificateRefused', 'its certificate was refused');

const handlers: Bun.SocketHandler<Connection> = {
  binaryType: 'buffer',
  open: (socket) => socket.data.opened(socket),
  handshake: (socket, isTrusted, error) => socket.data.secured(socket, isTrusted, error),
  data: (socket, bytes) => socket.data.received(bytes),
  drain: (socket) => socket.data.drained(),
  end: (socket) => socket.data.closed(null),
  close: (socket, error) => socket.data.closed(error),
  error: (socket, error) => socket.data.closed(error),
  // Only an idle one has one.
  timeout: (socket) => socket.data.close(),
};
