/** What a caller is told whose request nobody may serve: which lock or wish left nothing, whose it is, and what it allows. */
import { lockLevels } from '../base/data-policy.ts';
import { AppError, type ErrorCode } from '../base/errors.ts';
import type { Model } from '../catalogue/index.ts';
import { allowedBy, listOf } from './data-policy.ts';
import { type Filtered, filters, type Terms } from './terms.ts';

/** @param filtered what left out each of the model's deployments. */
export function refusalFor(model: Model, terms: Terms, filtered: readonly Filtered[]): AppError {
  // Who came furthest says what would have to change.
  const furthest = filtered.toSorted((one, other) => distanceOf(other) - distanceOf(one))[0];
  const { publicId } = model;
  switch (furthest?.by) {
    case 'key_providers': {
      const allowed = listOf(terms.allowedProviders ?? []);
      const sentence = `This key is locked to certain providers, and none of them serves ${publicId}.`;
      return refused('provider_not_allowed', sentence, { level: 'key', lock: 'allowed_providers', allowed });
    }
    case 'key_regions': {
      const allowed = listOf(terms.allowedRegions ?? []);
      const sentence = `This key is locked to certain regions, and ${publicId} is not served in any of them.`;
      return refused('region_not_allowed', sentence, { level: 'key', lock: 'allowed_regions', allowed });
    }
    case 'data_policy':
      return policyRefusal(publicId, furthest);
    case 'request_only':
    case 'request_ignore':
    case 'request_max_price':
    case 'request_parameters':
      return wishRefusal(publicId, furthest.by, terms);
    default:
      return new AppError({
        code: 'no_provider',
        public:
          furthest?.by === 'not_able'
            ? `No provider of ${publicId} can do this. Try another model, or ask your administrator.`
            : `No provider can serve ${publicId} at the moment. Try another model, or ask your administrator.`,
        param: 'model',
        retryAfterSeconds: 30,
      });
  }
}

/** Demands are looked at from the widest on. */
function distanceOf({ by, level = 'organisation' }: Filtered): number {
  return filters.indexOf(by) + lockLevels.indexOf(level) / lockLevels.length;
}

const owners = { organisation: 'your organisation', department: 'your department', key: 'this key' } as const;

function policyRefusal(publicId: string, { level, lock, demand }: Filtered): AppError {
  if (level === undefined || lock === undefined || demand === undefined) {
    throw new Error('a deployment was left out by the policy of nobody');
  }
  const allowed = allowedBy(demand, lock);
  if (level === 'request') {
    const sentence = `No provider of ${publicId} is known to keep provider.${lock} of this request. It allows ${allowed}. What nobody has said of a provider counts as not kept.`;
    return refused('preferences_unmet', sentence, { level, lock, allowed }, `provider.${lock}`);
  }
  const sentence = `The data policy of ${owners[level]} (${lock}) leaves no provider of ${publicId}. It allows ${allowed}.`;
  return refused('data_policy_not_allowed', sentence, { level, lock, allowed });
}

type WishFilter = 'request_only' | 'request_ignore' | 'request_max_price' | 'request_parameters';

function wishRefusal(publicId: string, by: WishFilter, { wish }: Terms): AppError {
  const [lock, allowed, sentence] = {
    request_only: [
      'only',
      listOf(wish?.only ?? []),
      `None of the providers in provider.only can serve ${publicId} to this key.`,
    ],
    request_ignore: [
      'ignore',
      `any but: ${listOf(wish?.ignore ?? [])}`,
      `provider.ignore leaves no provider of ${publicId}.`,
    ],
    request_max_price: [
      'max_price',
      'prices up to provider.max_price',
      `No provider of ${publicId} costs as little as provider.max_price allows.`,
    ],
    request_parameters: [
      'require_parameters',
      'providers that take all members of the request',
      `No provider of ${publicId} takes all members of this request as they are, as provider.require_parameters asks.`,
    ],
  }[by] as [string, string, string];
  return refused('preferences_unmet', sentence, { level: 'request', lock, allowed }, `provider.${lock}`);
}

function refused(
  code: ErrorCode,
  sentence: string,
  members: { readonly level: string; readonly lock: string; readonly allowed: string },
  param = 'model',
): AppError {
  return new AppError({ code, public: sentence, param, members });
}
