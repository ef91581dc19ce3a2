/** What requests of a key may be served by, as the gateway finds it: its own locks, and what is demanded above it. */
import { type ApiKey, readKeyLocks } from '../../../identity/index.ts';
import type { Terms } from '../../../routing/index.ts';
import type { PortalServices } from '../../services.ts';

export async function keyTerms(
  { storage }: Pick<PortalServices, 'storage'>,
  { id, allowedProviders, allowedRegions }: Pick<ApiKey, 'id' | 'allowedProviders' | 'allowedRegions'>,
): Promise<Terms> {
  return {
    allowedProviders: allowedProviders === null ? null : new Set(allowedProviders),
    allowedRegions: allowedRegions === null ? null : new Set(allowedRegions),
    dataLocks: await readKeyLocks(storage.db, id),
  };
}
