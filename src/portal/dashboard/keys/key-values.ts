/** What the form of a key holds: of a new one, of one that there is, as it was sent, and where that is not what the key is now. */
import { writeUsd } from '../../../base/money.ts';
import type { ApiKey, KeyScope } from '../../../identity/index.ts';
import type { budgetPeriods } from '../../../ledger/index.ts';
import { valuesOfDataPolicy } from './key-data-policy.ts';

/** As a form holds them: texts, and lists of texts. */
export type FormValues = Readonly<Record<string, string | readonly string[] | undefined>>;

export const textOf = (values: FormValues, name: string): string => {
  const value = values[name];
  return typeof value === 'string' ? value : (value?.at(-1) ?? '');
};
export const listOf = (values: FormValues, name: string): readonly string[] => {
  const value = values[name];
  return (typeof value === 'string' ? [value] : (value ?? [])).filter((one) => one !== '');
};

/** What was sent, as far as it is texts. */
export function valuesOfForm(form: Readonly<Record<string, unknown>>): FormValues {
  const values = new Map<string, string | readonly string[]>();
  for (const [name, value] of Object.entries(form)) {
    if (typeof value === 'string') values.set(name, value);
    if (Array.isArray(value)) {
      values.set(
        name,
        value.filter((one) => typeof one === 'string'),
      );
    }
  }
  return Object.fromEntries(values);
}

/** Of a new key that nothing was said of. */
export const freshValues = (ownerEmail: string): FormValues => ({
  owner: ownerEmail,
  models_from: 'any',
  providers_from: 'any',
  regions_from: 'any',
  data_regions_from: 'any',
  quantizations_from: 'any',
  rescue: 'model',
  scopes: ['inference', 'read'] satisfies KeyScope[],
  expires: 'never',
});

export interface KnownBudget {
  readonly period: (typeof budgetPeriods)[number];
  readonly limitNanoUsd: bigint;
}

export function valuesOfKey(key: ApiKey, budgets: readonly KnownBudget[]): FormValues {
  const lock = (name: string, allowed: readonly string[] | null) => ({
    [`${name}_from`]: allowed === null ? 'any' : 'these',
    [name]: allowed ?? [],
  });
  const number = (value: number | null) => (value === null ? '' : String(value));
  return {
    name: key.name,
    owner: key.ownerEmail,
    department: number(key.departmentId),
    project: number(key.projectId),
    ...lock('models', key.allowedModels),
    ...lock('providers', key.allowedProviders),
    ...lock('regions', key.allowedRegions),
    scopes: key.scopes,
    ...Object.fromEntries(
      budgets.map(({ period, limitNanoUsd }) => [`budget_${period}`, writeUsd(limitNanoUsd)]),
    ),
    requests_per_minute: number(key.requestsPerMinute),
    tokens_per_minute: number(key.tokensPerMinute),
    concurrent_requests: number(key.concurrentRequests),
    strict_output: key.strictOutput ? 'on' : 'off',
    ...valuesOfDataPolicy(key),
    expires: key.expiresAt === null ? 'never' : 'keep',
    expires_at: key.expiresAt?.toISOString() ?? '',
  };
}

const compared = [
  ...['name', 'department', 'project', 'requests_per_minute', 'tokens_per_minute', 'concurrent_requests'],
  ...['budget_daily', 'budget_weekly', 'budget_monthly', 'budget_total'],
];
const locks = ['models', 'providers', 'regions', 'data_regions', 'quantizations'];
/** A form sends an empty one before what is ticked: the last counts. */
const switched = ['data_collection', 'zdr', 'rescue', 'strict_output'];

/** By field, what the key has now where the form has something else: empty for nothing. Of its end only the form's reader knows. */
export function differencesOf(now: FormValues, sent: FormValues): Readonly<Record<string, string>> {
  const differences = new Map<string, string>();
  for (const name of [...compared, ...switched]) {
    if (sent[name] !== undefined && textOf(sent, name).trim() !== textOf(now, name)) {
      differences.set(name, textOf(now, name));
    }
  }
  const listed = (values: FormValues, name: string) => listOf(values, name).toSorted().join(', ');
  for (const name of ['scopes', ...locks]) {
    if (sent[name] === undefined && sent[`${name}_from`] === undefined) continue;
    const isAny = (values: FormValues) => textOf(values, `${name}_from`) === 'any';
    const isSame = isAny(now) === isAny(sent) && (isAny(now) || listed(now, name) === listed(sent, name));
    if (!isSame) differences.set(name, isAny(now) ? '*' : listed(now, name));
  }
  return Object.fromEntries(differences);
}
