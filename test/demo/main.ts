/**
 * `npm run demo`: a service with a year behind it, to look around in: people of every role, forty keys, a hundred
 * thousand requests, and money that adds up. It fills a data folder of its own once (`--data-dir`, or the database that
 * DATABASE_URL names), serves it on PORT, and prints a sign-in link for each role. `--rows 100000`, `--days 365`,
 * `--seed 1`; `--fill-only` ends once it is filled.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../../src/base/clock.ts';
import { AppError } from '../../src/base/errors.ts';
import { systemIds } from '../../src/base/ids.ts';
import { openLog } from '../../src/base/log.ts';
import { ConfigurationError, simulatorDeclaration } from '../../src/configuration/index.ts';
import { findUserByEmail, issueToken } from '../../src/identity/index.ts';
import type { Configuration } from '../../src/main/configuration.ts';
import { readEnvironment, storageOptions } from '../../src/main/environment.ts';
import { explainFailure } from '../../src/main/explain-failure.ts';
import { findPort } from '../../src/main/http-server.ts';
import { loadSecret } from '../../src/main/secret.ts';
import { openServices } from '../../src/main/services.ts';
import { type RunningSluice, startSluice } from '../../src/main/start.ts';
import { openLegalTexts } from '../../src/portal/index.ts';
import { openStorage, type Storage } from '../../src/storage/index.ts';
import { transact } from '../../src/storage/work.ts';
import { demoDeclaration, fillDemonstration } from './fill.ts';
import { emailOf } from './settle-people.ts';
import { beginAnew, claimFilling, noteBegun, noteWhole, readWholeness, requireOnly } from './wholeness.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);

/** One of each role, and one whom nobody else pays for. */
const shownPeople = [
  ['olga', 'owns the platform'],
  ['pavel', 'administers the platform'],
  ['agnes', 'owns an organisation, and pays for it'],
  ['bruno', 'administers that organisation'],
  ['carla', 'administers a department'],
  ['felix', 'is a member'],
  ['vera', 'is a member of no organisation'],
] as const;

interface Asked {
  readonly dataDir: string;
  readonly rows: number;
  readonly days: number;
  readonly seed: number;
  readonly isServed: boolean;
}

try {
  await demonstrate(readAsked());
} catch (thrown) {
  process.stderr.write(`sluice: ${explainFailure(thrown)}\n`);
  process.exitCode = 1;
}

async function demonstrate(asked: Asked): Promise<void> {
  const configuration = readConfiguration(asked);
  const { host, port } = configuration.environment;
  // Filling takes minutes: what serving would fail for is looked at before.
  if (asked.isServed && port !== 0) await findPort(host, port);
  if (await fillOnce(configuration, asked))
    say('The demonstration is there already; remove its data folder to make it anew.');
  if (asked.isServed) await serve(configuration);
}

/** @throws AppError for arguments that cannot be. */
function readAsked(): Asked {
  const values = readArguments();
  return {
    dataDir: resolve(values['data-dir']),
    rows: wholeNumber('rows', values.rows),
    days: wholeNumber('days', values.days),
    seed: wholeNumber('seed', values.seed),
    isServed: !values['fill-only'],
  };
}

function readArguments() {
  const options = {
    'data-dir': { type: 'string', default: 'data-demo' },
    rows: { type: 'string', default: '100000' },
    days: { type: 'string', default: '365' },
    seed: { type: 'string', default: '1' },
    'fill-only': { type: 'boolean', default: false },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch (cause) {
    throw new AppError({
      code: 'invalid_parameter',
      public: cause instanceof Error ? cause.message : String(cause),
      cause,
    });
  }
}

function readConfiguration({ dataDir }: Asked): Configuration {
  const { environment, mistakes } = readEnvironment({
    ...process.env,
    SLUICE_CONFIG: undefined,
    SLUICE_DATA_DIR: dataDir,
    SLUICE_LOG_LEVEL: process.env['SLUICE_LOG_LEVEL'] ?? 'warn',
    SLUICE_METRICS_ADDRESS: process.env['SLUICE_METRICS_ADDRESS'] ?? 'off',
  });
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  const declared = {
    providers: [...demoDeclaration.providers, ...simulatorDeclaration.providers],
    models: [...demoDeclaration.models, ...simulatorDeclaration.models],
  };
  return { environment, file: null, declared, warnings: [] };
}

/** @returns whether it was there already. */
async function fillOnce(configuration: Configuration, asked: Asked): Promise<boolean> {
  const { environment } = configuration;
  const secret = await loadSecret(environment, { ids: systemIds, onWarning: say });
  const options = storageOptions(environment);
  const storage = await openStorage(options);
  try {
    await storage.migrate();
    if (await isThere(storage)) return true;
    const release = await claimFilling(options);
    try {
      // Another process may have filled it between the two.
      if (await isThere(storage)) return true;
      await fill({ storage, secret }, configuration, asked);
      return false;
    } finally {
      await release();
    }
  } finally {
    await storage.close();
  }
}

async function isThere(storage: Storage): Promise<boolean> {
  if ((await readWholeness(storage)) === 'begun') return false;
  return (await findUserByEmail(storage.db, emailOf('olga'))) !== undefined;
}

async function fill(
  { storage, secret }: { readonly storage: Storage; readonly secret: string },
  { environment, declared }: Configuration,
  { seed, rows, days }: Asked,
): Promise<void> {
  const log = openLog({ level: 'warn' });
  if ((await readWholeness(storage)) === 'begun') {
    await beginAnew(storage);
    say('The demonstration was not filled to its end; it is made anew.');
  }
  await requireOnly(storage, 'nobody');
  await noteBegun(storage);
  const beganMs = systemClock.monotonicMs();
  const services = await openServices({ environment, storage, secret, log, clock: systemClock });
  try {
    await fillDemonstration({
      ...services,
      declared,
      tokenPrefix: environment.tokenPrefix,
      legalVersion: openLegalTexts(environment.legalDir).version,
      ...{ seed, rows, days },
      told: (written) => process.stderr.write(`\r${written.toLocaleString('en')} requests `),
    });
  } finally {
    await services.close();
  }
  await noteWhole(storage);
  process.stderr.write('\r');
  say(`Filled in ${((systemClock.monotonicMs() - beganMs) / 1000).toFixed(1)} s.`);
}

async function serve(configured: Configuration): Promise<void> {
  const running = await startSluice({
    configuration: configured,
    log: openLog({ level: configured.environment.logLevel }),
  });
  await printLinks(running);
  await new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => resolve());
  });
  await running.stop();
}

/** All at once: who reads it finds the links when it says that it is ready. */
async function printLinks({ url, services }: RunningSluice): Promise<void> {
  const lines = [
    `\n  The demonstration is ready at ${url}`,
    '  Each link signs in once, within an hour. Who administers others sees what is theirs first; the switch at the top left shows the rest.\n',
  ];
  for (const [alias, does] of shownPeople) {
    const user = await findUserByEmail(services.storage.db, emailOf(alias));
    if (user === undefined) continue;
    const { secret } = await transact(services, (work) => issueToken(work, 'sign_in', user.id));
    lines.push(`  ${user.name}, who ${does}`, `    ${url}/sign-in/${secret}`);
  }
  say([...lines, ''].join('\n'));
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw new AppError({ code: 'invalid_parameter', public: `--${name} takes a whole number from 1.` });
}
