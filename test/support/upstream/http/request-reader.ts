/** Reads HTTP/1.1 requests out of one connection's bytes, however the network cut them. */
import { MalformedRequest, readBody } from './request-body.ts';

export interface HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly keepAlive: boolean;
}

interface Head {
  readonly method: string;
  readonly target: string;
  readonly headers: Record<string, string>;
  readonly keepAlive: boolean;
}

const headEnd = Buffer.from('\r\n\r\n');
const empty = Buffer.alloc(0);

export class RequestReader {
  #bytes: Buffer = empty;
  #length = 0;
  #head: Head | undefined;
  #announced = false;

  push(bytes: Buffer): void {
    if (this.#length === 0) {
      this.#bytes = bytes;
      this.#length = bytes.length;
      return;
    }
    const needed = this.#length + bytes.length;
    if (needed > this.#bytes.length) {
      // Doubling keeps a body of many pieces from being copied once a piece.
      const grown = Buffer.allocUnsafe(needed * 2);
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    bytes.copy(this.#bytes, this.#length);
    this.#length = needed;
  }

  /** The next whole request, or undefined until more bytes come. Throws MalformedRequest. */
  next(): HttpRequest | undefined {
    this.#head ??= this.#readHead();
    const head = this.#head;
    if (head === undefined) return undefined;
    const body = readBody(head.headers, this.#bytes.subarray(0, this.#length));
    if (body === undefined) return undefined;
    this.#consume(body.nextIndex);
    this.#head = undefined;
    this.#announced = false;
    return { ...head, body: body.bytes };
  }

  /** True once for a request that holds its body back until it hears "100 Continue". */
  takeContinue(): boolean {
    if (this.#announced || this.#head?.headers['expect']?.toLowerCase() !== '100-continue') return false;
    this.#announced = true;
    return true;
  }

  #readHead(): Head | undefined {
    const seen = this.#bytes.subarray(0, this.#length);
    const end = seen.indexOf(headEnd);
    if (end < 0) return undefined;
    const head = parseHead(seen.toString('latin1', 0, end));
    this.#consume(end + headEnd.length);
    return head;
  }

  #consume(count: number): void {
    this.#bytes = count === this.#length ? empty : this.#bytes.subarray(count, this.#length);
    this.#length -= count;
  }
}

function parseHead(text: string): Head {
  const lines = text.split('\r\n');
  const [method, target, version] = (lines[0] ?? '').split(' ');
  if (!method || !target || !version?.startsWith('HTTP/1.')) {
    throw new MalformedRequest('the request line is not HTTP/1.x');
  }
  const headers: Record<string, string> = {};
  for (const line of lines.slice(1)) {
    const colon = line.indexOf(':');
    if (colon < 1) throw new MalformedRequest('a header line has no name');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const earlier = headers[name];
    headers[name] = earlier === undefined ? value : `${earlier}, ${value}`;
  }
  const wish = headers['connection']?.toLowerCase();
  const keepAlive = version === 'HTTP/1.0' ? wish === 'keep-alive' : wish !== 'close';
  return { method, target, headers, keepAlive };
}
