/** What the pages work with; main composes it. */
import type { Log } from '../base/log.ts';
import type { Catalogue } from '../catalogue/index.ts';
import type { IdentityContext } from '../identity/index.ts';
import type { Wallets } from '../ledger/index.ts';

export interface PortalServices {
  /** Outside a transaction. Its executor is also where the pages' other reads run, its clock what they go by. */
  readonly identity: IdentityContext;
  readonly wallets: Pick<Wallets, 'available'>;
  readonly catalogue: Pick<Catalogue, 'current'>;
  readonly log: Log;
  /** Where people reach this service, when that is not where this process listens: a proxy that ends TLS. */
  readonly publicUrl: string | null;
}
