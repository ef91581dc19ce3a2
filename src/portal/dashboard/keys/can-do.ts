/** What a key can do, said in sentences: of a form that is filled in, and of a key that there is. */
import { readDataLock } from '../../../base/data-policy.ts';
import type { ApiKey } from '../../../identity/index.ts';
import type { KeysWords } from '../../languages/keys/en.ts';
import type { Figures } from '../../ui/figures.ts';
import type { KeyAskedFor } from './key-fields.ts';
import type { KnownBudget } from './key-values.ts';

/** What a reader needs to know of a key. */
export type KeyPowers = Pick<
  ApiKey,
  | 'scopes'
  | 'allowedModels'
  | 'allowedProviders'
  | 'allowedRegions'
  | 'requestsPerMinute'
  | 'tokensPerMinute'
  | 'concurrentRequests'
  | 'strictOutput'
  | 'dataPolicy'
  | 'rescue'
  | 'expiresAt'
>;

/** So many names are said; more are counted. */
const mostNames = 3;

interface Saying {
  readonly words: KeysWords;
  readonly figures: Figures;
}

export function sayWhatKeyCanDo(
  powers: KeyPowers,
  budgets: readonly KnownBudget[],
  { words, figures }: Saying,
): readonly string[] {
  const { canDo, periods } = words;
  if (powers.scopes.length === 0) return [canDo.empty];
  const has = (scope: string) => powers.scopes.includes(scope);
  const spends = has('inference') || has('webchat');
  const limits = [
    ...(powers.requestsPerMinute === null
      ? []
      : [canDo.requestsPerMinute(figures.count(powers.requestsPerMinute))]),
    ...(powers.tokensPerMinute === null
      ? []
      : [canDo.tokensPerMinute(figures.count(powers.tokensPerMinute))]),
    ...(powers.concurrentRequests === null
      ? []
      : [canDo.concurrentRequests(figures.count(powers.concurrentRequests))]),
  ];
  const amounts = budgets.map(
    ({ period, limitNanoUsd }) => `${figures.price(limitNanoUsd)} ${periods[period]}`,
  );
  return [
    ...(spends
      ? [
          amounts.length === 0 ? canDo.spendWallet : canDo.spend(amounts.join(', ')),
          sayModels(powers.allowedModels, words),
          ...sayLock(powers.allowedProviders, canDo.providers, canDo.noProvider),
          ...sayLock(powers.allowedRegions, canDo.regions, canDo.noRegion),
          ...sayDataPolicy(powers.dataPolicy, words),
          limits.length === 0 ? canDo.noLimits : canDo.limits(limits.join(', ')),
        ]
      : []),
    ...(has('inference') ? [] : [canDo.noInference]),
    ...(has('webchat') ? [canDo.webchat] : []),
    ...(has('read') ? [canDo.read] : []),
    ...(has('account') ? [canDo.account] : []),
    powers.expiresAt === null ? canDo.forever : canDo.until(figures.moment(powers.expiresAt)),
    ...(spends && powers.strictOutput ? [canDo.strict] : []),
    ...(spends && powers.rescue !== null ? [powers.rescue ? canDo.rescued : canDo.notRescued] : []),
    ...(spends && amounts.length > 0 ? [canDo.atBudget] : []),
  ];
}

function sayModels(models: readonly string[] | null, { canDo }: KeysWords): string {
  if (models === null) return canDo.anyModel;
  if (models.length === 0) return canDo.noModel;
  return models.length > mostNames ? canDo.manyModels(models.length) : canDo.models(models.join(', '));
}

function sayLock(
  names: readonly string[] | null,
  say: (names: string) => string,
  sayNone: string,
): readonly string[] {
  if (names === null) return [];
  return [names.length === 0 ? sayNone : say(names.join(', '))];
}

/** What the key itself demands; what is demanded above it holds too. */
function sayDataPolicy(stored: KeyPowers['dataPolicy'], { canDo }: KeysWords): readonly string[] {
  const { data_collection, zdr, regions = null, quantizations = null } = readDataLock(stored) ?? {};
  return [
    ...(zdr === true ? [canDo.nothingKept] : data_collection === 'deny' ? [canDo.noTraining] : []),
    ...sayLock(regions, canDo.dataRegions, canDo.noDataRegion),
    ...sayLock(quantizations, canDo.quantizations, canDo.noQuantization),
  ];
}

/** Of what was asked for; where something is not said, of what a new key has. */
export function powersOf({ fields }: KeyAskedFor): KeyPowers {
  return {
    scopes: fields.scopes ?? ['inference', 'read'],
    allowedModels: fields.allowedModels ?? null,
    allowedProviders: fields.allowedProviders ?? null,
    allowedRegions: fields.allowedRegions ?? null,
    requestsPerMinute: fields.requestsPerMinute ?? null,
    tokensPerMinute: fields.tokensPerMinute ?? null,
    concurrentRequests: fields.concurrentRequests ?? null,
    strictOutput: fields.strictOutput ?? false,
    dataPolicy: fields.dataPolicy ?? null,
    rescue: fields.rescue ?? null,
    expiresAt: fields.expiresAt ?? null,
  };
}

export const budgetsOf = ({ budgets }: KeyAskedFor): readonly KnownBudget[] =>
  (['daily', 'weekly', 'monthly', 'total'] as const).flatMap((period) => {
    const limitNanoUsd = budgets[period];
    return limitNanoUsd == null ? [] : [{ period, limitNanoUsd }];
  });
