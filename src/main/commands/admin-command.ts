/**
 * Commands that work on the database. On a shared database the command line runs them itself; on the embedded one,
 * which only one process may open, a running server runs them for it.
 */
import { z } from 'zod';
import { verifyTrail } from '../../audit/index.ts';
import { AppError } from '../../base/errors.ts';
import { writeUsd } from '../../base/money.ts';
import { everybody } from '../../base/scope.ts';
import {
  changeAccountStatus,
  createKey,
  createUser,
  groupOfKey,
  issueToken,
  type KeyFields,
  keyScopes,
  listKeys,
  listUsers,
  revokeKey,
  rotateKey,
  userRoles,
  usualOverlapHours,
} from '../../identity/index.ts';
import {
  checkBooks,
  giveDefaultBudgets,
  listHolders,
  measureBooks,
  readStatement,
  releaseHolder,
  reverseJournal,
} from '../../ledger/index.ts';
import { readDeliveryState } from '../../notifications/index.ts';
import { readDatabaseMs } from '../../storage/agreed-time.ts';
import { transact } from '../../storage/work.ts';
import { measureUsage } from '../../usage/index.ts';
import { budgetCommands } from './budget-command.ts';
import { budgetDefaultCommands } from './budget-default-command.ts';
import { type AdminCommand, type AdminContext, command, readAmount, requireUser } from './command.ts';
import { credentialCommands } from './credential-command.ts';
import { creditCommands } from './credit-commands.ts';
import { moment } from './moment.ts';
import { priceCommands } from './price-commands.ts';
import { readUsageLines, reportUsage, usageReportInput, usageRowsInput } from './usage-command.ts';

const keyCreation = z.strictObject({
  owner: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(keyScopes, `must be one of ${keyScopes.join(', ')}`)).optional(),
  allowedModels: z.array(z.string()).optional(),
  allowedProviders: z.array(z.string()).optional(),
  allowedRegions: z.array(z.string()).optional(),
  requestsPerMinute: z.number().optional(),
  tokensPerMinute: z.number().optional(),
  concurrentRequests: z.number().optional(),
  strictOutput: z.boolean().optional(),
  rescue: z.boolean().optional(),
  expiresAt: z.iso
    .datetime({
      offset: true,
      error: 'must be a date and time with a time zone, such as 2027-01-31T12:00:00Z',
    })
    .optional(),
});

const createKeyCommand = command(keyCreation, async (context, { owner, expiresAt, ...fields }) => {
  const user = await requireUser(context.storage, owner);
  const newKey: KeyFields = {
    ...fields,
    ownerId: user.id,
    ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt) }),
  };
  const { key, token } = await transact(context, async (work) => {
    const created = await createKey(everybody, work, context.tokenPrefix, newKey);
    const { id } = created.key;
    await giveDefaultBudgets(work, { kind: 'key', id }, await groupOfKey(work.executor, id));
    return created;
  });
  return { ...key, token };
});

const listKeysCommand = command(z.strictObject({ all: z.boolean().optional() }), ({ storage }, { all }) =>
  listKeys(everybody, storage.db, { includeRevoked: all === true }),
);

const wrongId = 'must be one that `keys list` shows';

const revokeKeyCommand = command(
  z.strictObject({ id: z.int(wrongId).positive(wrongId).max(2_147_483_647, wrongId) }),
  (context, { id }) => transact(context, (work) => revokeKey(everybody, work, id)),
);

const rotateKeyCommand = command(
  z.strictObject({
    id: z.int(wrongId).positive(wrongId).max(2_147_483_647, wrongId),
    overlapHours: z.number().optional(),
  }),
  async (context, { id, overlapHours = usualOverlapHours }) => {
    const rotation = { actor: 'program', keyId: id, tokenPrefix: context.tokenPrefix, overlapHours } as const;
    const { key, token } = await transact(context, (work) => rotateKey(everybody, work, rotation));
    return { ...key, token };
  },
);

const showWalletCommand = command(
  z.strictObject({ owner: z.string() }),
  async ({ storage, wallets }, { owner }) => {
    const user = await requireUser(storage, owner);
    const { balanceNanoUsd, creditLimitNanoUsd } = await wallets.stateOf(user.id);
    return {
      owner: user.email,
      balanceUsd: writeUsd(balanceNanoUsd),
      creditLimitUsd: writeUsd(creditLimitNanoUsd),
      availableUsd: writeUsd(balanceNanoUsd + creditLimitNanoUsd),
    };
  },
);

const listUsersCommand = command(z.strictObject({}), ({ storage }) => listUsers(everybody, storage.db));

const createUserCommand = command(
  z.strictObject({
    email: z.string(),
    role: z.enum(userRoles, `must be one of ${userRoles.join(', ')}`),
    name: z.string().optional(),
    billingExempt: z.boolean().optional(),
  }),
  (context, fields) => transact(context, (work) => createUser(work, fields)),
);

const changeStatusCommand = command(
  z.strictObject({ owner: z.string(), status: z.enum(['active', 'suspended', 'archived']) }),
  async (context, { owner, status }) => {
    const { id: userId } = await requireUser(context.storage, owner);
    return await transact(context, (work) => changeAccountStatus(everybody, work, { userId, status }));
  },
);

const signInLinkCommand = command(z.strictObject({ owner: z.string() }), async (context, { owner }) => {
  const user = await requireUser(context.storage, owner);
  const { secret, expiresAt } = await transact(context, (work) => issueToken(work, 'sign_in', user.id));
  return { owner: user.email, path: `/sign-in/${secret}`, expiresAt, address: context.address() };
});

const shortReference = 'must have 1 to 200 characters';

const creditWalletCommand = command(
  z.strictObject({
    owner: z.string(),
    usd: z.string(),
    reference: z.string().trim().min(1, shortReference).max(200, shortReference),
  }),
  async (context, { owner, usd, reference }) => {
    const user = await requireUser(context.storage, owner);
    const amountNanoUsd = readAmount(usd, 1n);
    const isNew = await transact(context, (work) =>
      context.wallets.deposit(work, {
        userId: user.id,
        amountNanoUsd,
        businessKey: `command:${user.id}:${reference}`,
        note: reference,
      }),
    );
    return { owner: user.email, creditedUsd: isNew ? writeUsd(amountNanoUsd) : '0.00', isNew };
  },
);

const statementCommand = command(
  z.strictObject({
    owner: z.string(),
    days: z.int().min(1).max(3650),
    to: moment.optional(),
    isByBatch: z.boolean().optional(),
  }),
  async ({ storage, clock }, { owner, days, to, isByBatch = false }) => {
    const user = await requireUser(storage, owner);
    const until = to ?? new Date(clock.nowMs() + 1);
    const from = new Date(until.getTime() - days * 86_400_000);
    const lines = await readStatement(storage.db, user.id, { from, until, isByBatch });
    return lines.map(({ paidNanoUsd, promoNanoUsd, balanceNanoUsd, ...line }) => ({
      ...line,
      usd: writeUsd(paidNanoUsd + promoNanoUsd),
      balanceUsd: writeUsd(balanceNanoUsd),
    }));
  },
);

const reverseCommand = command(
  z.strictObject({
    journal: z.int().positive(),
    reference: z.string().trim().min(1, shortReference).max(200, shortReference),
  }),
  (context, { journal, reference }) =>
    transact(context, (work) =>
      reverseJournal(work, {
        journalId: journal,
        businessKey: `command:reverse:${reference}`,
        note: reference,
      }),
    ),
);

const checkBooksCommand = command(z.strictObject({}), ({ storage }) => checkBooks(storage.db, storage.kind));

const listHoldersCommand = command(z.strictObject({}), async ({ storage }) => {
  const holders = await listHolders(storage.db);
  return holders.map(({ leasedNanoUsd, ...holder }) => ({ ...holder, leasedUsd: writeUsd(leasedNanoUsd) }));
});

/** Four times as long as it takes a process to tell that it is alive. */
const surelyGoneMs = 120_000;
const wrongHolder = 'must be one that `wallet holders` shows';

const releaseHolderCommand = command(
  z.strictObject({ holder: z.int(wrongHolder).positive(wrongHolder) }),
  async ({ storage, clock }, { holder: id }) => {
    const holder = (await listHolders(storage.db)).find((one) => one.id === id);
    if (holder === undefined) {
      throw new AppError({
        code: 'not_found',
        public: `There is no process ${id} that leases. \`wallet holders\` shows those that there are.`,
      });
    }
    const { host, seenAt, leasedNanoUsd } = holder;
    const silentMs = (await readDatabaseMs(storage.db)) - seenAt.getTime();
    if (silentMs < surelyGoneMs) {
      throw new AppError({
        code: 'conflict',
        public: `Process ${id} on ${host} was alive ${Math.round(silentMs / 1000)} seconds ago. It gives back what it has when it is stopped; if its machine is gone, ask again in two minutes.`,
      });
    }
    await releaseHolder(storage.db, id, clock.nowMs());
    return { id, host, releasedUsd: writeUsd(leasedNanoUsd) };
  },
);

const usageReportCommand = command(usageReportInput, ({ storage }, input) => reportUsage(storage.db, input));
const usageRowsCommand = command(usageRowsInput, ({ storage }, input) => readUsageLines(storage.db, input));
const usageSizeCommand = command(z.strictObject({}), async ({ storage, clock }) => ({
  ...(await measureUsage(storage.db, clock)),
  books: await measureBooks(storage.db),
}));

const notificationStatusCommand = command(z.strictObject({}), ({ storage, clock }) =>
  readDeliveryState(storage.db, clock.nowMs()),
);

const commands = {
  'keys create': createKeyCommand,
  'keys list': listKeysCommand,
  'keys revoke': revokeKeyCommand,
  'keys rotate': rotateKeyCommand,
  'users list': listUsersCommand,
  'users create': createUserCommand,
  'users sign-in-link': signInLinkCommand,
  'users status': changeStatusCommand,
  'usage report': usageReportCommand,
  'usage rows': usageRowsCommand,
  'usage size': usageSizeCommand,
  'wallet show': showWalletCommand,
  'wallet credit': creditWalletCommand,
  'wallet statement': statementCommand,
  'wallet reverse': reverseCommand,
  'wallet check': checkBooksCommand,
  'wallet holders': listHoldersCommand,
  'wallet release': releaseHolderCommand,
  'notifications status': notificationStatusCommand,
  'audit verify': command(z.strictObject({}), ({ storage }) => verifyTrail(storage.db)),
  ...priceCommands,
  ...creditCommands,
  ...budgetCommands,
  ...budgetDefaultCommands,
  ...credentialCommands,
} as const satisfies Record<string, AdminCommand>;

export type AdminCommandName = keyof typeof commands;

/** Carries a command out, here or in the server that runs. */
export type RunCommand = (name: AdminCommandName, input: unknown) => Promise<unknown>;

export function isAdminCommand(name: string): name is AdminCommandName {
  return Object.hasOwn(commands, name);
}

/** @throws AppError for input that cannot be. */
export function runAdminCommand(
  context: AdminContext,
  name: AdminCommandName,
  input: unknown,
): Promise<unknown> {
  return commands[name](context, input);
}
