/** `sluice doctor` and `sluice config check`: look at what a server needs and say what is wrong, without changing anything. */
import { RedisClient } from 'bun';
import { systemClock, withinTime } from '../../base/clock.ts';
import { AppError, describeThrown } from '../../base/errors.ts';
import { writeMistake } from '../../configuration/index.ts';
import { openMailer } from '../../notifications/index.ts';
import { providerAdapters } from '../../providers/index.ts';
import { findDataDirHolder, openStorage } from '../../storage/index.ts';
import { tryLeftSpools, trySpoolFolder } from '../../usage/index.ts';
import { checkConfiguration, loadConfiguration } from '../configuration.ts';
import {
  type Environment,
  readEnvironment,
  requireDatabase,
  spoolFolder,
  storageOptions,
} from '../environment.ts';
import { mailerSettings } from '../notification-settings.ts';
import { examineProvider, type Finding, outgoingOf } from './examine-provider.ts';
import { type OutputOptions, printJson, printLines } from './output.ts';

type Variables = Readonly<Record<string, string | undefined>>;

const reachTimeoutMs = 3000;

export async function doctor(variables: Variables, { json }: OutputOptions): Promise<void> {
  const { environment, mistakes } = readEnvironment(variables);
  // In place of a setting that will not do stands its default, and nobody asked about the database or mails of that.
  const isSound = (name: string) => mistakes.every(({ where }) => where !== name);
  const findings = [
    ...(await examineConfiguration(variables)),
    ...(isSound('DATABASE_URL') ? [await examineDatabase(environment)] : []),
    examineSpoolFolder(environment),
    ...(await examineProviders(variables)),
    ...(await examineRedis(environment)),
    ...(isSound('SLUICE_SMTP_URL') ? [await examineMail(environment)] : []),
  ];
  const isWell = findings.every(({ state }) => state !== 'problem');
  if (!isWell) process.exitCode = 1;
  if (json) return printJson({ ok: isWell, findings });
  printLines(findings.map(({ what, state, detail }) => `${state.padEnd(8)}  ${what}: ${detail}`));
}

async function examineConfiguration(variables: Variables): Promise<Finding[]> {
  const { mistakes, warnings } = await checkConfiguration(variables, providerAdapters);
  const what = 'configuration';
  const found: Finding[] = [
    ...mistakes.map((mistake) => ({ what, state: 'problem' as const, detail: writeMistake(mistake) })),
    ...warnings.map((warning) => ({ what, state: 'warning' as const, detail: writeMistake(warning) })),
  ];
  return mistakes.length === 0 ? [...found, { what, state: 'ok', detail: 'no mistakes' }] : found;
}

async function examineDatabase(environment: Environment): Promise<Finding> {
  const what = 'database';
  try {
    if (environment.databaseUrl === null) {
      const holder = await findDataDirHolder(environment.dataDir);
      if (holder !== null) {
        return { what, state: 'ok', detail: `${environment.dataDir} is in use by process ${holder.pid}` };
      }
    }
    requireDatabase(environment);
    const storage = await openStorage(storageOptions(environment));
    try {
      const pingMs = await storage.ping();
      const pending = await storage.pendingMigrations();
      const state = pending.length === 0 ? 'is up to date' : `waits for ${pending.join(', ')}`;
      return {
        what,
        state: 'ok',
        detail: `${storage.describe()} answers in ${pingMs.toFixed(1)} ms and ${state}`,
      };
    } finally {
      await storage.close();
    }
  } catch (error) {
    const state = error instanceof AppError && error.code === 'not_found' ? 'warning' : 'problem';
    return { what, state, detail: error instanceof Error ? error.message : String(error) };
  }
}

/** Also beside PostgreSQL: a server that cannot keep usage there does not start, and one whose disk is full serves nobody. */
function examineSpoolFolder(environment: Environment): Finding {
  const what = 'spool';
  const folder = spoolFolder(environment);
  try {
    // Who serves nobody keeps none, and takes over what others left.
    if (environment.role === 'jobs') {
      tryLeftSpools(folder);
      return { what, state: 'ok', detail: `nothing in ${folder} keeps jobs from starting` };
    }
    const isThere = trySpoolFolder(folder);
    const detail = isThere ? `${folder} can be written` : `a start makes ${folder}`;
    return { what, state: 'ok', detail };
  } catch (error) {
    return { what, state: 'problem', detail: describeThrown(error) };
  }
}

async function examineProviders(variables: Variables): Promise<Finding[]> {
  let configuration: Awaited<ReturnType<typeof loadConfiguration>>;
  try {
    configuration = await loadConfiguration(variables, providerAdapters);
  } catch {
    return [];
  }
  const { file, declared, environment } = configuration;
  const outgoing = outgoingOf(environment.proxies);
  const providers = [...declared.providers, ...(file?.providers ?? [])];
  const models = [...declared.models, ...(file?.models ?? [])];
  return (await Promise.all(providers.map((provider) => examineProvider(provider, models, outgoing)))).flat();
}

/** Asks as the limiter does, so that a wrong password is found too. */
async function examineRedis({ redisUrl }: Environment): Promise<Finding[]> {
  if (redisUrl === null) return [];
  const what = 'redis';
  const client = new RedisClient(redisUrl, { autoReconnect: false, connectionTimeout: reachTimeoutMs });
  try {
    await withinTime(systemClock, reachTimeoutMs, async (signal) => {
      signal.addEventListener('abort', () => client.close());
      await client.connect();
      await client.send('PING', []);
      signal.throwIfAborted();
    });
    return [{ what, state: 'ok', detail: 'answers; limits are counted in it' }];
  } catch (thrown) {
    const detail = `does not answer, or refuses the name and password of REDIS_URL: ${describeThrown(thrown)}`;
    return [{ what, state: 'problem', detail }];
  } finally {
    client.close();
  }
}

/** Asks a mail server whether it would take mails; without one there is nothing to ask. */
async function examineMail(environment: Environment): Promise<Finding> {
  const what = 'mail';
  const mailer = openMailer(mailerSettings(environment));
  if (environment.smtpUrl === null) {
    const state = environment.databaseUrl === null ? 'ok' : 'warning';
    return { what, state, detail: `kept as ${mailer.describe()}; set SLUICE_SMTP_URL to send them` };
  }
  try {
    await mailer.check();
    return { what, state: 'ok', detail: `${mailer.describe()} takes mails` };
  } catch (error) {
    return {
      what,
      state: 'problem',
      detail: `${mailer.describe()} takes no mails: ${describeThrown(error)}`,
    };
  }
}

export async function checkConfig(
  variables: Readonly<Record<string, string | undefined>>,
  { json }: OutputOptions,
): Promise<void> {
  const { mistakes, warnings } = await checkConfiguration(variables, providerAdapters);
  if (mistakes.length > 0) process.exitCode = 1;
  if (json) return printJson({ ok: mistakes.length === 0, mistakes, warnings });
  printLines([
    ...mistakes.map((mistake) => `mistake: ${writeMistake(mistake)}`),
    ...warnings.map((warning) => `warning: ${writeMistake(warning)}`),
    mistakes.length === 0 ? 'The configuration is sound.' : `${mistakes.length} to mend.`,
  ]);
}
