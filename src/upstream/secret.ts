/** The secret of a call as it works now, for kinds of credential that end and are renewed. */
import type { Candidate } from '../routing/index.ts';
import type { UpstreamServices } from './services.ts';

type Services = Pick<UpstreamServices, 'clock' | 'credentials' | 'outgoing'>;

interface SecretHolder {
  readonly candidate: Candidate;
  secret: string | null;
  readonly signal: AbortSignal;
}

/** Renews the secret before it ends. @throws AppError no_provider when that fails. */
export async function freshenSecret(call: SecretHolder, services: Services): Promise<void> {
  call.secret = await freshSecret(call, services);
}

/**
 * The provider did not take the secret, though it seemed to work.
 * @returns whether there is another to try.
 * @throws AppError no_provider when it cannot be renewed.
 */
export async function renewSecret(call: SecretHolder, services: Services): Promise<boolean> {
  const refused = call.secret;
  call.secret = await freshSecret(call, services, refused);
  return call.secret !== refused;
}

function freshSecret(call: SecretHolder, services: Services, refused: string | null = null) {
  const { adapter, deployment, credential } = call.candidate;
  const { oauth } = adapter;
  if (oauth === undefined || credential === null) return call.secret;
  const { provider } = deployment;
  const means = {
    clock: services.clock,
    fetch: (url: string, init: RequestInit) => services.outgoing.fetch(url, init, provider),
  };
  const renewal = {
    expiresAtMs: oauth.expiresAtMs,
    isFinal: oauth.isFinal,
    renew: (stale: string) => oauth.renew(stale, provider.settings, means),
  };
  return unlessAborted(services.credentials.fresh(credential, renewal, refused ?? undefined), call.signal);
}

/** Waits no longer than the call may last; what is waited for goes on by itself. */
export async function unlessAborted<Value>(waited: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([waited, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
