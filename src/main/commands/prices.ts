/** `sluice prices …`. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { RunCommand } from './admin-command.ts';
import { type OutputOptions, printJson, printLines, printTable } from './output.ts';
import { addReratingCommand } from './rerating.ts';
import { wholeNumber } from './whole-number.ts';

export function addPriceCommands(program: Command, run: RunCommand): void {
  const prices = program.command('prices').description('what models cost, from when on');
  addListing(prices, run);
  addSetting(prices, run);
  addReratingCommand(prices, run);
}

function addListing(prices: Command, run: RunCommand): void {
  prices
    .command('list')
    .description('list the versions of prices, with their dates')
    .option('--model <id>', 'of this model alone')
    .option('--json', 'print JSON')
    .action(async ({ model, json }: OutputOptions & { model?: string }) => {
      const found = listedVersions.parse(await run('prices list', model === undefined ? {} : { model }));
      if (json) return printJson(found);
      printTable(
        ['VERSION', 'MODEL', 'PROVIDER', 'FROM', 'STATE', 'SET BY', 'USD PER MILLION', 'NOTE'],
        found.map((version) => [
          String(version.id),
          version.model,
          version.provider ?? 'any',
          version.from ?? 'the beginning',
          version.state,
          version.managedBy ?? 'hand',
          writePrices(version),
          version.note ?? '',
        ]),
      );
    });
  prices
    .command('unpriced')
    .description('list what has no price, and whose keys are refused it')
    .option('--json', 'print JSON')
    .action(async ({ json }: OutputOptions) => {
      const found = unpricedModels.parse(await run('prices unpriced', {}));
      if (json) return printJson(found);
      if (found.length === 0) return printLines(['Every model has a price at every provider.']);
      printTable(
        ['MODEL', 'WITHOUT A PRICE AT', 'REFUSED TO'],
        found.map(({ model, providers, isWhole, refusedKeys }) => [
          model,
          isWhole ? 'any provider' : providers.join(', '),
          writeRefused(refusedKeys),
        ]),
      );
    });
}

function addSetting(prices: Command, run: RunCommand): void {
  prices
    .command('set')
    .description('set prices of a model; those that are not named stay as they are')
    .argument('<model>', 'the model’s id')
    .argument('<prices...>', 'USD for a million units, as input=0.15 output=0.60; meter=none takes one away')
    .option('--provider <name>', 'at this provider alone')
    .option('--from <date>', 'from then on, such as 2027-01-31 (UTC); now when not given')
    .option('--note <text>', 'why')
    .option('--json', 'print JSON')
    .action(async (model: string, written: string[], { json, ...options }: OutputOptions & object) => {
      const made = setVersion.parse(await run('prices set', { model, prices: written, ...options }));
      if (json) return printJson(made);
      const at = made.provider === null ? '' : ` at ${made.provider}`;
      const from = made.from === null ? '' : ` from ${made.from}`;
      printLines([`Version ${made.id}: ${made.model}${at}${from} costs ${writePrices(made)}.`]);
      if (made.isPast) {
        printLines([
          'What was used since then keeps its charge until it is rated anew: see `sluice prices rerate --help`.',
        ]);
      }
      if (made.isDeclared) {
        printLines([
          'The configuration file declares prices of this model: what it says holds again from the next start on.',
        ]);
      }
    });
  prices
    .command('withdraw')
    .description('take back a version that is to come')
    .argument('<version>', 'the number that `prices list` shows', wholeNumber)
    .option('--json', 'print JSON')
    .action(async (id: number, { json }: OutputOptions) => {
      const withdrawn = z.object({ id: z.number() }).parse(await run('prices withdraw', { id }));
      if (json) printJson(withdrawn);
      else printLines([`Version ${withdrawn.id} is withdrawn.`]);
    });
}

const version = z.object({
  id: z.number(),
  model: z.string(),
  provider: z.string().nullable(),
  /** Null for the beginning of time. */
  from: z.string().nullable(),
  usdPerMillion: z.record(z.string(), z.string()).nullable(),
  note: z.string().nullable(),
  managedBy: z.string().nullable(),
});
const listedVersions = z.array(version.extend({ state: z.string() }));
const setVersion = version.extend({ isPast: z.boolean(), isDeclared: z.boolean() });
const keyOfSomebody = z.object({ id: z.number(), name: z.string(), ownerEmail: z.string() });
const unpricedModels = z.array(
  z.object({
    model: z.string(),
    providers: z.array(z.string()),
    isWhole: z.boolean(),
    refusedKeys: z.array(keyOfSomebody),
  }),
);

function writePrices({ usdPerMillion }: Pick<z.infer<typeof version>, 'usdPerMillion'>): string {
  const prices = Object.entries(usdPerMillion ?? {}).map(([meter, usd]) => `${meter}=${usd}`);
  return prices.join(' ') || 'without a price';
}

const mostNamed = 3;

function writeRefused(keys: readonly z.infer<typeof keyOfSomebody>[]): string {
  if (keys.length === 0) return 'nobody';
  const named = keys.slice(0, mostNamed).map(({ name, ownerEmail }) => `"${name}" of ${ownerEmail}`);
  const more = keys.length > mostNamed ? ` and ${keys.length - mostNamed} more` : '';
  return `${named.join(', ')}${more}`;
}
