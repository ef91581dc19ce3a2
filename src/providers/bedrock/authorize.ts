/**
 * Where a request to Bedrock goes and what proves who asks: the region, and a Bedrock API key as a bearer token or a
 * signature (AWS SigV4) with an access key.
 */
import { AwsV4Signer } from 'aws4fetch';
import { AppError } from '../../base/errors.ts';
import type { ProviderTarget } from '../provider.ts';

export interface Signing {
  readonly target: ProviderTarget;
  readonly url: string;
  readonly body: string;
}

interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** `ACCESS_KEY_ID:SECRET_ACCESS_KEY`, with `:SESSION_TOKEN` behind it for a key that is lent. An API key has no colon. */
const accessKey = /^([A-Z0-9]{16,128}):([^:\s]+)(?::([^:\s]+))?$/;

/** Keys that were derived for a day, a region and a service; a handful is enough for all the rows there are. */
const derivedKeys = new Map<string, ArrayBuffer>();
const maxDerivedKeys = 64;

/** @throws AppError no_provider for a credential of neither form, and for a signature without a region. */
export function authorize(signing: Signing): Record<string, string> | Promise<Record<string, string>> {
  const secret = signing.target.secret?.trim() ?? '';
  if (!secret.includes(':')) return { authorization: `Bearer ${secret}` };
  const key = readAccessKey(secret);
  if (key === null) throw unreadableCredential(signing.target.name);
  return sign(key, signing);
}

const unreadableCredential = (provider: string): AppError =>
  new AppError({
    code: 'no_provider',
    public:
      'The provider of this model is not set up: its credential cannot be read. Ask your administrator.',
    internal: `provider ${provider}: the credential is an API key, or ACCESS_KEY_ID:SECRET_ACCESS_KEY[:SESSION_TOKEN]`,
  });

/** What an access key's id looks like on its own: its secret was forgotten. */
const lonelyId = /^A[KS]IA[A-Z0-9]{16}$/;

/** @throws Error with a sentence for the operator. */
export function checkCredential(secret: string): void {
  const text = secret.trim();
  const isReadable = text.includes(':') ? readAccessKey(text) !== null : !lonelyId.test(text);
  if (isReadable) return;
  throw new Error('expected a Bedrock API key, or ACCESS_KEY_ID:SECRET_ACCESS_KEY[:SESSION_TOKEN]');
}

function readAccessKey(secret: string): AccessKey | null {
  const [, accessKeyId, secretAccessKey, sessionToken] = accessKey.exec(secret) ?? [];
  if (accessKeyId === undefined || secretAccessKey === undefined) return null;
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

async function sign(key: AccessKey, { target, url, body }: Signing): Promise<Record<string, string>> {
  if (derivedKeys.size >= maxDerivedKeys) derivedKeys.clear();
  const signer = new AwsV4Signer({
    ...key,
    url,
    method: 'POST',
    body,
    service: 'bedrock',
    region: regionOf(target),
    cache: derivedKeys,
  });
  const { headers } = await signer.sign();
  return Object.fromEntries(headers);
}

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
function regionOf({ name, region, settings }: ProviderTarget): string {
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
