/** What metrics tell of routing: read when somebody asks, and of no request. */
import type { ErrorCode } from '../base/errors.ts';
import type { Catalogue } from '../catalogue/index.ts';
import type { GatewayMetrics } from '../gateway/index.ts';
import type { Routes } from '../routing/index.ts';
import type { Prober } from '../upstream/index.ts';

const spent: ErrorCode = 'upstream_quota_spent';

export function watchRouting(metrics: GatewayMetrics, routes: Routes, catalogue: Catalogue): void {
  const pools = () => routes.describePools(catalogue.current());
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  metrics.watch('sluice_open_circuits', {
    help: 'Providers, models there, credentials, and credentials with one model that are spared because they failed',
    read: () => [...routes.health.circuits()].length,
  });
  metrics.watch('sluice_pool_credentials', {
    help: 'Credentials of the providers that serve a model',
    read: () => sum(pools().map(({ total }) => total)),
  });
  metrics.watch('sluice_pool_credentials_healthy', {
    help: 'Those of them of which nothing bad is known',
    read: () => sum(pools().map(({ healthy }) => healthy)),
  });
  metrics.watch('sluice_pool_credentials_spent', {
    help: 'Those of them whose account with the provider is out of money or quota, as its refusal said',
    read: () =>
      sum(
        pools().map(({ credentials }) => credentials.filter(({ errorKind }) => errorKind === spent).length),
      ),
  });
  metrics.watch('sluice_pools_unusable', {
    help: 'Providers that are down, or without any credential that can be asked',
    read: () => pools().filter(({ state }) => state === 'down' || state === 'exhausted').length,
  });
  metrics.watch('sluice_retry_budget', {
    help: 'Further tries at providers that have just failed that may be made at once, of 100',
    read: () => routes.retriesLeft,
  });
  metrics.watch('sluice_routing_processes', {
    help: 'Processes that tell each other what they know of providers, this one included',
    read: () => routes.processes,
  });
}

export function watchProbes(metrics: GatewayMetrics, prober: Prober | null): void {
  metrics.watch('sluice_upstream_probes', {
    help: 'Calls since the start that asked providers and credentials that had failed whether they are well again',
    read: () => prober?.asked ?? 0,
  });
  metrics.watch('sluice_upstream_probes_failed', {
    help: 'Those of them that failed',
    read: () => prober?.failed ?? 0,
  });
}
