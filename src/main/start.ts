/** From settings to a server that answers, and back. */
import { accountDescription, createAccountApi, refuseUnreached } from '../account-api/index.ts';
import { proxyList } from '../base/client-address.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { AppError, describeThrown } from '../base/errors.ts';
import { systemIds } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { applyConfiguration, type IdentityProvider, writeMistake } from '../configuration/index.ts';
import {
  createGateway,
  createPosts,
  Demonstration,
  describeGateway,
  interruptRelays,
  refuseRequest,
  refuseUnknown,
  Trial,
} from '../gateway/index.ts';
import { createPortal, type LegalTexts, openLegalTexts, preparePages } from '../portal/index.ts';
import { openStorage } from '../storage/index.ts';
import type { Configuration } from './configuration.ts';
import { type ControlSocket, openControlSocket } from './control-socket.ts';
import { type Environment, storageOptions } from './environment.ts';
import { type Welcome, welcomeOwner } from './first-run.ts';
import {
  findPort,
  type HttpServer,
  type HttpServerOptions,
  portRefused,
  startHttpServer,
} from './http-server.ts';
import { type MetricsServer, startMetricsServer } from './metrics-server.ts';
import { dutiesOf } from './roles.ts';
import { loadSecret } from './secret.ts';
import { openServices, type Services } from './services.ts';
import { createWebApp } from './web-app.ts';

export interface RunningSluice {
  /** The address that this process listens on. */
  readonly url: string;
  /** Where `/metrics` is for who runs it; null where it does not listen. */
  readonly metricsUrl: string | null;
  readonly services: Services;
  readonly welcome: Welcome | null;
  readonly warnings: readonly string[];
  /**
   * Lets what is under way end, writes what it used, closes everything. Safe to call again.
   * @param noticeMs how long `/health` says so at least before the port is closed; zero when not given.
   */
  stop(noticeMs?: number): Promise<void>;
}

interface StartOptions {
  readonly configuration: Configuration;
  readonly log: Log;
  /** The system's when not given. */
  readonly clock?: Clock;
  /** How a request waits until a provider is asked again; by the clock when not given. */
  readonly pause?: Clock['sleep'] | undefined;
  /** That a request waits for Redis at most, at each question; as each use of Redis has it when not given. */
  readonly redisWaitMs?: number | undefined;
  /** True for one of several processes that listen on the port; false when not given. */
  readonly sharesPort?: boolean;
}

/** @throws AppError, ConfigurationError or StorageError, with a message fit for the person who starts it. */
export async function startSluice(options: StartOptions): Promise<RunningSluice> {
  /** What to close, last first: at the stop, or when something after it cannot be opened. */
  const opened = new AsyncDisposableStack();
  try {
    return await openAll(options, opened);
  } catch (error) {
    // Told is why it cannot start; closing most likely fails for the same reason.
    await opened.disposeAsync().catch(() => undefined);
    throw error;
  }
}

async function openAll(
  { configuration, log, clock = systemClock, pause, redisWaitMs, sharesPort = false }: StartOptions,
  opened: AsyncDisposableStack,
): Promise<RunningSluice> {
  const { environment } = configuration;
  opened.defer(() => log.flush());
  // First, so that a second server by mistake changes nothing of what the first one serves.
  const { host, port } = environment;
  if (!sharesPort && port !== 0) await findPort(host, port);
  const warn = (message: string) => log.warn(message);
  const legal = openLegalTexts(environment.legalDir);
  const secret = await loadSecret(environment, { ids: systemIds, onWarning: warn });
  const storage = await openStorage({ ...storageOptions(environment), onWarning: warn });
  opened.defer(() => storage.close());
  await storage.migrate();
  const services = await openServices({ environment, storage, secret, log, clock, pause, redisWaitMs });
  opened.defer(() => services.close());
  const { tokenPrefix } = environment;
  const report = await applyConfiguration(configuration, { ...services, tokenPrefix });
  if (report.changed) await Promise.all([services.catalogue.reload(), services.resellerHosts.reload()]);
  let address: string | null = null;
  const control = await openControl(environment, services, () => address);
  if (control !== null) opened.defer(() => control.close());
  const metrics = openMetrics(environment, services);
  if (metrics.server !== null) opened.defer(() => metrics.server?.stop());
  const http = listen({
    environment,
    identityProviders: configuration.file?.identityProviders ?? [],
    services,
    legal,
    sharesPort,
  });
  address = environment.publicUrl ?? http.url;
  let noticeMs = 0;
  opened.defer(() => http.stop({ drainTimeoutMs: environment.drainTimeoutMs, noticeMs }));
  const stop = stopOnce(opened);
  // Last: what it shows on a shared database is shown only once, so nothing may fail after it.
  const hasPortal = dutiesOf(environment.role).portal;
  const welcome = hasPortal ? await welcomeOwner({ ...services, secret, tokenPrefix }) : null;
  if (hasPortal) void prepareBehind(services);
  return {
    url: http.url,
    metricsUrl: metrics.server?.url ?? null,
    services,
    welcome,
    warnings: [...[...configuration.warnings, ...report.warnings].map(writeMistake), ...metrics.warnings],
    stop(givenMs = 0) {
      noticeMs = givenMs;
      return stop();
    },
  };
}

function stopOnce(opened: AsyncDisposableStack): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  return () => {
    stopping ??= opened.disposeAsync();
    return stopping;
  };
}

/** Nobody waits for it, and a page that needs it before, or after it failed, makes it itself. */
async function prepareBehind({ log, clock }: Services): Promise<void> {
  const startedMs = clock.monotonicMs();
  try {
    await preparePages();
    log.debug('what pages load is made', { durationMs: Math.round(clock.monotonicMs() - startedMs) });
  } catch (error) {
    log.error('what pages load could not be made; the next page tries again', {
      detail: describeThrown(error),
    });
  }
}

/** Only where the command line cannot open the database itself. */
async function openControl(
  { dataDir, tokenPrefix }: Environment,
  services: Services,
  address: () => string | null,
): Promise<ControlSocket | null> {
  if (services.storage.kind !== 'embedded') return null;
  return openControlSocket(dataDir, { ...services, tokenPrefix, address }, services.log);
}

/** It goes on without them: who relies on metrics sees that they are missing, and requests need them not. */
function openMetrics(
  { metricsAddress }: Environment,
  { metrics, log }: Services,
): { server: MetricsServer | null; warnings: readonly string[] } {
  if (metricsAddress === null) return { server: null, warnings: [] };
  try {
    return { server: startMetricsServer(metrics, metricsAddress), warnings: [] };
  } catch (error) {
    const { host, port } = metricsAddress;
    const warning = `metrics do not listen, because port ${port} on ${host} cannot be used (${describeThrown(error)}). Set SLUICE_METRICS_ADDRESS to another, or to off.`;
    log.warn(warning);
    return { server: null, warnings: [warning] };
  }
}

interface Listening {
  readonly environment: Environment;
  readonly services: Services;
  readonly legal: LegalTexts;
  readonly identityProviders: readonly IdentityProvider[];
  readonly sharesPort: boolean;
}

function listen({ environment, services, legal, identityProviders, sharesPort }: Listening): HttpServer {
  const refuse = (error: AppError, http: Request) =>
    refuseUnreached(error, http, services) ?? refuseRequest(error, http, services);
  const draining = new AbortController();
  const duties = dutiesOf(environment.role);
  const openPortal = () =>
    createPortal({
      ...services,
      legal,
      demonstration: new Demonstration(services),
      trial: new Trial(services),
      descriptions: { gateway: describeGateway(), account: accountDescription },
      identityProviders,
      publicUrl: environment.publicUrl,
      tokenPrefix: environment.tokenPrefix,
      lowBalance: environment.lowBalance,
      trustedProxies: proxyList(environment.trustedProxies),
      isDevelopment: environment.isDevelopment,
      stopping: draining.signal,
    });
  const openAccountApi = () =>
    createAccountApi({
      ...services,
      legal,
      identityProviders,
      publicUrl: environment.publicUrl,
      trustedProxies: proxyList(environment.trustedProxies),
    });
  const app = createWebApp({
    gateway: duties.gateway ? createGateway(services) : null,
    portal: duties.portal ? openPortal() : null,
    accountApi: duties.portal ? openAccountApi() : null,
    metrics: services.metrics,
    metricsToken: environment.metricsToken,
    refuseUnknown: (http) => refuseUnreached(notServed(), http, services) ?? refuseUnknown(http, services),
    isHealthy: async () => !draining.signal.aborted && (await canReachStorage(services)),
  });
  const { host, port } = environment;
  try {
    const posts: HttpServerOptions['posts'] = duties.gateway ? createPosts(services) : new Map();
    const { clock, connections } = services;
    const interrupt = () => {
      services.unanswered.interrupt(services.log);
      interruptRelays(services);
    };
    const listening = { host, port, sharesPort, connections, interrupt, clock };
    const server = startHttpServer({ app, posts, refuse, ...listening });
    return {
      ...server,
      stop(drain) {
        draining.abort();
        return server.stop(drain);
      },
    };
  } catch (cause) {
    throw portRefused(host, port, cause);
  }
}

/** Said by a process that serves other faces alone. */
const notServed = () => new AppError({ code: 'not_found', public: 'The account API is not served here.' });

async function canReachStorage({ storage }: Services): Promise<boolean> {
  try {
    await storage.ping();
    return true;
  } catch {
    return false;
  }
}
