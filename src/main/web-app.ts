/** Every face on one address: the gateway, the pages, health and metrics. */
import { Hono } from 'hono';
import { AppError } from '../base/errors.ts';
import type { GatewayMetrics } from '../gateway/index.ts';

export const healthPath = '/health';

export interface WebAppOptions {
  readonly gateway: Hono;
  readonly portal: Hono;
  readonly metrics: GatewayMetrics;
  readonly refuse: (error: AppError, http: Request) => Response;
  /** False while the process is draining or has lost its database. */
  readonly isHealthy: () => Promise<boolean>;
}

export function createWebApp({ gateway, portal, metrics, refuse, isHealthy }: WebAppOptions): Hono {
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
  app.notFound((context) =>
    refuse(new AppError({ code: 'not_found', public: 'There is nothing at this address.' }), context.req.raw),
  );
  return app;
}
