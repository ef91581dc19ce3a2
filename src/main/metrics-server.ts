/** `/metrics` for Prometheus: on an address of its own, which is this machine's alone unless asked otherwise. */
import { timingSafeEqual } from 'node:crypto';
import type { GatewayMetrics } from '../gateway/index.ts';
import { addressOf } from './http-server.ts';

export const metricsPath = '/metrics';

export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

export interface MetricsServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** @throws Error when the address cannot be listened on. */
export function startMetricsServer(metrics: GatewayMetrics, { host, port }: MetricsAddress): MetricsServer {
  const server = Bun.serve({
    hostname: host,
    port,
    development: false,
    reusePort: false,
    fetch(request) {
      if (new URL(request.url).pathname !== metricsPath) return new Response('Not found\n', { status: 404 });
      if (request.method === 'GET' || request.method === 'HEAD') return answerMetrics(metrics);
      return new Response('Method not allowed\n', { status: 405, headers: { allow: 'GET, HEAD' } });
    },
  });
  return {
    url: `${addressOf(host, server.port ?? port)}${metricsPath}`,
    stop: () => server.stop(true),
  };
}

export async function answerMetrics(metrics: GatewayMetrics): Promise<Response> {
  return new Response(await metrics.write(), { headers: { 'content-type': metrics.contentType } });
}

/** Whether a request has the token that opens `/metrics` on the address of everyone; without one it is shut. */
export function mayReadMetrics(headers: Headers, token: string | null): boolean {
  if (token === null) return false;
  const given = Buffer.from(headers.get('authorization') ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
