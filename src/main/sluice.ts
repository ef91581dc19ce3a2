/** The command line. */
import { InvalidArgumentError, Option } from 'commander';
import manifest from '../../package.json';
import { addAdminCommands } from './commands/admin.ts';
import { CommandLine } from './commands/command-line.ts';
import type { ServeOptions } from './commands/serve.ts';
import { explainFailure } from './explain-failure.ts';
import { roles } from './roles.ts';

/** What a command does is read when it is asked for: all of the server would take each other one a third of its time. */
const readDoctor = () => import('./commands/doctor.ts');
const readServe = () => import('./commands/serve.ts');
const readMigrate = () => import('./commands/migrate.ts');

const program = new CommandLine('sluice')
  .description(
    'An inference gateway with a prepaid wallet. Settings come from the environment, see docs/configuration.md.',
  )
  .version(manifest.version, '-v, --version')
  .showHelpAfterError('(add --help to the command to see what it takes)');

program
  .command('serve')
  .description('start the server')
  .addOption(
    new Option(
      '--role <role>',
      'what this process does of it, for several on one DATABASE_URL; SLUICE_ROLE says the same',
    ).choices(roles),
  )
  .addOption(
    new Option(
      '--workers <number>',
      'processes that share the port and spend from one wallet together; each counts limits by itself unless REDIS_URL is set; needs DATABASE_URL',
    ).argParser(readWorkerNumber),
  )
  .addOption(new Option('--worker <number>').argParser(readWorkerNumber).hideHelp())
  .action(async (options: ServeOptions) => (await readServe()).serve(process.env, options));

program
  .command('migrate')
  .description('bring the database up to date, and stop')
  .option('--json', 'print JSON')
  .action(async (options: { json?: true }) => (await readMigrate()).migrate(process.env, options));

program
  .command('config')
  .description('the configuration')
  .command('check')
  .description('check the environment and the configuration file without starting')
  .option('--json', 'print JSON')
  .action(async (options: { json?: true }) => (await readDoctor()).checkConfig(process.env, options));

program
  .command('doctor')
  .description('check what a server needs: settings, data folder, database, Redis, mail server, providers')
  .option('--json', 'print JSON')
  .action(async (options: { json?: true }) => (await readDoctor()).doctor(process.env, options));

addAdminCommands(program, process.env);

try {
  await program.parseAsync();
} catch (thrown) {
  process.stderr.write(`sluice: ${explainFailure(thrown)}\n`);
  process.exitCode = 1;
}

function readWorkerNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 64) return number;
  throw new InvalidArgumentError('It takes a whole number from 1 to 64.');
}
