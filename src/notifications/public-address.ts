/** Which addresses webhooks may lead to: those that anybody on the Internet can reach, and no service of the operator's own network. */
import { isIP } from 'node:net';
import { addressKind, bareHost, type ResolvedAddress, type ResolveName } from '../base/addresses.ts';
import { AppError } from '../base/errors.ts';

export interface AddressRules {
  /** True where the operator lets webhooks lead into this network, and go without TLS. */
  readonly isPrivateAllowed: boolean;
}

const longestAddress = 2000;

/** @throws AppError `validation_failed` with the reason. */
export function readWebhookUrl(text: string, { isPrivateAllowed }: AddressRules): URL {
  const url = URL.parse(text.trim());
  if (url === null || text.length > longestAddress || !['https:', 'http:'].includes(url.protocol)) {
    throw wrongUrl('wrong', 'must be an address such as https://example.com/webhooks');
  }
  if (url.protocol === 'http:' && !isPrivateAllowed) throw wrongUrl('no_tls', 'must begin with https://');
  if (url.username !== '' || url.password !== '') {
    throw wrongUrl('credentials', 'must have no user name and no password');
  }
  url.hash = '';
  return url;
}

/**
 * The address to connect to. Who is asked for it may never answer, so `signal` ends the waiting.
 * @throws AppError `validation_failed` where there is none that may be.
 */
export async function resolveWebhookHost(
  { hostname }: URL,
  { isPrivateAllowed, resolve }: AddressRules & { readonly resolve: ResolveName },
  signal: AbortSignal,
): Promise<ResolvedAddress> {
  const bare = bareHost(hostname);
  const asked = isIP(bare) === 0 ? resolve(bare).catch(() => []) : [literal(bare)];
  const found = await untilAborted(asked, signal);
  if (found.length === 0) throw unknownHost();
  const usable = found.find(({ address }) => mayLeadTo(address, isPrivateAllowed));
  if (usable === undefined) {
    throw wrongUrl(
      'private',
      isPrivateAllowed ? 'leads to what is never asked' : 'must lead to a public address',
    );
  }
  return usable;
}

function mayLeadTo(address: string, isPrivateAllowed: boolean): boolean {
  const kind = addressKind(address);
  return kind === 'public' || (kind === 'private' && isPrivateAllowed);
}

async function untilAborted<Result>(answer: Result | Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

const literal = (address: string): ResolvedAddress => ({ address, family: isIP(address) === 6 ? 6 : 4 });

export const unknownHost = (): AppError => wrongUrl('unknown_host', 'must name a host that can be found');

function wrongUrl(type: string, msg: string): AppError {
  return new AppError({
    code: 'validation_failed',
    public: `The address of a webhook ${msg}.`,
    fields: [{ loc: ['url'], msg, type }],
  });
}
