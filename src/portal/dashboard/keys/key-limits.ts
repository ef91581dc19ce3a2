/** How a key stands against its limits of requests, tokens and requests at once, as far as can be told here. */
import { z } from 'zod';
import type { ApiKey } from '../../../identity/index.ts';
import { describeLimits, type LimitReport } from '../../../limits/index.ts';
import { type Asked, idField, type Route, route } from '../../route.ts';
import type { PortalServices } from '../../services.ts';
import { keyRefusals, keysTag, requireTheKey } from './the-key.ts';

const limitResult = z
  .object({ limit: z.int(), remaining: z.int(), reset_seconds: z.number() })
  .nullable()
  .describe('Null where there is no such limit');
const limitsResult = z.object({
  key_id: z.int(),
  limits: z
    .object({
      requests: limitResult,
      tokens: limitResult,
      concurrent: z.object({ limit: z.int(), remaining: z.int() }).nullable(),
      counted_by: z
        .enum(['process', 'shared', 'share'])
        .describe(
          'By all processes together (`shared`), by the one that answers alone, or by it for its share while Redis is away',
        ),
    })
    .nullable()
    .describe('Null for a key without limits of its own'),
});

const query = z.object({ key_id: idField });

export const keyLimitRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/dashboard/admin/api/key-rate-limit-state',
    summary: 'How a key stands against its limits',
    tag: keysTag,
    access: 'department_admin',
    answers: 'json',
    query,
    result: limitsResult,
    refusals: keyRefusals,
    handle: tellLimits,
  }),
];

async function tellLimits(asked: Asked<'department_admin', { query: typeof query }>): Promise<Response> {
  const { context, services, scope } = asked;
  const key = await requireTheKey(scope, services, asked.query.key_id);
  const report = await readLimits(services, key);
  return context.json({ key_id: key.id, limits: report && describeLimits(report) });
}

/** Null for a key that has none. */
export async function readLimits(
  { limiter }: Pick<PortalServices, 'limiter'>,
  key: ApiKey,
): Promise<LimitReport | null> {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = key;
  const limits = { requestsPerMinute, tokensPerMinute, concurrentRequests };
  const isLimited = Object.values(limits).some((limit) => limit !== null);
  return isLimited ? await limiter.stateOf(key.id, limits) : null;
}
