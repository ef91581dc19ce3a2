/** Every face on one address: the gateway, the pages, health and metrics. */
import { Hono } from 'hono';
import type { GatewayMetrics } from '../gateway/index.ts';

export const healthPath = '/health';

export interface WebAppOptions {
  readonly gateway: Hono;
  readonly portal: Hono;
  readonly metrics: GatewayMetrics;
  /** The answer where nothing is. */
  readonly refuseUnknown: (http: Request) => Response;
  /** False while the process is draining or has lost its database. */
  readonly isHealthy: () => Promise<boolean>;
}

export function createWebApp({ gateway, portal, metrics, refuseUnknown, isHealthy }: WebAppOptions): Hono {
  const app = new Hono();
  app.get(healthPath, async (context) =>
    (await isHealthy())
      ? context.json({ status: 'ok' })
      : context.json({ status: 'unavailable' }, 503, { 'retry-after': '5' }),
  );
  app.get('/metrics', async (context) =>
    context.text(await metrics.write(), 200, { 'content-type': metrics.contentType }),
  );
  app.route('/', gateway);
  app.route('/', portal);
  app.notFound((context) => refuseUnknown(context.req.raw));
  return app;
}
