/** `sluice keys …`, `sluice users …` and `sluice wallet …`, and how commands reach the database. */
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { systemClock } from '../../base/clock.ts';
import { systemIds } from '../../base/ids.ts';
import { mintToken, userRoles } from '../../identity/index.ts';
import { Wallets } from '../../ledger/index.ts';
import { findDataDirHolder, openStorage } from '../../storage/index.ts';
import { askRunningServer } from '../control-socket.ts';
import { requireDatabase, requireEnvironment, storageOptions } from '../environment.ts';
import { addressOf } from '../http-server.ts';
import { type AdminCommandName, type RunCommand, runAdminCommand } from './admin-command.ts';
import { addAuditCommands } from './audit.ts';
import { addBudgetCommands } from './budgets.ts';
import { addCreditCommands } from './credit.ts';
import { type OutputOptions, printJson, printLines, printTable } from './output.ts';
import { addPriceCommands } from './prices.ts';
import { addStatementCommands } from './statement.ts';
import { addUsageCommands } from './usage.ts';

type Variables = Readonly<Record<string, string | undefined>>;

const wholeNumber = (text: string): number => {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes a whole number.');
};
const gather = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

export function addAdminCommands(program: Command, variables: Variables): void {
  addKeyCommands(program, variables);
  addUserCommands(program, variables);
  addWalletCommands(program, variables);
  addUsageCommands(program, (work) => withCommands(variables, work));
  addPriceCommands(program, (name, input) => run(variables, name, input));
  addBudgetCommands(program, (name, input) => run(variables, name, input));
}

function addKeyCommands(program: Command, variables: Variables): void {
  const keys = program.command('keys').description('API keys');
  keys
    .command('create')
    .description('make an API key; its token is shown once')
    .requiredOption('--owner <email>', 'whose account it belongs to')
    .requiredOption('--name <name>', 'what it is for')
    .option('--scope <scope>', 'inference, webchat or read; may be repeated', gather)
    .option('--model <id>', 'lock to this model; may be repeated', gather)
    .option('--provider <name>', 'lock to this provider; may be repeated', gather)
    .option('--region <name>', 'lock to this region; may be repeated', gather)
    .option('--requests-per-minute <count>', 'limit', wholeNumber)
    .option('--tokens-per-minute <count>', 'limit', wholeNumber)
    .option('--concurrent-requests <count>', 'limit', wholeNumber)
    .option('--strict-output', 'refuse what cannot be paid whole, instead of lowering its output limit')
    .option('--expires-at <time>', 'ISO 8601 with a time zone, such as 2027-01-31T12:00:00Z')
    .option('--json', 'print JSON')
    .action(async ({ json, scope, model, provider, region, ...fields }) => {
      const input = {
        ...fields,
        scopes: scope,
        allowedModels: model,
        allowedProviders: provider,
        allowedRegions: region,
      };
      const created = createdKey.parse(await run(variables, 'keys create', input));
      if (json) return printJson(created);
      printLines([
        `Key ${created.id} "${created.name}" of ${created.ownerEmail}:`,
        '',
        `  ${created.token}`,
        '',
      ]);
      printLines(['Keep it now: only its hash is stored, and it cannot be shown again.']);
    });
  keys
    .command('mint')
    .description('print a token to declare in a configuration file; nothing is stored')
    .action(() => printLines([mintToken(systemIds, requireEnvironment(variables).tokenPrefix)]));
  keys
    .command('list')
    .description('list API keys')
    .option('--all', 'the revoked ones too')
    .option('--json', 'print JSON')
    .action(async ({ all, json }: OutputOptions & { all?: true }) => {
      const found = listedKeys.parse(await run(variables, 'keys list', { all: all === true }));
      if (json) return printJson(found);
      printTable(
        ['ID', 'NAME', 'OWNER', 'TOKEN', 'STATE', 'LOCKED TO', 'LIMITS', 'LAST USED'],
        found.map((key) => [
          String(key.id),
          key.name,
          key.ownerEmail,
          `${key.tokenPrefix}…${key.tokenLastFour}`,
          stateOf(key),
          locksOf(key),
          limitsOf(key),
          key.lastUsedAt ?? 'never',
        ]),
      );
    });
  keys
    .command('revoke')
    .description('end an API key for good')
    .argument('<id>', 'the number that `keys list` shows', wholeNumber)
    .option('--json', 'print JSON')
    .action(async (id: number, { json }: OutputOptions) => {
      const revoked = listedKey.parse(await run(variables, 'keys revoke', { id }));
      if (json) printJson(revoked);
      else printLines([`Key ${revoked.id} "${revoked.name}" is revoked.`]);
    });
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
}

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
      else printLines([`${shown.owner} can spend $${shown.availableUsd}.`]);
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
      else if (credited.isNew) printLines([`Credited $${credited.creditedUsd} to ${credited.owner}.`]);
      else printLines([`${input.reference} was credited to ${credited.owner} before; nothing was changed.`]);
    });
  const ask = (name: AdminCommandName, input: unknown) => run(variables, name, input);
  addStatementCommands(wallet, ask);
  addCreditCommands(program, wallet, ask);
  addAuditCommands(program, ask);
}

const listedKey = z.looseObject({
  id: z.number(),
  name: z.string(),
  ownerEmail: z.string(),
  tokenPrefix: z.string(),
  tokenLastFour: z.string(),
  enabled: z.boolean(),
  expiresAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
  allowedModels: z.array(z.string()).nullable(),
  allowedProviders: z.array(z.string()).nullable(),
  allowedRegions: z.array(z.string()).nullable(),
  requestsPerMinute: z.number().nullable(),
  tokensPerMinute: z.number().nullable(),
  concurrentRequests: z.number().nullable(),
  strictOutput: z.boolean(),
});
type ListedKey = z.infer<typeof listedKey>;
const listedKeys = z.array(listedKey);
const createdKey = listedKey.extend({ token: z.string() });
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
const shownWallet = z.object({ owner: z.string(), availableUsd: z.string() });
const creditedWallet = z.object({ owner: z.string(), creditedUsd: z.string(), isNew: z.boolean() });

const addressIsGuessed =
  'The address is made from HOST and PORT as they are set here: where the server is reached at another, set SLUICE_PUBLIC_URL.';

function locksOf({ allowedModels, allowedProviders, allowedRegions }: ListedKey): string {
  const locks = [
    ['models', allowedModels],
    ['providers', allowedProviders],
    ['regions', allowedRegions],
  ] as const;
  const written = locks.flatMap(([noun, allowed]) => {
    if (allowed === null) return [];
    return allowed.length === 0 ? [`no ${noun}`] : [`${noun} ${allowed.join(', ')}`];
  });
  return written.join('; ') || '-';
}

function limitsOf(key: ListedKey): string {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests, strictOutput } = key;
  const written = [
    ...(requestsPerMinute === null ? [] : [`${requestsPerMinute} requests/min`]),
    ...(tokensPerMinute === null ? [] : [`${tokensPerMinute} tokens/min`]),
    ...(concurrentRequests === null ? [] : [`${concurrentRequests} at once`]),
    ...(strictOutput ? ['strict output'] : []),
  ];
  return written.join(', ') || '-';
}

function stateOf(key: ListedKey): string {
  if (key.revokedAt !== null) return 'revoked';
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= systemClock.nowMs()) return 'expired';
  return key.enabled ? 'active' : 'disabled';
}

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
  const storage = await openStorage(storageOptions(environment));
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
