/** `sluice budgets defaults set`, `list` and `remove`. */
import type { Command } from 'commander';
import { z } from 'zod';
import { budgetPeriods } from '../../ledger/index.ts';
import type { RunCommand } from './admin-command.ts';
import { dollars, type OutputOptions, printJson, printLines, printTable } from './output.ts';

interface GroupOptions extends OutputOptions {
  readonly organisation?: string;
  readonly department?: string;
}

export function addBudgetDefaultCommands(budgets: Command, run: RunCommand): void {
  const defaults = budgets
    .command('defaults')
    .description('the budgets that an organisation or a department gives to new members and new keys');
  withReceivers(defaults.command('set'))
    .description('set one, or change its limit; who has a budget already keeps it')
    .requiredOption('--usd <amount>', 'such as 25 or 12.50')
    .action(async ({ json, ...asked }: GroupOptions) => {
      const { changed } = setResult.parse(await run('budgets defaults set', withNumber(asked)));
      if (json) printJson({ changed });
      else printLines([changed ? 'The default is set.' : 'It was set so before; nothing was changed.']);
    });
  withGroup(defaults.command('list'))
    .description('all of them, or those of one group')
    .action(async ({ json, ...asked }: GroupOptions) => {
      const listed = listedDefaults.parse(await run('budgets defaults list', withNumber(asked)));
      if (json) return printJson(listed);
      printTable(
        ['GROUP', 'FOR NEW', 'PERIOD', 'LIMIT'],
        listed.map((each) => [each.group, each.for, each.period, dollars(each.limitUsd)]),
      );
    });
  withReceivers(defaults.command('remove'))
    .description('give it to nobody any more; budgets that were given stay')
    .action(async ({ json, ...asked }: GroupOptions) => {
      const { removed } = removal.parse(await run('budgets defaults remove', withNumber(asked)));
      if (json) printJson({ removed });
      else printLines([removed ? 'The default is removed.' : 'There is no such default.']);
    });
}

const withGroup = (command: Command): Command =>
  command
    .option('--organisation <slug>', 'of an organisation')
    .option(
      '--department <id>',
      'of a department; where it has one of a period, the organisation’s is not given',
    )
    .option('--json', 'print JSON');

const withReceivers = (command: Command): Command =>
  withGroup(command)
    .requiredOption('--for <receivers>', 'members or keys')
    .requiredOption('--period <period>', budgetPeriods.join(', '));

/** What is no number is told by the command itself. */
const withNumber = ({ department, ...rest }: GroupOptions) => ({
  ...rest,
  ...(department === undefined ? {} : { department: Number(department) }),
});

const setResult = z.object({ changed: z.boolean() });
const removal = z.object({ removed: z.boolean() });
const listedDefaults = z.array(
  z.object({
    group: z.string(),
    for: z.string(),
    period: z.string(),
    limitUsd: z.string(),
    managedBy: z.string().nullable(),
  }),
);
