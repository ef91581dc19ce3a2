/** The listening socket: starts, and stops without cutting off what is under way. */
import { setImmediate } from 'node:timers/promises';
import type { Hono } from 'hono';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';

export const healthPath = '/health';

export interface HttpServer {
  readonly port: number;
  /** `http://host:port` of this process. */
  readonly url: string;
  /**
   * Serves on for `noticeMs`, in which whoever balances the load can read in `/health` that it should send nothing more,
   * and every answer is the last on its connection. Then nobody can connect any more, which a balancer that asks no
   * `/health` finds out before it has sent anything, and connections on which nothing is asked are closed. Answers under
   * way have up to `drainTimeoutMs` from then on; what is left is ended.
   */
  stop(drain: Drain): Promise<void>;
}

export interface Drain {
  readonly drainTimeoutMs: number;
  readonly noticeMs: number;
}

export interface HttpServerOptions {
  readonly app: Hono;
  /** What answers POST requests to these paths; everything else is the app's. */
  readonly posts: ReadonlyMap<string, (http: Request) => Promise<Response>>;
  /** The answer to a request that never reaches the app. */
  readonly refuse: (error: AppError, http: Request) => Response;
  readonly host: string;
  readonly port: number;
  /** True where several processes listen on the port and the kernel shares connections out among them. */
  readonly sharesPort: boolean;
  /** Told of the server, whose connections they then keep open as long as they are held. */
  readonly connections: Connections;
  /** Ends what is under way when the time for it is over: answers that go on, and requests that have none, in words. */
  readonly interrupt: () => void;
  readonly clock: Clock;
}

/**
 * For a connection on which nothing is asked or answered, and for what is left of an answer that its client does not
 * take. Longer than the minute after which most load balancers close theirs, so that none sends a request into a
 * connection that is just being closed here. The head of a first request has some ten seconds, by the runtime.
 */
const idleSeconds = 75;
const forEver = 0;
const drainPollMs = 20;
/**
 * Connections that wait to be accepted when the port is closed are cut off, with the requests that were sent in them. So
 * it is closed once nothing has come for so long, in which all that waited has been accepted; under a load that
 * has no such moment, at last at the end of the time for one.
 */
const lullMs = 2;
const lullWithinMs = 1000;
/** For the last words of interrupted answers to leave. */
const lastWordsMs = 1000;

/**
 * Whose silence is judged by whom. The runtime closes connections that are silent, and knows no silence of more than
 * 255 seconds; an upstream may be waited for longer than that. So a connection is not its business from a request that
 * is held on until that is released, and in between the deadlines of the gateway hold.
 */
export class Connections {
  #server: Pick<Bun.Server<undefined>, 'timeout'> | undefined;

  attach(server: Pick<Bun.Server<undefined>, 'timeout'>): void {
    this.#server = server;
  }

  hold(http: Request): void {
    this.#server?.timeout(http, forEver);
  }

  /** Safe also when the connection has gone. */
  release(http: Request): void {
    this.#server?.timeout(http, idleSeconds);
  }
}

export function startHttpServer(options: HttpServerOptions): HttpServer {
  const { app, posts, refuse, host, port, sharesPort, connections, interrupt, clock } = options;
  let isLeaving = false;
  let cameSinceNotice = 0;
  const server = Bun.serve({
    hostname: host,
    port,
    // Otherwise the runtime prints what breaks in a body to standard error, past the log.
    development: false,
    // Said either way: outside development the runtime shares the port, and a second server would go unnoticed.
    reusePort: sharesPort,
    idleTimeout: idleSeconds,
    /** The faces hold bodies to their own bounds and say so; this one would close without a word. */
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch(arrived) {
      const answer = respond(arrived);
      if (!isLeaving) return answer;
      cameSinceNotice += 1;
      return lastAnswer(answer);
    },
  });
  function respond(arrived: Request): Response | Promise<Response> {
    const host = arrived.headers.get('host') ?? '';
    const isHost = isOneHost(host);
    const request = isHost ? arrived : underAnyHost(arrived);
    // A client of HTTP/1.0 needs to name none; load balancers ask for health so.
    if (!isHost && host !== '') return closing(refuse(noHost(), request));
    // Almost all traffic: a look into a map, past the router and its layers.
    const post = request.method === 'POST' ? posts.get(pathOf(request.url)) : undefined;
    if (post !== undefined) return post(request);
    if (request.method === 'CONNECT') return closing(refuse(noTunnel(), request));
    return app.fetch(request, { addressOf: () => server.requestIP(arrived)?.address });
  }
  connections.attach(server);
  return {
    port: server.port ?? port,
    url: addressOf(host, server.port ?? port),
    async stop({ drainTimeoutMs, noticeMs }) {
      isLeaving = true;
      await clock.sleep(noticeMs);
      await untilLull(clock, () => cameSinceNotice);
      // Ends with the last answer, which may be too late.
      void server.stop(false);
      const untilIdle = async (limitMs: number) => {
        const sinceMs = clock.monotonicMs();
        while (server.pendingRequests > 0 && clock.monotonicMs() < sinceMs + limitMs) {
          await clock.sleep(drainPollMs);
        }
      };
      await untilIdle(drainTimeoutMs);
      interrupt();
      await untilIdle(lastWordsMs);
      await server.stop(true);
    },
  };
}

/**
 * A port that this process could have alone a moment ago: the one asked for, or a free one for 0.
 * @throws AppError when somebody has it.
 */
export async function findPort(host: string, port: number): Promise<number> {
  try {
    const probe = Bun.serve({ hostname: host, port, reusePort: false, fetch: () => new Response() });
    const found = probe.port ?? port;
    await probe.stop(true);
    return found;
  } catch (cause) {
    throw portRefused(host, port, cause);
  }
}

export function portRefused(host: string, port: number, cause: unknown): AppError {
  return new AppError({
    code: 'internal_error',
    public: `Port ${port} on ${host} cannot be used: ${cause instanceof Error ? cause.message : String(cause)} Set PORT to another one, or to 0 for one that is free.`,
    cause,
  });
}

/** Who listens everywhere is reached on this machine. */
export function addressOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** With the query, if there is one; without a URL object, which costs as much as all else here. */
function pathOf(url: string): string {
  return url.slice(url.indexOf('/', 'https://'.length));
}

/** A name, an address or one in brackets, and perhaps a port, which the pattern leaves to the URL to judge. */
const hostPattern = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

let lastHost = '';

/** Almost all requests name the same one, so that most cost one comparison. */
function isOneHost(host: string): boolean {
  if (host === lastHost) return host !== '';
  if (!hostPattern.test(host) || !URL.canParse(`http://${host}`)) return false;
  lastHost = host;
  return true;
}

/** Where the Host header is none, the runtime gives a URL that cannot be read. */
function underAnyHost(request: Request): Request {
  const { url } = request;
  const path = url.startsWith('/') ? url : pathOf(url);
  return new Request(`http://localhost${path.startsWith('/') ? path : '/'}`, request);
}

/** The runtime joins repeated Host headers; two hosts are how requests are smuggled past a proxy in front. */
function noHost(): AppError {
  return new AppError({
    code: 'malformed_request',
    public: 'The Host header must be there once, with one host name and perhaps a port.',
  });
}

function noTunnel(): AppError {
  return new AppError({
    code: 'malformed_request',
    public:
      'This is no proxy to other hosts, so CONNECT leads nowhere: give clients this address as their base URL, and not as their proxy.',
  });
}

async function untilLull(clock: Clock, countCome: () => number): Promise<void> {
  const untilMs = clock.monotonicMs() + lullWithinMs;
  let before: number;
  do {
    before = countCome();
    await clock.sleep(lullMs);
    // A turn of the event loop more, for what came while the timer was late.
    await setImmediate();
  } while (countCome() !== before && clock.monotonicMs() < untilMs);
}

async function lastAnswer(answer: Response | Promise<Response>): Promise<Response> {
  return closing(await answer);
}

function closing(response: Response): Response {
  response.headers.set('connection', 'close');
  return response;
}
