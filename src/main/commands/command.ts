/** A command that works on the database: what it is handed, and how its input is checked and refused. */
import type { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { nanoUsdPerUsd, readNanoUsd } from '../../base/money.ts';
import { findUserByEmail, type User } from '../../identity/index.ts';
import type { Wallets } from '../../ledger/index.ts';
import type { Storage } from '../../storage/index.ts';
import type { WorkParts } from '../../storage/work.ts';

export interface AdminContext extends WorkParts {
  readonly storage: Storage;
  readonly wallets: Wallets;
  readonly tokenPrefix: string;
  /** Where the server that runs the command is reached; null where none does, or not yet. */
  readonly address: () => string | null;
}

/** Input and result are plain JSON, because they may travel. */
export type AdminCommand = (context: AdminContext, input: unknown) => Promise<unknown>;

/** A command whose input is checked first. */
export function command<Input>(
  schema: z.ZodType<Input>,
  run: (context: AdminContext, input: Input) => Promise<unknown>,
): AdminCommand {
  return async (context, input) => {
    const parsed = schema.safeParse(input);
    if (!parsed.success) {
      const problems = parsed.error.issues.map(({ path, message }) => ({ loc: path, msg: message }));
      throw refusedInput(problems);
    }
    try {
      return await run(context, parsed.data);
    } catch (error) {
      if (error instanceof AppError && error.fields.length > 0) throw refusedInput(error.fields);
      throw error;
    }
  };
}

/** What people type for what the rooms below call otherwise. */
const typedNames: Readonly<Record<string, string>> = {
  owner: '--owner',
  ownerId: '--owner',
  email: '--email',
  name: '--name',
  role: '--role',
  scopes: '--scope',
  allowedModels: '--model',
  allowedProviders: '--provider',
  allowedRegions: '--region',
  requestsPerMinute: '--requests-per-minute',
  tokensPerMinute: '--tokens-per-minute',
  concurrentRequests: '--concurrent-requests',
  strictOutput: '--strict-output',
  rescue: '--rescue',
  expiresAt: '--expires-at',
  reference: '--reference',
  holder: '--holder',
  usd: '--usd',
  provider: '--provider',
  kinds: '--kinds',
  from: '--from',
  to: '--to',
  by: '--by',
  every: '--every',
  limit: '--limit',
  note: '--note',
  prices: 'the price',
  id: 'the number of the key',
  key: '--key',
  user: '--user',
  department: '--department',
  project: '--project',
  organisation: '--organisation',
  period: '--period',
};

function refusedInput(
  problems: readonly { readonly loc: readonly PropertyKey[]; readonly msg: string }[],
): AppError {
  const lines = problems.map(({ loc, msg }) => {
    const name = String(loc[0] ?? '');
    return `${typedNames[name] ?? name} ${msg}`;
  });
  return new AppError({ code: 'validation_failed', public: [...new Set(lines)].join('; ') });
}

const mostNanoUsd = 1_000_000n * nanoUsdPerUsd;

/** An amount of money as people type it. @throws AppError `invalid_parameter`, also below `least` nano-USD or above `most`. */
export function readAmount(usd: string, least: bigint, most = mostNanoUsd): bigint {
  let amount = -1n;
  try {
    amount = readNanoUsd(usd);
  } catch {
    // Told below, like any other amount that cannot be.
  }
  if (amount >= least && amount <= most) return amount;
  throw new AppError({
    code: 'invalid_parameter',
    public: `${usd} is not an amount: give USD ${least > 0n ? 'above 0 and at most' : 'between 0 and'} ${(most / nanoUsdPerUsd).toLocaleString('en')}, such as 25 or 12.50.`,
  });
}

/** @throws AppError `not_found`. */
export async function requireUser(storage: Storage, email: string): Promise<User> {
  const user = await findUserByEmail(storage.db, email);
  if (user !== undefined) return user;
  throw new AppError({
    code: 'not_found',
    public: `There is no account ${email}. \`users list\` shows those that there are, \`users create\` makes one.`,
  });
}
