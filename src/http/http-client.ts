/** Posts over HTTP/1.1 on sockets of the event loop, and keeps connections for the next request. */
import type { Abort, AbortListener } from '../base/abort.ts';
import type { HttpAnswer } from '../base/http-answer.ts';
import { AnswerBody, answerOf, type BodyFlow } from './answer-body.ts';
import { type AnswerHead, fieldName } from './answer-head.ts';
import { type Carried, Connection, type Origin } from './connection.ts';
import { UnsentError } from './errors.ts';

export interface HttpPost {
  /** `http:` or `https:`; an address that was chosen for the host may stand in the host's place. */
  readonly url: string;
  /** Looked at and written once where they are frozen, and anew for each request where not. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly abort: Abort;
  /** Whether a connection that was used before will do. */
  readonly mayReuse: boolean;
  /** Whom the address is for, where the URL has an address in its place. */
  readonly host?: string;
  /** Whose certificate it has to be; the URL's host when not given. */
  readonly serverName?: string | undefined;
}

const mostOrigins = 2000;
const mostTargets = 2000;
const mostAbandoned = 64;

interface Target {
  readonly origin: Origin;
  /** Of the head, what all requests to it have. */
  readonly start: string;
  /** Heads without the length, by headers that cannot change: those of one row are the same for all its requests. */
  readonly heads: WeakMap<HttpPost['headers'], string>;
}

export interface HttpClientOptions {
  /** Whether servers need no certificate that anybody trusts, as `NODE_TLS_REJECT_UNAUTHORIZED=0` has it for the runtime. */
  readonly isTrustWaived?: boolean;
}

export class HttpClient {
  readonly #origins = new Map<string, Origin>();
  /** By what is asked for, so that an address is read once. */
  readonly #targets = new Map<string, Target>();
  readonly #isTrustWaived: boolean;

  constructor({ isTrustWaived = false }: HttpClientOptions = {}) {
    this.#isTrustWaived = isTrustWaived;
  }

  /**
   * Resolves at the head of the answer, whatever its status; redirects are answers like others. Aborting ends the
   * connection, also after the head. Nothing is sent twice: a kept connection can break because its server had closed it
   * just then, or while the server worked, and only whoever asked knows which of the two may be asked again.
   * @throws Error with a code of the network or TLS, which is an UnsentError where nothing of the request was sent and an
   *   AnswerError where the server had begun to answer; TypeError for what cannot be sent, or what it was aborted with.
   */
  post(post: HttpPost): Promise<HttpAnswer> {
    return new Promise<HttpAnswer>((resolve, reject) => {
      const { abort } = post;
      abort.throwIfAborted();
      const target = this.#targetOf(post);
      const { origin } = target;
      const request = requestOf(headOf(target, post.headers), post.body);
      const idle = post.mayReuse ? origin.idle.pop() : undefined;
      const connection = idle ?? abandonedOf(origin) ?? new Connection(origin);
      connection.carry(new Exchange({ connection, abort, resolve, reject }), request);
    });
  }

  /** Ends the idle connections. */
  close(): void {
    for (const [key, origin] of this.#origins) this.#forget(key, origin);
  }

  #forget(key: string, { idle }: Origin): void {
    for (const each of idle.splice(0)) each.close();
    this.#origins.delete(key);
    this.#targets.clear();
  }

  #targetOf(post: HttpPost): Target {
    const { url, host, serverName } = post;
    const isPlain = host === undefined && serverName === undefined;
    const key = isPlain ? url : `${url}\n${host ?? ''}\n${serverName ?? ''}`;
    const known = this.#targets.get(key);
    if (known !== undefined) return known;
    const read = new URL(url);
    const { pathname, search } = read;
    const named = host ?? read.host;
    if (!fieldValue.test(named)) throw new TypeError('the host cannot be sent');
    const origin = this.#originOf(read, post);
    const start = `POST ${pathname}${search} HTTP/1.1\r\nhost: ${named}\r\naccept-encoding: identity\r\n`;
    if (this.#targets.size >= mostTargets) this.#targets.clear();
    const target: Target = { origin, start, heads: new WeakMap() };
    this.#targets.set(key, target);
    return target;
  }

  #originOf({ protocol, hostname, port, host }: URL, { serverName }: HttpPost): Origin {
    const isSecure = protocol === 'https:';
    const key = `${protocol}${host} ${serverName ?? ''}`;
    const known = this.#origins.get(key);
    if (known !== undefined) return known;
    const oldest = this.#origins.size < mostOrigins ? undefined : this.#origins.entries().next().value;
    if (oldest !== undefined) this.#forget(...oldest);
    const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    const origin: Origin = {
      hostname: bare,
      port: port === '' ? (isSecure ? 443 : 80) : Number(port),
      serverName: isSecure ? (serverName ?? bare.replace(/\.$/, '')) : null,
      isTrustWaived: this.#isTrustWaived,
      idle: [],
      abandoned: [],
    };
    this.#origins.set(key, origin);
    return origin;
  }
}

/** An abandoned connection, once there are many: a host that is silent would have more and more of them. */
const abandonedOf = ({ abandoned }: Origin): Connection | undefined =>
  abandoned.length > mostAbandoned ? abandoned.pop() : undefined;

/** What the client says itself. */
const ownFields = new Set([
  ...['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding'],
  ...['expect', 'upgrade', 'te', 'trailer'],
]);
/** Line ends would begin fields of their own. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Names that were looked at and can be sent. A handful in all: those of the adapters, and of what they forward. */
const soundNames = new Set<string>();
const mostSoundNames = 1000;

function isSoundName(name: string): boolean {
  if (soundNames.has(name)) return true;
  if (ownFields.has(name.toLowerCase()) || !fieldName.test(name)) return false;
  if (soundNames.size < mostSoundNames) soundNames.add(name);
  return true;
}

/** @throws TypeError for a header that cannot be sent. */
function headOf({ start, heads }: Target, headers: HttpPost['headers']): string {
  const known = heads.get(headers);
  if (known !== undefined) return known;
  let head = start;
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (!isSoundName(name) || !fieldValue.test(value)) {
      throw new TypeError(`the header ${name} cannot be sent`);
    }
    head += `${name}: ${value}\r\n`;
  }
  // Others may say something else the next time, or were made for this request alone.
  if (Object.isFrozen(headers)) heads.set(headers, head);
  return head;
}

/** @param head without the length, a character a byte. */
function requestOf(head: string, body: string): Buffer {
  const length = Buffer.byteLength(body);
  const end = `content-length: ${length}\r\n\r\n`;
  const bodyAt = head.length + end.length;
  const bytes = Buffer.allocUnsafe(bodyAt + length);
  bytes.write(head, 0, 'latin1');
  bytes.write(end, head.length, 'latin1');
  bytes.write(body, bodyAt);
  return bytes;
}

interface ExchangeParts {
  readonly connection: Connection;
  readonly abort: Abort;
  resolve(answer: HttpAnswer): void;
  reject(reason: unknown): void;
}

/** Who waits for an answer, and what has come of it. */
class Exchange implements Carried, BodyFlow, AbortListener {
  readonly #parts: ExchangeParts;
  #head: AnswerHead | undefined;
  #body: AnswerBody | undefined;
  #isOver = false;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    parts.abort.add(this);
  }

  aborted(reason: unknown): void {
    const isUnsent = !this.#parts.connection.isSent && reason instanceof Error && 'code' in reason;
    this.fails(isUnsent ? new UnsentError(reason) : reason);
  }

  begins(head: AnswerHead): void {
    this.#head = head;
    this.#body = new AnswerBody(this);
  }

  brings(bytes: Buffer): void {
    this.#body?.push(bytes);
  }

  ends(): void {
    this.#close();
    this.#body?.end();
  }

  /** Once all that came together is with the body: what is whole by then needs no stream. */
  tell(): void {
    const head = this.#head;
    if (head === undefined || this.#body === undefined) return;
    this.#head = undefined;
    try {
      this.#parts.resolve(answerOf(head, this.#body));
    } catch (thrown) {
      this.leave();
      this.#parts.reject(thrown);
    }
  }

  fails(reason: unknown): void {
    if (this.#isOver) return;
    this.leave();
    this.#parts.reject(reason);
    this.#body?.fail(reason);
  }

  pause(): void {
    this.#parts.connection.pause();
  }

  /** A connection that is idle, or carries another exchange by now, is not paused. */
  resume(): void {
    if (!this.#isOver) this.#parts.connection.resume();
  }

  /** Nobody waits for the rest. */
  leave(): void {
    if (this.#isOver) return;
    this.#close();
    this.#parts.connection.leave();
  }

  #close(): void {
    this.#isOver = true;
    this.#parts.abort.remove(this);
  }
}
