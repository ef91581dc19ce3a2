/** From settings to a server that answers, and back. */
import { AppError } from '../base/errors.ts';
import { systemIds } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { createGateway } from '../gateway/index.ts';
import { createPortal } from '../portal/index.ts';
import { openStorage } from '../storage/index.ts';
import {
  applyConfiguration,
  type Configuration,
  type Environment,
  loadSecret,
  writeMistake,
} from './config/index.ts';
import { type ControlSocket, openControlSocket } from './control-socket.ts';
import { type Welcome, welcomeOwner } from './first-run.ts';
import { startHttpServer } from './http-server.ts';
import { identityContext, openServices, type Services } from './services.ts';
import { storageOptions } from './storage-options.ts';
import { createWebApp } from './web-app.ts';

export interface RunningSluice {
  /** The address that this process listens on. */
  readonly url: string;
  readonly services: Services;
  readonly welcome: Welcome | null;
  readonly warnings: readonly string[];
  /** Lets what is under way end, writes what it used, closes everything. Safe to call again. */
  stop(): Promise<void>;
}

/** @throws AppError, ConfigurationError or StorageError, with a message fit for the person who starts it. */
export async function startSluice(options: {
  configuration: Configuration;
  log: Log;
}): Promise<RunningSluice> {
  const { configuration, log } = options;
  const { environment } = configuration;
  const warn = (message: string) => log.warn(message);
  const secret = await loadSecret(environment, { ids: systemIds, onWarning: warn });
  const storage = await openStorage({ ...storageOptions(environment), onWarning: warn });
  try {
    await storage.migrate();
    const services = await openServices({ environment, storage, secret, log });
    const report = await applyConfiguration(configuration, {
      ...services,
      ...storage,
      tokenPrefix: environment.tokenPrefix,
    });
    if (report.changed) await services.catalogue.reload();
    const { callers, wallets } = services;
    const { tokenPrefix } = environment;
    const welcome = await welcomeOwner({ storage, wallets, callers, secret, tokenPrefix });
    return run(environment, services, {
      welcome,
      warnings: [...configuration.warnings, ...report.warnings].map(writeMistake),
    });
  } catch (error) {
    await storage.close();
    throw error;
  }
}

function run(
  environment: Environment,
  services: Services,
  facts: Pick<RunningSluice, 'welcome' | 'warnings'>,
): RunningSluice {
  const isDraining = { now: false };
  const http = listen(environment, services, isDraining);
  const control = openControl(environment, services);
  let stopping: Promise<void> | undefined;
  return {
    ...facts,
    url: http.url,
    services,
    stop: () => {
      isDraining.now = true;
      stopping ??= stopAll({ http, control, services, drainTimeoutMs: environment.drainTimeoutMs });
      return stopping;
    },
  };
}

/** Only where the command line cannot open the database itself. */
function openControl({ dataDir, tokenPrefix }: Environment, services: Services): ControlSocket | null {
  const { storage, wallets } = services;
  if (storage.kind !== 'embedded') return null;
  return openControlSocket(dataDir, { storage, wallets, identity: identityContext(storage, tokenPrefix) });
}

function listen(environment: Environment, services: Services, isDraining: { now: boolean }) {
  const { firstByteMs, idleMs } = environment.upstreamTimeouts;
  const app = createWebApp({
    gateway: createGateway(services),
    portal: createPortal({
      ...services,
      identity: identityContext(services.storage, environment.tokenPrefix),
      publicUrl: environment.publicUrl,
    }),
    metrics: services.metrics,
    isHealthy: async () => !isDraining.now && (await canReachStorage(services)),
  });
  const { host, port } = environment;
  try {
    return startHttpServer({ app, host, port, longestSilenceMs: Math.max(firstByteMs, idleMs) });
  } catch (cause) {
    throw new AppError({
      code: 'internal_error',
      public: `Port ${port} on ${host} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    });
  }
}

async function canReachStorage({ storage }: Services): Promise<boolean> {
  try {
    await storage.ping();
    return true;
  } catch {
    return false;
  }
}

async function stopAll(parts: {
  http: ReturnType<typeof startHttpServer>;
  control: ControlSocket | null;
  services: Services;
  drainTimeoutMs: number;
}): Promise<void> {
  const { http, control, services, drainTimeoutMs } = parts;
  await http.stop(drainTimeoutMs);
  await control?.close();
  try {
    await services.close();
  } finally {
    await services.storage.close();
    await services.log.flush();
  }
}
