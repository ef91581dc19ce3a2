/** Every face on one address: the gateway, the pages, health and metrics. */
import { Hono } from 'hono';
import type { GatewayMetrics } from '../gateway/index.ts';

export interface WebAppOptions {
  readonly gateway: Hono;
  readonly portal: Hono;
  readonly metrics: GatewayMetrics;
  /** False while the process is draining or has lost its database. */
  readonly isHealthy: () => Promise<boolean>;
}

export function createWebApp({ gateway, portal, metrics, isHealthy }: WebAppOptions): Hono {
  const app = new Hono();
  app.get('/health', async (context) =>
    (await isHealthy())
      ? context.json({ status: 'ok' })
      : context.json({ status: 'unavailable' }, 503, { 'retry-after': '5' }),
  );
  app.get('/metrics', async (context) =>
    context.text(await metrics.write(), 200, { 'content-type': metrics.contentType }),
  );
  app.route('/', gateway);
  app.route('/', portal);
  app.notFound((context) => {
    const message = 'There is nothing at this address.';
    return context.json(
      { error: { message, type: 'not_found', code: 'not_found', param: null }, detail: message },
      404,
    );
  });
  return app;
}
