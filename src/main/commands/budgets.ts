/** `sluice budgets set`, `budgets list` and `budgets remove`. */
import type { Command } from 'commander';
import { z } from 'zod';
import { budgetPeriods } from '../../ledger/index.ts';
import type { RunCommand } from './admin-command.ts';
import { addBudgetDefaultCommands } from './budget-defaults.ts';
import { dollars, type OutputOptions, printJson, printLines, printTable } from './output.ts';

interface SubjectOptions extends OutputOptions {
  readonly key?: string;
  readonly user?: string;
  readonly department?: string;
  readonly project?: string;
  readonly organisation?: string;
}

export function addBudgetCommands(program: Command, run: RunCommand): void {
  const budgets = program
    .command('budgets')
    .description('what keys, people and groups may cost in a day, a week, a month or in all');
  withSubject(budgets.command('set'))
    .description('set a budget, or change its limit; what was spent stays spent')
    .requiredOption('--period <period>', periods)
    .requiredOption('--usd <amount>', 'such as 25 or 12.50')
    .action(async ({ json, ...asked }: SubjectOptions) => {
      const { changed } = setResult.parse(await run('budgets set', withNumbers(asked)));
      if (json) printJson({ changed });
      else printLines([changed ? 'The budget is set.' : 'It was set so before; nothing was changed.']);
    });
  withSubject(budgets.command('list'))
    .description('budgets and how their current windows stand; all of them, or of one subject')
    .action(async ({ json, ...asked }: SubjectOptions) => {
      const listed = listedBudgets.parse(await run('budgets list', withNumbers(asked)));
      if (json) return printJson(listed);
      printTable(
        ['SUBJECT', 'PERIOD', 'LIMIT', 'SPENT', 'HELD', 'LEFT', 'RESETS AT'],
        listed.map((each) => [
          ...[each.subject, each.period, dollars(each.limitUsd), dollars(each.spentUsd)],
          ...[dollars(each.heldUsd), dollars(each.leftUsd)],
          each.resetsAt ?? 'never',
        ]),
      );
    });
  withSubject(budgets.command('remove'))
    .description('let a subject cost what it may again')
    .requiredOption('--period <period>', periods)
    .action(async ({ json, ...asked }: SubjectOptions) => {
      const { removed } = removal.parse(await run('budgets remove', withNumbers(asked)));
      if (json) printJson({ removed });
      else printLines([removed ? 'The budget is removed.' : 'There is no such budget.']);
    });
  addBudgetDefaultCommands(budgets, run);
}

const periods = `${budgetPeriods.join(', ')}; windows begin at midnight, on Mondays and on the first, in UTC`;

const withSubject = (command: Command): Command =>
  command
    .option('--key <id>', 'of this key, as `keys list` numbers it')
    .option('--user <email>', 'of all keys of this account')
    .option('--department <id>', 'of a department')
    .option('--project <id>', 'of a project')
    .option('--organisation <slug>', 'of an organisation')
    .option('--json', 'print JSON');

/** What is no number is told by the command itself. */
const withNumbers = ({ key, department, project, ...rest }: SubjectOptions) => ({
  ...rest,
  ...(key === undefined ? {} : { key: Number(key) }),
  ...(project === undefined ? {} : { project: Number(project) }),
  ...(department === undefined ? {} : { department: Number(department) }),
});

const setResult = z.object({ changed: z.boolean() });
const removal = z.object({ removed: z.boolean() });
const listedBudgets = z.array(
  z.object({
    subject: z.string(),
    period: z.string(),
    limitUsd: z.string(),
    spentUsd: z.string(),
    heldUsd: z.string(),
    leftUsd: z.string(),
    resetsAt: z.string().nullable(),
    managedBy: z.string().nullable(),
  }),
);
