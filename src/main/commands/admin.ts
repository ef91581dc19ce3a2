/** `sluice keys …`, `sluice users …` and `sluice wallet …`, and how commands reach the database. */
import type { Command } from 'commander';
import { z } from 'zod';
import { systemClock } from '../../base/clock.ts';
import { systemIds } from '../../base/ids.ts';
import { userRoles } from '../../identity/index.ts';
import { Wallets } from '../../ledger/index.ts';
import { findDataDirHolder, openStorage } from '../../storage/index.ts';
import { askRunningServer } from '../control-socket.ts';
import { requireDatabase, requireEnvironment, storageOptions } from '../environment.ts';
import { addressOf } from '../http-server.ts';
import { type AdminCommandName, type RunCommand, runAdminCommand } from './admin-command.ts';
import { addAuditCommands } from './audit.ts';
import { addBudgetCommands } from './budgets.ts';
import { addCredentialCommands } from './credentials.ts';
import { addCreditCommands } from './credit.ts';
import { addKeyCommands } from './keys.ts';
import { addNotificationCommands } from './notifications.ts';
import {
  bookedBefore,
  dollars,
  type OutputOptions,
  printJson,
  printLines,
  printTable,
  warnOnError,
} from './output.ts';
import { addPriceCommands } from './prices.ts';
import { addStatementCommands } from './statement.ts';
import { addUsageCommands } from './usage.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export function addAdminCommands(program: Command, variables: Variables): void {
  addKeyCommands(
    program,
    (name, input) => run(variables, name, input),
    () => requireEnvironment(variables).tokenPrefix,
  );
  addUserCommands(program, variables);
  addWalletCommands(program, variables);
  addUsageCommands(program, (work) => withCommands(variables, work));
  addNotificationCommands(program, (work) => withCommands(variables, work));
  addPriceCommands(program, (name, input) => run(variables, name, input));
  addBudgetCommands(program, (name, input) => run(variables, name, input));
}

function addUserCommands(program: Command, variables: Variables): void {
  const users = program.command('users').description('accounts');
  users
    .command('list')
    .description('list accounts')
    .option('--json', 'print JSON')
    .action(async ({ json }: OutputOptions) => {
      const found = listedUsers.parse(await run(variables, 'users list', {}));
      if (json) return printJson(found);
      printTable(
        ['ID', 'E-MAIL', 'NAME', 'ROLE', 'STATUS', 'BILLING'],
        found.map(({ id, email, name, role, status, billingExempt }) => [
          String(id),
          email,
          name,
          role,
          status,
          billingExempt ? 'exempt' : 'prepaid',
        ]),
      );
    });
  users
    .command('create')
    .description('make an account')
    .requiredOption('--email <email>', 'whose it is; people sign in with it')
    .option('--role <role>', userRoles.join(', '), 'member')
    .option('--name <name>', 'what to call the person')
    .option('--billing-exempt', 'requests are counted and charged to nobody')
    .option('--json', 'print JSON')
    .action(async ({ json, ...input }: OutputOptions & { email: string }) => {
      const user = listedUser.parse(await run(variables, 'users create', input));
      if (json) return printJson(user);
      printLines([
        `Account ${user.id} of ${user.email}, ${user.role}. What it needs next:`,
        '',
        `  npx sluice users sign-in-link --owner ${user.email}`,
        `  npx sluice keys create --owner ${user.email} --name <name>`,
        ...(user.billingExempt
          ? []
          : [`  npx sluice wallet credit --owner ${user.email} --usd <amount> --reference <text>`]),
      ]);
    });
  users
    .command('sign-in-link')
    .description('make a link that signs a person in once, within an hour')
    .requiredOption('--owner <email>', 'whose account')
    .option('--json', 'print JSON')
    .action(async ({ owner, json }: OutputOptions & { owner: string }) => {
      const link = signInLink.parse(await run(variables, 'users sign-in-link', { owner }));
      const { host, port, publicUrl } = requireEnvironment(variables);
      // The server itself knows best; the settings here may be those of another terminal.
      const address = link.address ?? publicUrl;
      const url = `${address ?? addressOf(host, port)}${link.path}`;
      if (json) return printJson({ owner: link.owner, url, expiresAt: link.expiresAt });
      printLines([`Signs ${link.owner} in, once, until ${link.expiresAt}:`, '', `  ${url}`]);
      if (address === null) printLines(['', addressIsGuessed]);
    });
  for (const { name, status, description } of statusChanges) {
    users
      .command(name)
      .description(description)
      .requiredOption('--owner <email>', 'whose account')
      .option('--json', 'print JSON')
      .action(async ({ owner, json }: OutputOptions & { owner: string }) => {
        const user = listedUser.parse(await run(variables, 'users status', { owner, status }));
        if (json) printJson(user);
        else printLines([`The account of ${user.email} is ${user.status}: ${statusMeans[user.status]}`]);
      });
  }
}

const statusChanges = [
  {
    name: 'suspend',
    status: 'suspended',
    description: 'refuse the API keys of an account until it is opened again',
  },
  { name: 'close', status: 'archived', description: 'close an account and revoke its API keys for good' },
  { name: 'reopen', status: 'active', description: 'open an account that was suspended or closed' },
] as const;
/** What follows from each status that an account can have then. */
const statusMeans: Readonly<Record<string, string>> = {
  active: 'it can be used. Keys that were revoked stay revoked.',
  unverified: 'it can be used once the link in the mail to its address was followed.',
  suspended: 'its API keys are refused. `users reopen` opens it again.',
  archived: 'its API keys are revoked. `users reopen` opens it again, and it needs new ones.',
};

function addWalletCommands(program: Command, variables: Variables): void {
  const wallet = program.command('wallet').description('prepaid wallets');
  wallet
    .command('show')
    .description('what an account can spend')
    .requiredOption('--owner <email>', 'the account')
    .option('--json', 'print JSON')
    .action(async ({ owner, json }: OutputOptions & { owner: string }) => {
      const shown = shownWallet.parse(await run(variables, 'wallet show', { owner }));
      if (json) printJson(shown);
      else printLines([writeWallet(shown)]);
    });
  wallet
    .command('credit')
    .description('add money that was paid some other way')
    .requiredOption('--owner <email>', 'the account')
    .requiredOption('--usd <amount>', 'such as 25 or 12.50')
    .requiredOption('--reference <text>', 'names the payment; the same reference is credited once')
    .option('--json', 'print JSON')
    .action(async ({ json, ...input }: OutputOptions & { owner: string; usd: string; reference: string }) => {
      const credited = creditedWallet.parse(await run(variables, 'wallet credit', input));
      if (json) printJson(credited);
      else if (credited.isNew)
        printLines([`Credited ${dollars(credited.creditedUsd)} to ${credited.owner}.`]);
      else printLines([bookedBefore('credited', input, credited.owner)]);
    });
  const ask = (name: AdminCommandName, input: unknown) => run(variables, name, input);
  addStatementCommands(wallet, ask);
  addCreditCommands(program, wallet, ask);
  addAuditCommands(program, ask);
  addCredentialCommands(program, variables, ask);
}

const listedUser = z.looseObject({
  id: z.number(),
  email: z.string(),
  name: z.string(),
  role: z.string(),
  status: z.string(),
  billingExempt: z.boolean(),
});
const listedUsers = z.array(listedUser);
const signInLink = z.object({
  owner: z.string(),
  path: z.string(),
  expiresAt: z.string(),
  address: z.string().nullable(),
});
const shownWallet = z.object({
  ...{ owner: z.string(), availableUsd: z.string(), balanceUsd: z.string(), creditLimitUsd: z.string() },
});
const creditedWallet = z.object({ owner: z.string(), creditedUsd: z.string(), isNew: z.boolean() });

const addressIsGuessed =
  'The address is made from HOST and PORT as they are set here: where the server is reached at another, set SLUICE_PUBLIC_URL.';

function run(variables: Variables, name: AdminCommandName, input: unknown): Promise<unknown> {
  return withCommands(variables, (ask) => ask(name, input));
}

/** Carries commands out here, or in the server that holds the embedded database. Results are plain JSON either way. */
async function withCommands<Result>(
  variables: Variables,
  work: (ask: RunCommand) => Promise<Result>,
): Promise<Result> {
  const environment = requireEnvironment(variables);
  const { dataDir, databaseUrl, tokenPrefix } = environment;
  if (databaseUrl === null && (await findDataDirHolder(dataDir)) !== null) {
    return work((name, input) => askRunningServer(dataDir, name, input));
  }
  requireDatabase(environment);
  const storage = await openStorage({ ...storageOptions(environment), onWarning: warnOnError });
  try {
    await storage.migrate();
    const wallets = new Wallets({ db: storage.db, changes: storage.changes, clock: systemClock });
    const parts = { storage, wallets, clock: systemClock, ids: systemIds, tokenPrefix };
    return await work(async (name, input) => {
      const result = await runAdminCommand({ ...parts, address: () => null }, name, input);
      return JSON.parse(JSON.stringify(result));
    });
  } finally {
    await storage.close();
  }
}

const writeWallet = ({ owner, availableUsd, balanceUsd, creditLimitUsd }: z.output<typeof shownWallet>) =>
  `${owner} can spend ${dollars(availableUsd)}${
    balanceUsd === availableUsd
      ? ''
      : `: a balance of ${dollars(balanceUsd)} and a credit limit of ${dollars(creditLimitUsd)}`
  }.`;
