/** The form of the configuration file, strict about names, and what stands for the parts of it that were not read. */
import { z } from 'zod';
import { dataClaimForm, dataLockForm, quantizations } from '../base/data-policy.ts';
import { readNanoUsd } from '../base/money.ts';
import { capabilities, meters, modelTypes, orderings, readPrice } from '../catalogue/index.ts';
import { findPasswordIssue, keyScopes, userRoles } from '../identity/index.ts';
import { budgetPeriods, budgetReceivers } from '../ledger/index.ts';
import type { StandIns } from './schema-issue.ts';
import { signInSections, signInStandIns } from './sign-in-schema.ts';

const text = z.string().min(1).max(500);
const count = z.int().min(1).max(2_147_483_647);
/** More would be none: the times of so many requests are kept for each such credential. */
const credentialLimit = z.int().min(1).max(100_000).exactOptional();
const credentialLimits = { max_concurrent: credentialLimit, requests_per_minute: credentialLimit };
const milliseconds = z.int().min(1).max(86_400_000);

/** A decimal as text or number, read by one of the exact readers. */
const decimal = (read: (value: string | number) => bigint) =>
  z.union([z.string(), z.number()], 'expected an amount such as 0.15').transform((value, context) => {
    try {
      return read(value);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
      return z.NEVER;
    }
  });

/** It stands in a header. */
const apiKey = z
  .string()
  .regex(
    /^(?:[!-~]{1,10000}|\{[ -~]{1,9998}\})$/,
    'expected printable characters without spaces, or JSON on one line',
  );

const user = z.strictObject({
  email: z.email().max(254),
  password: z.string().superRefine((password, context) => {
    const message = findPasswordIssue(password);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  }),
  role: z.enum(userRoles),
  name: z.string().max(100).optional(),
  wallet_usd: decimal(readDeposit).optional(),
  requests_per_minute: count.nullable().optional(),
  tokens_per_minute: count.nullable().optional(),
  concurrent_requests: count.nullable().optional(),
});

const provider = z.strictObject({
  name: text,
  kind: text,
  base_url: text.optional(),
  region: text.optional(),
  /** What only the kind understands. */
  settings: z.record(z.string(), z.unknown()).default({}),
  credentials: z.array(z.strictObject({ name: text, api_key: apiKey, ...credentialLimits })).default([]),
  data_policy: dataClaimForm.nullable().default(null),
  timeouts_ms: z
    .strictObject({
      connect: milliseconds.exactOptional(),
      first_byte: milliseconds.exactOptional(),
      fail_over: milliseconds.exactOptional(),
      whole_answer: milliseconds.exactOptional(),
      idle: milliseconds.exactOptional(),
    })
    .default({}),
});

const prices = z.partialRecord(z.enum(meters), decimal(readPrice));
const instant = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], 'expected a date such as 2027-01-31')
  .transform((written) => new Date(written));
const priceChanges = z.array(z.strictObject({ from: instant, prices })).default([]);

const model = z.strictObject({
  id: text,
  type: z.enum(modelTypes).default('chat'),
  owned_by: text,
  aliases: z.array(text).default([]),
  context_window: count.nullable().default(null),
  max_output_tokens: count.nullable().default(null),
  capabilities: z.array(z.enum(capabilities)).default([]),
  rescue: z.boolean().default(false),
  prices: prices.optional(),
  price_changes: priceChanges,
  routing: z.enum(orderings).default('order'),
  providers: z
    .array(
      z.strictObject({
        provider: text,
        upstream_id: text,
        context_window: count.nullable().default(null),
        weight: z.int().min(0).max(1_000_000).nullable().default(null),
        quantization: z.enum(quantizations).nullable().default(null),
        prices: prices.optional(),
        price_changes: priceChanges,
      }),
    )
    .min(1),
});

const locks = z.array(text).nullable().default(null);
const limit = count.nullable().default(null);

const key = z.strictObject({
  name: z.string().min(1).max(100),
  owner: z.string().min(1),
  token: z.string().min(1),
  allowed_models: locks,
  allowed_providers: locks,
  allowed_regions: locks,
  data_policy: dataLockForm.nullable().default(null),
  requests_per_minute: limit,
  tokens_per_minute: limit,
  concurrent_requests: limit,
  strict_output: z.boolean().default(false),
  rescue: z.boolean().nullable().default(null),
  expires_at: instant.nullable().default(null),
  scopes: z.array(z.enum(keyScopes)).min(1).default(['inference', 'read']),
});

const budget = z
  .strictObject({
    user: z.email().max(254).optional(),
    /** By its name in this file. */
    key: text.optional(),
    organisation: text.optional(),
    /** By their names in the organisation. */
    department: text.optional(),
    project: text.optional(),
    period: z.enum(budgetPeriods),
    usd: decimal(readLimit),
  })
  .superRefine(({ user: person, key: ofKey, organisation, department, project }, context) => {
    const named = [person, ofKey, organisation].filter((each) => each !== undefined);
    const parts = [department, project].filter((each) => each !== undefined);
    if (named.length === 1 && parts.length === 0) return;
    if (named.length === 1 && parts.length === 1 && organisation !== undefined) return;
    context.addIssue({
      code: 'custom',
      message:
        'expected one of user, key and organisation; a department or a project stands beside its organisation',
    });
  });

const budgetDefault = z.strictObject({
  organisation: text,
  /** By its name in the organisation; without it the organisation's own. */
  department: text.optional(),
  /** Who is given it from now on. */
  for: z.enum(budgetReceivers),
  period: z.enum(budgetPeriods),
  usd: decimal(readLimit),
});

export const fileSchema = z.strictObject({
  users: z.array(user).default([]),
  providers: z.array(provider).default([]),
  models: z.array(model).default([]),
  keys: z.array(key).default([]),
  budgets: z.array(budget).default([]),
  budget_defaults: z.array(budgetDefault).default([]),
  ...signInSections,
});

export type FileContent = z.output<typeof fileSchema>;

const standInsOfChanges = (path: string): StandIns => ({
  [`${path}.price_changes.#`]: {},
  [`${path}.price_changes.#.from`]: '2000-01-01',
  [`${path}.price_changes.#.prices`]: {},
});

/** Stands for what a file does not say, or says wrongly, so that everything else in it can be checked. */
export const standIns: StandIns = {
  'users.#': {},
  'users.#.email': 'nobody@sluice.invalid',
  'users.#.password': 'stands for one that was not read',
  'users.#.role': userRoles.at(-1),
  'providers.#': {},
  'providers.#.name': 'unread',
  'providers.#.kind': 'unread',
  'providers.#.credentials.#': {},
  'providers.#.credentials.#.name': 'unread',
  'providers.#.credentials.#.api_key': 'unread',
  'models.#': {},
  'models.#.id': 'unread',
  'models.#.owned_by': 'unread',
  'models.#.aliases.#': 'unread',
  'models.#.providers': [{}],
  'models.#.providers.#': {},
  'models.#.providers.#.provider': 'unread',
  'models.#.providers.#.upstream_id': 'unread',
  ...standInsOfChanges('models.#'),
  ...standInsOfChanges('models.#.providers.#'),
  'keys.#': {},
  'keys.#.name': 'unread',
  'keys.#.owner': 'nobody@sluice.invalid',
  'keys.#.token': 'unread',
  'budgets.#': { user: 'nobody@sluice.invalid' },
  'budgets.#.user': 'nobody@sluice.invalid',
  'budgets.#.period': 'total',
  'budgets.#.usd': 0,
  'budget_defaults.#': {},
  'budget_defaults.#.organisation': 'unread',
  'budget_defaults.#.for': 'members',
  'budget_defaults.#.period': 'total',
  'budget_defaults.#.usd': 0,
  ...signInStandIns,
};

function readDeposit(usd: string | number): bigint {
  const nanoUsd = readNanoUsd(usd);
  if (nanoUsd < 0n || nanoUsd > highestDepositNanoUsd) {
    throw new RangeError(`${usd} USD is not a sum for a wallet: from 0 to 1000000000`);
  }
  return nanoUsd;
}

function readLimit(usd: string | number): bigint {
  const nanoUsd = readNanoUsd(usd);
  if (nanoUsd >= 0n && nanoUsd <= highestDepositNanoUsd) return nanoUsd;
  throw new RangeError(`${usd} USD is not a budget: from 0 to 1000000000`);
}

const highestDepositNanoUsd = 1_000_000_000_000_000_000n;
