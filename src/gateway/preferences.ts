/**
 * What a request itself wants of who answers it, in the words that users of public routers know: `provider` and
 * `models`. docs/api.md says what each means. They are for the gateway alone and go on to nobody.
 */
import { z } from 'zod';
import { type LevelLock, quantizations } from '../base/data-policy.ts';
import { AppError } from '../base/errors.ts';
import { type Prices, readPrice } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';
import { asFieldIssues } from '../protocols/json/body.ts';
import type { JsonObject } from '../protocols/json/fields.ts';
import { editMembers } from '../protocols/json/text.ts';
import type { CanServe, Terms, Wish } from '../routing/index.ts';
import type { Asked } from './endpoint.ts';

const mostModels = 10;
const mostNames = 100;

const names = z
  .array(z.string().min(1, 'must not be empty').max(200))
  .max(mostNames, `must have at most ${mostNames} names`)
  .nullish();
const sortings = ['price', 'throughput', 'latency'] as const;
const usd = z.union([z.number(), z.string()]).transform((value, context) => {
  try {
    return readPrice(value);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be USD for a million units, such as 0.5 or "0.5"' });
    return z.NEVER;
  }
});

/** Strict: who sends a member that is not taken here relies on it. */
const providerForm = z
  .strictObject({
    order: names,
    only: names,
    ignore: names,
    sort: z
      .union([
        z.enum(sortings, `must be one of ${sortings.join(', ')}`),
        z.strictObject({ by: z.enum(sortings), partition: z.literal('model').nullish() }),
      ])
      .nullish(),
    max_price: z
      .strictObject({
        prompt: usd.nullish(),
        completion: usd.nullish(),
        request: usd.nullish(),
        image: usd.nullish(),
      })
      .nullish(),
    quantizations: z
      .array(z.enum([...quantizations, 'unknown'], `must be one of ${quantizations.join(', ')}, unknown`))
      .max(mostNames)
      .nullish(),
    data_collection: z.enum(['allow', 'deny'], 'must be "allow" or "deny"').nullish(),
    zdr: z.boolean('must be true or false').nullish(),
    allow_fallbacks: z.boolean('must be true or false').nullish(),
    require_parameters: z.boolean('must be true or false').nullish(),
  })
  .nullish();

const form = z.object({
  provider: providerForm,
  models: z
    .array(z.string().min(1, 'must not be empty').max(200))
    .max(mostModels, `must have at most ${mostModels} models`)
    .nullish(),
});

export interface Preferring<Ask> {
  /** Without what is for the gateway alone. */
  readonly request: Ask;
  /** What it may be served by: the caller itself where it wants nothing of its own. */
  readonly terms: Terms;
  /** To fall back on, in order, as they were written. */
  readonly models: readonly string[];
}

interface PreferenceParts {
  readonly caller: Caller;
  readonly atMs: number;
  /** Whether a provider takes all members of a request as they are. */
  readonly takesAll: ((json: JsonObject) => CanServe) | undefined;
}

const none: readonly string[] = [];

/** @throws AppError validation_failed, invalid_parameter. */
export function takePreferences<Ask extends Asked>(
  request: Ask,
  { caller, atMs, takesAll }: PreferenceParts,
): Preferring<Ask> {
  const { json } = request;
  if (json === undefined || (json['provider'] === undefined && json['models'] === undefined)) {
    return { request, terms: caller, models: none };
  }
  const { provider, models, ...others } = json;
  const read = form.safeParse({ provider, models });
  if (!read.success) throw asFieldIssues(read.error, { provider, models });
  const wanted = read.data.provider;
  if (wanted?.require_parameters === true && takesAll === undefined) throw unknownParameters();
  const terms =
    wanted == null ? caller : termsOf(wanted, { caller, atMs, takesAll: takesAll?.(others) ?? null });
  return { request: without(request, json, others), terms, models: read.data.models ?? none };
}

function unknownParameters(): AppError {
  return new AppError({
    code: 'invalid_parameter',
    public: 'provider.require_parameters is for conversations: leave it out here.',
    param: 'provider.require_parameters',
  });
}

const removed = new Map([
  ['provider', null],
  ['models', null],
]);

function without<Ask extends Asked>(request: Ask, json: JsonObject, others: JsonObject): Ask {
  const text: unknown = Reflect.get(request, 'text');
  if (typeof text !== 'string') return { ...request, json: others };
  return { ...request, json: others, text: editMembers(text, removed, json) };
}

type Wanted = NonNullable<z.output<typeof providerForm>>;

function termsOf(
  wanted: Wanted,
  { caller, atMs, takesAll }: { caller: Caller; atMs: number; takesAll: CanServe | null },
): Terms {
  const { allowedProviders, allowedRegions } = caller;
  const lock = lockOf(wanted);
  const dataLocks: readonly LevelLock[] =
    lock === null ? caller.dataLocks : [...caller.dataLocks, { level: 'request', lock }];
  const { sort, allow_fallbacks: allowFallbacks, require_parameters: requiresParameters } = wanted;
  const wish: Wish = {
    order: listOf(wanted.order),
    only: onlyOf(wanted),
    ignore: setOf(wanted.ignore),
    sort: (typeof sort === 'string' ? sort : sort?.by) ?? null,
    allowFallbacks: allowFallbacks !== false,
    maxPrices: pricesOf(wanted.max_price),
    atMs,
    takesAll: requiresParameters === true ? takesAll : null,
  };
  return { allowedProviders, allowedRegions, dataLocks, wish };
}

function lockOf({ data_collection, zdr, quantizations: kept }: Wanted): LevelLock['lock'] | null {
  const isAsked = data_collection === 'deny' || zdr === true || (kept?.length ?? 0) > 0;
  if (!isAsked) return null;
  return {
    ...(data_collection === 'deny' && { data_collection }),
    ...(zdr === true && { zdr }),
    // An empty list is no wish, as it is of public routers.
    ...(kept != null && kept.length > 0 && { quantizations: kept }),
  };
}

const listOf = (given: readonly string[] | null | undefined): readonly string[] | null =>
  given == null || given.length === 0 ? null : given.map((name) => name.toLowerCase());

/** Without fallbacks those of an order are all that may be asked. */
function onlyOf({ only, order, allow_fallbacks: allowFallbacks }: Wanted): ReadonlySet<string> | null {
  const allowed = setOf(only);
  const ordered = allowFallbacks === false ? setOf(order) : null;
  if (allowed === null || ordered === null) return allowed ?? ordered;
  return ordered.intersection(allowed);
}

function setOf(given: readonly string[] | null | undefined): ReadonlySet<string> | null {
  const list = listOf(given);
  return list === null ? null : new Set(list);
}

/** Nothing is charged for a request as such, and images that are shown are tokens: their bounds always hold. */
function pricesOf(most: Wanted['max_price']): Prices | null {
  const input = most?.prompt;
  const output = most?.completion;
  if (input == null && output == null) return null;
  return { ...(input == null ? {} : { input }), ...(output == null ? {} : { output }) };
}

/** The error of a model that stands in the list, with its place. */
export function atModel(thrown: unknown, index: number): unknown {
  if (!(thrown instanceof AppError)) return thrown;
  const { code, message, cause, members, retryAfterSeconds } = thrown;
  return new AppError({
    code,
    public: message,
    cause,
    param: `models[${index}]`,
    ...(members === undefined ? {} : { members }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
