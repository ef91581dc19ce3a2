/** `sluice serve`: runs until it is told to stop, in one process or as several that share a port. */
import { systemClock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { openLog } from '../../base/log.ts';
import { providerAdapters } from '../../providers/index.ts';
import { chooseModelToTry, writeBanner } from '../banner.ts';
import { type Configuration, loadConfiguration } from '../configuration.ts';
import type { Environment } from '../environment.ts';
import { findPort } from '../http-server.ts';
import { mailerSettings } from '../notification-settings.ts';
import { dutiesOf } from '../roles.ts';
import { type RunningSluice, startSluice } from '../start.ts';
import { tellReady, Workers } from '../workers.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export interface ServeOptions {
  /** What of the program to do; SLUICE_ROLE when not given. */
  readonly role?: string;
  /** How many processes; one when not given. */
  readonly workers?: number;
  /** Which of several this one is, from 1; for the supervisor, which starts them. */
  readonly worker?: number;
}

export async function serve(
  given: Variables,
  { role, workers = 1, worker }: ServeOptions = {},
): Promise<void> {
  const variables = role === undefined ? given : { ...given, SLUICE_ROLE: role };
  const configuration = await loadConfiguration(variables, providerAdapters);
  if (worker !== undefined) await serveAsWorker(configuration, worker);
  else if (workers > 1) await supervise(configuration, variables, workers);
  else await serveAlone(configuration);
}

async function serveAlone(configuration: Configuration): Promise<void> {
  const log = openLog({ level: configuration.environment.logLevel });
  // Heard from before the port is open: whoever sees it open may ask for the end at once. A start that hangs is ended.
  const signalled = nextSignal(stopSignals);
  const starting = startSluice({ configuration, log });
  void signalled.then(() => endUnlessStarted(starting));
  const running = await starting;
  printBanner(configuration.environment, running);
  const signal = await signalled;
  log.info('stopping', { detail: signal });
  process.stderr.write(stoppingLine);
  void nextSignal(impatientSignals).then(() => process.exit(1));
  // At a terminal nobody balances any load.
  await running.stop(signal === 'SIGINT' ? 0 : configuration.environment.drainNoticeMs);
}

/** For what is left of a start that was told to end: the port may just have opened. */
const startEndsWithinMs = 2_000;

async function endUnlessStarted(starting: Promise<unknown>): Promise<void> {
  const late = systemClock.after(startEndsWithinMs, () => process.exit(1));
  // One that has failed ends too, whatever it may have left open.
  await starting.then(
    () => late.cancel(),
    () => undefined,
  );
}

/** Its supervisor alone tells it to stop: what a terminal sends reaches the supervisor too. */
async function serveAsWorker(configuration: Configuration, worker: number): Promise<void> {
  for (const name of ['SIGINT', 'SIGHUP']) process.on(name, () => undefined);
  const log = openLog({ level: configuration.environment.logLevel });
  // Heard from before it is ready, or what it holds by then would be left for others to find.
  const told = nextSignal(['SIGTERM']);
  const starting = startSluice({ configuration, log, sharesPort: true });
  void told.then(() => endUnlessStarted(starting));
  const running = await starting;
  if (worker === 1) printBanner(configuration.environment, running);
  tellReady();
  await told;
  void nextSignal(['SIGTERM']).then(() => process.exit(1));
  await running.stop(configuration.environment.drainNoticeMs);
}

async function supervise(configuration: Configuration, variables: Variables, count: number): Promise<void> {
  const { environment } = configuration;
  if (environment.databaseUrl === null) {
    throw new AppError({
      code: 'validation_failed',
      public: '--workers needs DATABASE_URL: the embedded database serves one process.',
    });
  }
  const log = openLog({ level: environment.logLevel });
  // Tried alone before it is shared, because whoever shares a port is not refused one that others share already.
  const port = await findPort(environment.host, environment.port);
  const workers = new Workers({
    count,
    argumentsOf: (number) => ['serve', '--worker', String(number)],
    variablesOf: (number) => ({ ...variables, PORT: String(port), ...metricsVariables(environment, number) }),
    log,
    clock: systemClock,
  });
  const told = nextSignal(stopSignals);
  const stopped = told.then(async (signal) => {
    log.info('stopping', { detail: signal });
    process.stderr.write(stoppingLine);
    void nextSignal(impatientSignals).then(() => workers.stop());
    return await workers.stop();
  });
  try {
    await workers.start();
    process.exitCode = await stopped;
  } finally {
    await log.flush();
  }
}

/** Each process counts its own requests, so that each has an address of its own for them: the next port. */
function metricsVariables({ metricsAddress }: Environment, number: number): Variables {
  if (metricsAddress === null) return {};
  const { host, port } = metricsAddress;
  const own = port === 0 ? 0 : port + number - 1;
  return { SLUICE_METRICS_ADDRESS: `${host.includes(':') ? `[${host}]` : host}:${own}` };
}

const stoppingLine = 'sluice: letting answers under way end; once more stops at once\n';

function printBanner(environment: Environment, { services, welcome, warnings, url }: RunningSluice): void {
  const { publicUrl, role, smtpUrl } = environment;
  const hasMailFiles = smtpUrl === null && dutiesOf(role).jobs;
  process.stdout.write(
    writeBanner({
      url: publicUrl ?? url,
      role,
      storage: services.storage.describe(),
      model: chooseModelToTry(services.catalogue.current()),
      welcome,
      mailFolder: hasMailFiles ? mailerSettings(environment).folder : null,
      warnings,
    }),
  );
}

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** What people send again who do not want to wait. Of a terminal that is closed a program is told more than once by itself. */
const impatientSignals = ['SIGINT', 'SIGTERM'] as const;

/** Those after the first one find their listener too: a signal that has none ends the process at once. */
function nextSignal(names: readonly (typeof stopSignals)[number][]): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  for (const name of names) process.on(name, () => resolve(name));
  return promise;
}
