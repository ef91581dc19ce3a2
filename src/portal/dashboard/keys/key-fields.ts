/** The fields of a key as a form and a program send them, and what they mean: for a key, for its budgets, and back. */
import { z } from 'zod';
import { quantizations } from '../../../base/data-policy.ts';
import { AppError, type FieldIssue } from '../../../base/errors.ts';
import { readNanoUsd } from '../../../base/money.ts';
import type { CatalogueSnapshot } from '../../../catalogue/index.ts';
import { type ApiKey, type KeyFields, keyScopes } from '../../../identity/index.ts';
import { budgetPeriods } from '../../../ledger/index.ts';
import type { FieldSentence } from '../../field-sentences.ts';
import { emptyIsNull, orEmpty, readList, readSwitch } from '../../form-readers.ts';
import { idField } from '../../route.ts';
import type { PortalServices } from '../../services.ts';
import { emailField } from '../../sign-in/fields.ts';
import { typedUsd } from '../../typed-amount.ts';
import { choice, dataPolicyFields, listedOf, names, readDataPolicy } from './key-data-policy.ts';

const dayMs = 86_400_000;

/** More than can be counted exactly is more than is taken, however many digits it has. */
const readCount = (given: unknown): unknown =>
  typeof given === 'string' && /^\s*\d+\s*$/.test(given)
    ? Math.min(Number(given), Number.MAX_SAFE_INTEGER)
    : emptyIsNull(given);

const count = z.preprocess(readCount, z.int().min(1).max(2_147_483_647).nullable()).optional();
const place = z.preprocess(emptyIsNull, idField.nullable()).optional();
const usd = z
  .preprocess(
    (given) => (typeof given === 'number' ? String(given) : emptyIsNull(given)),
    typedUsd.nullable(),
  )
  .optional()
  .describe('US dollars as a decimal, such as "12.50"; null is no budget');

export const expiries = ['keep', 'never', '7', '30', '90', '365', 'date'] as const;

/** What is left out stays, or takes the default of a new key. */
export const keyBody = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .regex(/^\P{Cc}*$/u)
    .optional(),
  department: place.describe('Its id; null follows the owner'),
  project: place.describe('Its id'),
  models_from: choice,
  models: names,
  providers_from: choice,
  providers: names,
  regions_from: choice,
  regions: names,
  scopes: z.preprocess(readList, z.array(z.enum(keyScopes)).min(1)).optional(),
  budget_daily: usd,
  budget_weekly: usd,
  budget_monthly: usd,
  budget_total: usd,
  requests_per_minute: count,
  tokens_per_minute: count,
  concurrent_requests: count,
  expires: z.enum(expiries).optional().describe('In so many days, or by `expires_on`'),
  expires_on: z
    .preprocess(emptyIsNull, z.iso.date().nullable())
    .optional()
    .describe('The last day in UTC, where `expires` is `date` or left out'),
  expires_at: z.preprocess(emptyIsNull, z.iso.datetime({ offset: true }).nullable()).optional(),
  strict_output: z.preprocess(readSwitch, z.boolean()).optional(),
  ...dataPolicyFields,
});
export const newKeyBody = keyBody.extend({
  name: keyBody.shape.name.unwrap(),
  owner: orEmpty(emailField),
});
export type KeyBody = z.output<typeof keyBody>;

/** What is said of fields under other names: those of a form. */
const fieldNames: Readonly<Record<string, string>> = {
  ownerId: 'owner',
  departmentId: 'department',
  projectId: 'project',
  allowedModels: 'models',
  allowedProviders: 'providers',
  allowedRegions: 'regions',
  requestsPerMinute: 'requests_per_minute',
  tokensPerMinute: 'tokens_per_minute',
  concurrentRequests: 'concurrent_requests',
  strictOutput: 'strict_output',
  dataPolicy: 'data_collection',
  expiresAt: 'expires',
  overlapHours: 'overlap_hours',
};

/** The rules know fields by their own names. */
export async function inFormsWords<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation_failed') throw error;
    throw invalid(
      error.fields.map(({ loc: [first], msg, type }) => ({
        loc: ['body', fieldNames[String(first)] ?? first ?? ''],
        msg,
        type,
      })),
    );
  }
}

function invalid(fields: readonly FieldIssue[]): AppError {
  return new AppError({
    code: 'validation_failed',
    public: fields.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; '),
    fields,
  });
}

/** What locks can be chosen from. */
export interface Lockable {
  readonly models: readonly string[];
  readonly providers: readonly string[];
  readonly regions: readonly string[];
  readonly data_regions: readonly string[];
  readonly quantizations: readonly string[];
}

export function lockableOf({ models }: CatalogueSnapshot): Lockable {
  const providers = models.flatMap(({ deployments }) => deployments.map(({ provider }) => provider));
  const unique = (all: readonly string[]) => [...new Set(all)].toSorted();
  return {
    models: models.map(({ publicId }) => publicId),
    providers: unique(providers.map(({ name }) => name)),
    regions: unique(providers.flatMap(({ region }) => region ?? [])),
    data_regions: unique(providers.flatMap(({ region, dataClaim }) => dataClaim?.regions ?? region ?? [])),
    quantizations,
  };
}

/** Null takes it away; what is not there stays. */
export type Budgets = Readonly<Partial<Record<(typeof budgetPeriods)[number], bigint | null>>>;

export interface KeyAskedFor {
  readonly fields: Partial<Omit<KeyFields, 'ownerId'>>;
  readonly place: { readonly departmentId: number | null; readonly projectId: number | null } | undefined;
  readonly budgets: Budgets;
}

type Wrong = (name: keyof KeyBody, type: FieldSentence) => void;

export interface ReadingParts {
  readonly lockable: Lockable;
  readonly nowMs: number;
  /** The key that is changed: what it has may stay, also where it could not be chosen any more. */
  readonly known: ApiKey | null;
}

export const readingParts = (
  { catalogue, clock }: Pick<PortalServices, 'catalogue' | 'clock'>,
  known: ApiKey | null,
): ReadingParts => ({ lockable: lockableOf(catalogue.current()), nowMs: clock.nowMs(), known });

/** @throws AppError `validation_failed` with every field that cannot be. */
export function readKeyBody(body: KeyBody, parts: ReadingParts): KeyAskedFor {
  const { asked, issues } = lookAtKeyBody(body, parts);
  if (issues.length > 0) throw invalid(issues);
  return asked;
}

/** What was asked for as far as it can be, and every field that cannot. */
export function lookAtKeyBody(
  body: KeyBody,
  { lockable, nowMs, known }: ReadingParts,
): { readonly asked: KeyAskedFor; readonly issues: readonly FieldIssue[] } {
  const issues: FieldIssue[] = [];
  // The reader's words for each kind stand in `languages/errors`.
  const wrong: Wrong = (name, type) => {
    issues.push({ loc: ['body', name], msg: type, type });
  };
  const lock = (kind: keyof Lockable, before: readonly string[] | null | undefined) => {
    const from = body[`${kind}_from`];
    const given = from === 'any' ? null : body[kind];
    if (given === undefined) return undefined;
    if (given === null) return null;
    if (from === 'these' && given.length === 0) wrong(kind, 'none_chosen');
    const allowed = new Set([...lockable[kind], ...(before ?? [])]);
    const unknown = given.find((name) => !allowed.has(name));
    if (unknown !== undefined) wrong(kind, 'unknown_name');
    return [...new Set(given)];
  };
  const budgets: Budgets = Object.fromEntries(
    budgetPeriods.flatMap((period) => {
      const given = body[`budget_${period}`];
      return given === undefined ? [] : [[period, given === null ? null : readNanoUsd(given)] as const];
    }),
  );
  const expiresAt = readExpiry(body, nowMs, wrong);
  const before = listedOf(known);
  const lists = {
    data_regions: lock('data_regions', before.data_regions),
    quantizations: lock('quantizations', before.quantizations),
  };
  const fields = {
    name: body.name,
    scopes: body.scopes,
    allowedModels: lock('models', known?.allowedModels),
    allowedProviders: lock('providers', known?.allowedProviders),
    allowedRegions: lock('regions', known?.allowedRegions),
    requestsPerMinute: body.requests_per_minute,
    tokensPerMinute: body.tokens_per_minute,
    concurrentRequests: body.concurrent_requests,
    strictOutput: body.strict_output,
    dataPolicy: readDataPolicy(body, lists, known),
    rescue: body.rescue,
    expiresAt,
  };
  const { department, project } = body;
  const isPlaced = department !== undefined || project !== undefined;
  const asked = {
    fields: withoutUndefined(fields),
    place: isPlaced
      ? {
          departmentId: department === undefined ? (known?.departmentId ?? null) : department,
          projectId: project === undefined ? (known?.projectId ?? null) : project,
        }
      : undefined,
    budgets,
  };
  return { asked, issues };
}

function withoutUndefined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  // Only what is undefined was taken out.
  return Object.fromEntries(given) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
}

/** Undefined leaves it as it is. What says two things at once is refused: no key lives on because one was passed over. */
function readExpiry(
  { expires, expires_on: lastDay = null, expires_at: at }: KeyBody,
  nowMs: number,
  wrong: Wrong,
): Date | null | undefined {
  const chosen = expires ?? (lastDay === null ? 'keep' : 'date');
  if (lastDay !== null && chosen !== 'date') wrong('expires_on', 'only_on_day');
  if (at != null && chosen !== 'keep') wrong('expires_at', 'two_ends');
  if (chosen === 'keep') return at == null ? at : noLater(Date.parse(at));
  if (chosen === 'never') return null;
  if (chosen !== 'date') return new Date(nowMs + Number(chosen) * dayMs);
  if (lastDay === null) {
    wrong('expires_on', 'missing');
    return undefined;
  }
  const end = noLater(Date.parse(lastDay) + dayMs);
  if (end.getTime() <= nowMs) wrong('expires_on', 'too_early');
  return end;
}

/** The end of 9999, as which people write "never", is the last that a database reads as it is written. */
const noLater = (ms: number): Date => new Date(Math.min(ms, latestMs));
const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
