/**
 * `npm run demo`: a service with a year behind it, to look around in: people of every role, forty keys, a hundred
 * thousand requests, and money that adds up. It fills a data folder of its own once (`--data-dir`, or the database that
 * DATABASE_URL names), serves it on PORT, and prints a sign-in link for each role. `--rows 100000`, `--days 365`,
 * `--seed 1`; `--fill-only` ends once it is filled.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../../src/base/clock.ts';
import { systemIds } from '../../src/base/ids.ts';
import { openLog } from '../../src/base/log.ts';
import { simulatorDeclaration, writeMistake } from '../../src/configuration/index.ts';
import { findUserByEmail, issueToken } from '../../src/identity/index.ts';
import type { Configuration } from '../../src/main/configuration.ts';
import { readEnvironment, storageOptions } from '../../src/main/environment.ts';
import { loadSecret } from '../../src/main/secret.ts';
import { openServices } from '../../src/main/services.ts';
import { type RunningSluice, startSluice } from '../../src/main/start.ts';
import { openLegalTexts } from '../../src/portal/index.ts';
import { openStorage, type Storage } from '../../src/storage/index.ts';
import { users } from '../../src/storage/schema/identity.ts';
import { transact } from '../../src/storage/work.ts';
import { demoDeclaration, fillDemonstration } from './fill.ts';
import { emailOf } from './settle-people.ts';

const { values } = parseArgs({
  options: {
    'data-dir': { type: 'string', default: 'data-demo' },
    rows: { type: 'string', default: '100000' },
    days: { type: 'string', default: '365' },
    seed: { type: 'string', default: '1' },
    'fill-only': { type: 'boolean', default: false },
  },
});

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

const configuration = readConfiguration();
if (await fillOnce(configuration))
  say('The demonstration is there already; remove its data folder to make it anew.');
if (!values['fill-only']) await serve(configuration);

function readConfiguration(): Configuration {
  const { environment, mistakes } = readEnvironment({
    ...process.env,
    SLUICE_CONFIG: undefined,
    SLUICE_DATA_DIR: resolve(values['data-dir']),
    SLUICE_LOG_LEVEL: process.env['SLUICE_LOG_LEVEL'] ?? 'warn',
    SLUICE_METRICS_ADDRESS: process.env['SLUICE_METRICS_ADDRESS'] ?? 'off',
  });
  if (mistakes.length > 0) throw new Error(mistakes.map(writeMistake).join('\n'));
  const declared = {
    providers: [...demoDeclaration.providers, ...simulatorDeclaration.providers],
    models: [...demoDeclaration.models, ...simulatorDeclaration.models],
  };
  return { environment, file: null, declared, warnings: [] };
}

/** @returns whether it was there already. */
async function fillOnce({ environment, declared }: Configuration): Promise<boolean> {
  const log = openLog({ level: 'warn' });
  const secret = await loadSecret(environment, { ids: systemIds, onWarning: say });
  const storage = await openStorage(storageOptions(environment));
  try {
    await storage.migrate();
    if ((await findUserByEmail(storage.db, emailOf('olga'))) !== undefined) return true;
    await requireEmpty(storage);
    const beganMs = systemClock.monotonicMs();
    const services = await openServices({ environment, storage, secret, log, clock: systemClock });
    try {
      await fillDemonstration({
        ...services,
        declared,
        tokenPrefix: environment.tokenPrefix,
        legalVersion: openLegalTexts(environment.legalDir).version,
        seed: wholeNumber('seed', values.seed),
        rows: wholeNumber('rows', values.rows),
        days: wholeNumber('days', values.days),
        told: (rows) => process.stderr.write(`\r${rows.toLocaleString('en')} requests `),
      });
    } finally {
      await services.close();
    }
    process.stderr.write('\r');
    say(`Filled in ${((systemClock.monotonicMs() - beganMs) / 1000).toFixed(1)} s.`);
    return false;
  } finally {
    await storage.close();
  }
}

/** Nobody's own data is ever mixed with invented ones. */
async function requireEmpty({ db }: Storage): Promise<void> {
  if ((await db.$count(users)) === 0) return;
  throw new Error('This database has people in it who are not of the demonstration: name another one.');
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
  const lines = [`\n  The demonstration is ready at ${url}`, '  Each link signs in once, within an hour:\n'];
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
  throw new Error(`--${name} takes a whole number from 1.`);
}
