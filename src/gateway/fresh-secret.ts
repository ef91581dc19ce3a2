/** A candidate's secret as it works now. */
import type { Candidate } from '../routing/index.ts';
import type { GatewayServices } from './services.ts';

/**
 * @param refused one that the upstream did not take, though it seemed to work.
 * @throws AppError no_provider when it cannot be renewed.
 */
export async function freshSecret(
  { adapter, deployment, secret }: Candidate,
  { credentials }: GatewayServices,
  refused?: string | null,
): Promise<string | null> {
  const { oauth } = adapter;
  const [credential] = deployment.provider.credentials;
  if (oauth === undefined || credential === undefined) return secret;
  const renewal = {
    expiresAtMs: oauth.expiresAtMs,
    renew: (stale: string) => oauth.renew(stale, deployment.provider.settings),
  };
  return credentials.fresh(credential, renewal, refused ?? undefined);
}
