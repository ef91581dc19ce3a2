/** Every face of this process on one address: the gateway, the pages, health, and metrics for who has their token. */
import { Hono } from 'hono';
import type { GatewayMetrics } from '../gateway/index.ts';
import { wantsPage } from '../portal/index.ts';
import { healthPath } from './http-server.ts';
import { answerMetrics, mayReadMetrics, metricsPath } from './metrics-server.ts';

export interface WebAppOptions {
  /** Null where this process does not serve it. */
  readonly gateway: Hono | null;
  readonly portal: Hono | null;
  readonly accountApi: Hono | null;
  readonly metrics: GatewayMetrics;
  /** Null keeps metrics off this address. */
  readonly metricsToken: string | null;
  /** The answer to a program where nothing is. */
  readonly refuseUnknown: (http: Request) => Response;
  /** False while the process is draining or has lost its database. */
  readonly isHealthy: () => Promise<boolean>;
}

const notKept = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export function createWebApp(faces: WebAppOptions): Hono {
  const { gateway, portal, accountApi, metrics, metricsToken, refuseUnknown, isHealthy } = faces;
  const app = new Hono();
  app.get(healthPath, async (context) =>
    (await isHealthy())
      ? context.json({ status: 'ok' }, 200, notKept)
      : context.json({ status: 'unavailable' }, 503, { ...notKept, 'retry-after': '5' }),
  );
  app.get(metricsPath, (context) =>
    mayReadMetrics(context.req.raw.headers, metricsToken) ? answerMetrics(metrics) : context.notFound(),
  );
  for (const face of [gateway, accountApi, portal]) if (face !== null) app.route('/', face);
  // A face refuses in its own language: these addresses are no face's, so who asks decides.
  app.notFound((context) =>
    portal !== null && wantsPage(context.req.raw)
      ? portal.fetch(context.req.raw, context.env)
      : refuseUnknown(context.req.raw),
  );
  return app;
}
