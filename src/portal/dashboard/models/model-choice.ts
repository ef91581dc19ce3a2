/** Which models the list shows, and in which order: by the fields of its address. */
import { capabilities, type Model, modelTypes } from '../../../catalogue/index.ts';
import type { ApiKey } from '../../../identity/index.ts';
import { isAllowed, type Terms } from '../../../routing/index.ts';
import { chooseModels, type ModelChoice, readCapability, readType } from '../../model-list/choose-models.ts';
import type { HealthByName } from './model-health.ts';

/** Dollars for a million tokens of input at most, and tokens of context at least, that the filters offer. */
export const priceSteps = ['0.5', '1', '3', '10'] as const;
export const contextSteps = ['32000', '128000', '200000', '1000000'] as const;

export interface Choice extends ModelChoice {
  readonly provider: string | null;
  readonly price: (typeof priceSteps)[number] | null;
  readonly context: (typeof contextSteps)[number] | null;
  /** Narrows to what this key may ask for. */
  readonly key: ApiKey | null;
}

interface AskedFor {
  readonly q?: string | undefined;
  readonly type?: string | undefined;
  readonly capability?: string | undefined;
  readonly provider?: string | undefined;
  readonly price?: string | undefined;
  readonly context?: string | undefined;
  readonly key?: string | undefined;
  readonly sort?: string | undefined;
}

/** What is none of the choices narrows nothing. */
export function readChoice(
  asked: AskedFor,
  { providers, keys }: { readonly providers: readonly string[]; readonly keys: readonly ApiKey[] },
): Choice {
  return {
    search: asked.q ?? '',
    type: readType(asked.type),
    capability: readCapability(asked.capability),
    provider: providers.find((each) => each === asked.provider) ?? null,
    price: priceSteps.find((each) => each === asked.price) ?? null,
    context: contextSteps.find((each) => each === asked.context) ?? null,
    key: keys.find(({ id }) => String(id) === asked.key) ?? null,
    sort: asked.sort ?? '',
  };
}

export const choiceFields = { types: modelTypes, capabilities } as const;

export function chooseAmong(
  models: readonly Model[],
  choice: Choice,
  { health, terms }: { readonly health: HealthByName; readonly terms: Terms | null },
): readonly Model[] {
  const { provider, price, context, key } = choice;
  const mostNanoUsd = price === null ? null : BigInt(Math.round(Number(price) * 1e9));
  const fitting = models.filter(({ deployments, prices, contextWindow, ...model }) => {
    if (provider !== null && !deployments.some((each) => each.provider.name === provider)) return false;
    if (mostNanoUsd !== null && (prices?.input === undefined || prices.input > mostNanoUsd)) return false;
    if (context !== null && (contextWindow ?? 0) < Number(context)) return false;
    return key === null || terms === null || mayAsk(key, terms, { ...model, deployments });
  });
  return sortByHealth(chooseModels(fitting, choice), choice.sort, health);
}

/** By the locks of the key and of those above it, as the gateway holds them. */
export function mayAsk(
  { allowedModels }: Pick<ApiKey, 'allowedModels'>,
  terms: Terms,
  { publicId, aliases, deployments }: Pick<Model, 'publicId' | 'aliases' | 'deployments'>,
): boolean {
  const names = [publicId, ...aliases];
  if (allowedModels !== null && !names.some((name) => allowedModels.includes(name))) return false;
  return isAllowed({ deployments }, terms);
}

const measures = {
  first: 'firstTokenMs',
  speed: 'tokensPerSecond',
  answered: 'answered',
} as const;

/** What was not measured stands last, either way. */
function sortByHealth(models: readonly Model[], sort: string, health: HealthByName): readonly Model[] {
  const name = sort.replace(/^-/, '');
  if (name !== 'first' && name !== 'speed' && name !== 'answered') return models;
  const sign = sort.startsWith('-') ? -1 : 1;
  const measureOf = ({ publicId }: Model) => health.get(publicId)?.[measures[name]] ?? null;
  return models.toSorted((first, second) => {
    const [one, other] = [measureOf(first), measureOf(second)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * (one - other);
  });
}
