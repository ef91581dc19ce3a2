/** The check that the vendor makes of a signed request, written from the rules of signature version 4 alone. */
import { createHash, createHmac } from 'node:crypto';

export interface SignedRequest {
  readonly method: string;
  /** As it came, still encoded. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

export interface SigningKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  readonly service: string;
}

/** What is wrong with the signature; null when nothing is. */
export function findFault(request: SignedRequest, key: SigningKey): string | null {
  const { headers } = request;
  const authorization = headers.get('authorization') ?? '';
  const [, credential, names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/.exec(
      authorization,
    ) ?? [];
  const time = headers.get('x-amz-date') ?? '';
  const scope = `${time.slice(0, 8)}/${key.region}/${key.service}/aws4_request`;
  if (credential !== `${key.accessKeyId}/${scope}`) return `credential ${credential}`;
  const signed = names.split(';');
  for (const name of ['host', 'x-amz-date']) if (!signed.includes(name)) return `${name} is not signed`;
  if (headers.has('x-amz-security-token') && !signed.includes('x-amz-security-token'))
    return 'token not signed';
  const canonical = [
    request.method,
    request.path.split('/').map(encodeStep).join('/'),
    '',
    ...signed.map((name) => `${name}:${(headers.get(name) ?? '').trim()}`),
    '',
    names,
    sha256(request.body),
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const derived = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${key.secretAccessKey}`);
  return hmac(derived, text).toString('hex') === signature ? null : 'signature does not match';
}

/** Encodes again what is encoded already, as every service but one wants it. */
function encodeStep(step: string): string {
  return [...Buffer.from(step)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9\-_.~]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
