/** `sluice promotions …` and `sluice wallet credit-limit`, `refund`, `adjust` and `transfer`. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { RunCommand } from './admin-command.ts';
import { bookedBefore, dollars, type OutputOptions, printJson, printLines, printTable } from './output.ts';

export function addCreditCommands(program: Command, wallet: Command, run: RunCommand): void {
  wallet
    .command('credit-limit')
    .description('how far below nothing an account may come; 0 for one that pays beforehand')
    .requiredOption('--owner <email>', 'the account')
    .requiredOption('--usd <amount>', 'such as 100 or 0')
    .option('--json', 'print JSON')
    .action(async ({ json, ...input }: OutputOptions & { owner: string; usd: string }) => {
      const set = creditLimit.parse(await run('wallet credit-limit', input));
      if (json) printJson(set);
      else printLines([`${set.owner} may owe up to ${dollars(set.creditLimitUsd)}.`]);
    });
  addMovements(wallet, run);
  const promotions = program
    .command('promotions')
    .description('money that is granted, spent first, and ends');
  addGrant(promotions, run);
  promotions
    .command('list')
    .description('what an account was granted, and what is left of it')
    .requiredOption('--owner <email>', 'the account')
    .option('--json', 'print JSON')
    .action(async ({ owner, json }: OutputOptions & { owner: string }) => {
      const list = listed.parse(await run('promotions list', { owner }));
      if (json) return printJson(list);
      printTable(
        ['ID', 'NAME', 'GRANTED', 'LEFT', 'ENDS'],
        list.map((each) => [
          String(each.id),
          each.name,
          dollars(each.grantedUsd),
          dollars(each.remainingUsd),
          each.expiresAt ?? 'never',
        ]),
      );
    });
  promotions
    .command('move')
    .description('give a promotion another end')
    .requiredOption('--promotion <id>', 'as the list shows it')
    .option('--expires-at <moment>', 'such as 2031-05-01T00:00:00Z; never when not given')
    .option('--json', 'print JSON')
    .action(async ({ promotion, expiresAt, json }: MoveOptions) => {
      const input = { promotion: Number(promotion), expiresAt: expiresAt ?? null };
      const ends = movedEnd.parse(await run('promotions move', input));
      if (json) printJson(ends);
      else printLines([`Promotion ${promotion} ends ${expiresAt ?? 'never'}.`]);
    });
}

interface MoveOptions extends OutputOptions {
  readonly promotion: string;
  readonly expiresAt?: string;
}

interface MovementOptions extends OutputOptions {
  readonly owner: string;
  readonly usd: string;
  readonly reference: string;
}

const movements = [
  ['refund', 'book what was paid back some other way, at most what was paid and nobody has set aside'],
  ['adjust', 'correct a balance, up or down; what is missing then is owed'],
  ['transfer', 'give what one account paid to another, such as whoever pays for its organisation'],
] as const;

function addMovements(wallet: Command, run: RunCommand): void {
  for (const [name, description] of movements) {
    const moving = wallet
      .command(name)
      .description(description)
      .requiredOption('--owner <email>', name === 'transfer' ? 'the account that gives' : 'the account')
      .requiredOption(
        '--usd <amount>',
        name === 'adjust' ? 'such as 2.50, or -2.50 for less' : 'such as 25 or 12.50',
      )
      .requiredOption(
        '--reference <text>',
        'names the reason, as the statement shows it; the same reference is booked once',
      )
      .option('--json', 'print JSON');
    if (name === 'transfer') moving.requiredOption('--to <email>', 'the account that gets it');
    moving.action(async ({ json, ...input }: MovementOptions) => {
      const moved = booked.parse(await run(`wallet ${name}`, input));
      if (json) printJson(moved);
      else if (moved.isNew) printLines([`Booked ${dollars(moved.usd)} at ${moved.owner}.`]);
      else printLines([bookedBefore('booked', input, moved.owner)]);
    });
  }
}

interface GrantOptions extends OutputOptions {
  readonly owner: string;
  readonly usd: string;
  readonly name: string;
  readonly reference: string;
  readonly expiresAt?: string;
}

function addGrant(promotions: Command, run: RunCommand): void {
  promotions
    .command('grant')
    .description('give an account money to spend')
    .requiredOption('--owner <email>', 'the account')
    .requiredOption('--usd <amount>', 'such as 5')
    .requiredOption('--name <text>', 'as the account reads it')
    .requiredOption('--reference <text>', 'names the reason; the same reference is granted once')
    .option('--expires-at <moment>', 'such as 2031-05-01T00:00:00Z; never when not given')
    .option('--json', 'print JSON')
    .action(async ({ json, ...input }: GrantOptions) => {
      const grant = granted.parse(await run('promotions grant', input));
      if (json) printJson(grant);
      else if (grant.isNew) printLines([`Granted ${dollars(grant.grantedUsd)} to ${grant.owner}.`]);
      else printLines([bookedBefore('granted', input, grant.owner)]);
    });
}

const creditLimit = z.object({ owner: z.string(), creditLimitUsd: z.string() });
const booked = z.object({ owner: z.string(), usd: z.string(), isNew: z.boolean() });
const granted = z.object({ owner: z.string(), grantedUsd: z.string(), isNew: z.boolean() });
const movedEnd = z.object({ id: z.number(), expiresAt: z.string().nullable() });
const listed = z.array(
  z.object({
    id: z.number(),
    name: z.string(),
    grantedUsd: z.string(),
    remainingUsd: z.string(),
    expiresAt: z.string().nullable(),
  }),
);
