/** The listening socket: starts, and stops without cutting off what is under way. */
import type { Hono } from 'hono';

export interface HttpServer {
  readonly port: number;
  /** `http://host:port` of this process. */
  readonly url: string;
  /** Takes no new connections, waits for answers under way up to `drainTimeoutMs`, then closes what is left. */
  stop(drainTimeoutMs: number): Promise<void>;
}

export interface HttpServerOptions {
  readonly app: Hono;
  readonly host: string;
  readonly port: number;
  /** The longest silence of an upstream that a client may be kept waiting through. */
  readonly longestSilenceMs: number;
}

/** The most that the runtime lets a connection be silent, in seconds; zero means for ever. */
const maxIdleSeconds = 255;
const drainPollMs = 20;

export function startHttpServer({ app, host, port, longestSilenceMs }: HttpServerOptions): HttpServer {
  const idleSeconds = Math.ceil(longestSilenceMs / 1000) + 15;
  let isDraining = false;
  const server = Bun.serve({
    hostname: host,
    port,
    idleTimeout: idleSeconds > maxIdleSeconds ? 0 : idleSeconds,
    /** The faces hold bodies to their own bounds and say so; this one would close without a word. */
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: (request) =>
      isDraining ? refuseWhileDraining() : (refuseTwoHosts(request) ?? app.fetch(request)),
  });
  return {
    port: server.port ?? port,
    url: `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${server.port}`,
    async stop(drainTimeoutMs) {
      isDraining = true;
      void server.stop(false);
      const deadline = performance.now() + drainTimeoutMs;
      while (server.pendingRequests > 0 && performance.now() < deadline) await Bun.sleep(drainPollMs);
      await server.stop(true);
    },
  };
}

function refuseWhileDraining(): Response {
  const message = 'This server is shutting down. Try again.';
  return Response.json(
    { error: { message, type: 'server_error', code: 'shutting_down', param: null }, detail: message },
    { status: 503, headers: { 'retry-after': '1', connection: 'close' } },
  );
}

/** The runtime joins repeated Host headers; two hosts are how requests are smuggled past a proxy in front. */
function refuseTwoHosts(request: Request): Response | null {
  if (request.headers.get('host')?.includes(',') !== true) return null;
  const message = 'The request has more than one Host header.';
  return Response.json(
    {
      error: { message, type: 'invalid_request_error', code: 'malformed_request', param: null },
      detail: message,
    },
    { status: 400, headers: { connection: 'close' } },
  );
}
