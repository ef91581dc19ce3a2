/** The headers that prove who asks: a Bedrock API key as a bearer token, or a signature (AWS SigV4) with an access key. */
import { AwsV4Signer } from 'aws4fetch';
import { AppError } from '../../base/errors.ts';
import type { ProviderTarget } from '../provider.ts';
import { regionOf } from './region.ts';

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
