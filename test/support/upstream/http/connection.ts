/** One client's connection: requests in, one at a time; bytes out, each write its own; its end noticed at once. */
import type { Socket } from 'bun';
import { MalformedRequest } from './request-body.ts';
import { type HttpRequest, RequestReader } from './request-reader.ts';

export type RequestHandler = (request: HttpRequest, connection: Connection) => void;

const continueLine = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n');
const refusal = Buffer.from('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');

export class Connection {
  readonly #socket: Socket<Connection>;
  readonly #onRequest: RequestHandler;
  readonly #reader = new RequestReader();
  #unsent: Uint8Array | undefined;
  #onFlushed: (() => void) | undefined;
  #onClosed: (() => void) | undefined;
  #answering = false;
  #keepAlive = true;
  #open = true;

  constructor(socket: Socket<Connection>, onRequest: RequestHandler) {
    this.#socket = socket;
    this.#onRequest = onRequest;
  }

  /** Hands bytes to the kernel; `onFlushed` comes once all of them are there, in the same turn if they fit. */
  write(bytes: Uint8Array, onFlushed: () => void): void {
    const taken = Math.max(0, this.#socket.write(bytes));
    if (taken >= bytes.length) {
      onFlushed();
      return;
    }
    this.#unsent = bytes.subarray(taken);
    this.#onFlushed = onFlushed;
  }

  /** What to do if the client goes while its answer is under way. */
  whenClosed(action: () => void): void {
    this.#onClosed = action;
  }

  /** The answer is out: take the next request of this connection, or close it if the client asked so. */
  answered(): void {
    this.#onClosed = undefined;
    this.#answering = false;
    if (!this.#keepAlive) this.#socket.end();
    else this.#takeNext();
  }

  /** A polite end (FIN), wherever the answer stands. */
  close(): void {
    this.#onClosed = undefined;
    this.#socket.end();
  }

  /** A hard end (RST). */
  reset(): void {
    this.#onClosed = undefined;
    this.#socket.terminate();
  }

  receive(bytes: Buffer): void {
    this.#reader.push(bytes);
    if (!this.#answering) this.#takeNext();
  }

  drained(): void {
    const rest = this.#unsent;
    const onFlushed = this.#onFlushed;
    if (rest === undefined || onFlushed === undefined) return;
    this.#unsent = undefined;
    this.#onFlushed = undefined;
    this.write(rest, onFlushed);
  }

  closed(): void {
    this.#open = false;
    this.#unsent = undefined;
    this.#onFlushed = undefined;
    const action = this.#onClosed;
    this.#onClosed = undefined;
    action?.();
  }

  #takeNext(): void {
    if (!this.#open) return;
    try {
      const request = this.#reader.next();
      if (request === undefined) {
        if (this.#reader.takeContinue()) this.#socket.write(continueLine);
        return;
      }
      this.#answering = true;
      this.#keepAlive = request.keepAlive;
      this.#onRequest(request, this);
    } catch (error) {
      if (!(error instanceof MalformedRequest)) throw error;
      this.#socket.write(refusal);
      this.#socket.end();
    }
  }
}
