/** Which region of the vendor's a row means, and where that region lives. */
import { AppError } from '../../base/errors.ts';
import type { ProviderTarget } from '../provider.ts';

/** For people to read, and with its region filled in to be asked. */
export const defaultBaseUrl = 'https://bedrock-runtime.{region}.amazonaws.com';

/** Partitions with a domain of their own, by how their regions begin. */
const domains: readonly (readonly [string, string])[] = [
  ['cn-', 'amazonaws.com.cn'],
  ['eusc-', 'amazonaws.eu'],
];

const shape = /^[a-z]{2,5}(?:-[a-z]+)+-\d{1,2}$/;

export const isRegion = (value: unknown): value is string => typeof value === 'string' && shape.test(value);

/**
 * The setting goes before the row's region, which may be a word of the house's own, such as `eu`. None is guessed:
 * requests would leave for a place that nobody chose.
 * @throws AppError no_provider when neither is a region.
 */
export function regionOf({ name, region, settings }: ProviderTarget): string {
  const chosen = settings['region'] ?? region;
  if (isRegion(chosen)) return chosen;
  throw new AppError({
    code: 'no_provider',
    public: 'The provider of this model is not set up: it has no region. Ask your administrator.',
    internal: `provider ${name}: set its region, or the setting "region", to one of AWS, such as eu-central-1`,
  });
}

/** An address of one's own needs no region, unless an access key signs for it. A wrong setting is told elsewhere. */
export function checkPlace({ baseUrl, region, secret, settings }: Omit<ProviderTarget, 'name'>): void {
  if (isRegion(region) || settings['region'] !== undefined) return;
  if (baseUrl !== null && secret?.includes(':') !== true) return;
  throw new Error(
    `region: ${region === null ? 'is missing: ' : ''}expected a region of AWS, such as eu-central-1, here or in settings.region`,
  );
}

/** Without a slash at its end. @throws AppError no_provider when the region is needed and missing. */
export function baseUrlIn(target: ProviderTarget): string {
  if (target.baseUrl !== null) return target.baseUrl.replace(/\/+$/, '');
  const region = regionOf(target);
  const domain = domains.find(([start]) => region.startsWith(start))?.[1] ?? 'amazonaws.com';
  return defaultBaseUrl.replace('{region}', region).replace('amazonaws.com', domain);
}
