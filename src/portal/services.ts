/** What the pages work with; main composes it. */
import type { Log } from '../base/log.ts';
import type { Catalogue } from '../catalogue/index.ts';
import type { WorkParts } from '../identity/index.ts';
import type { Wallets } from '../ledger/index.ts';
import type { MailQueue } from '../notifications/index.ts';

export interface PortalServices extends WorkParts {
  readonly wallets: Pick<Wallets, 'available'>;
  readonly catalogue: Pick<Catalogue, 'current'>;
  readonly mail: MailQueue;
  readonly log: Log;
  /** Where people reach this service, when that is not where this process listens: a proxy that ends TLS. */
  readonly publicUrl: string | null;
  /** Serves the pages under `/dev`, which show what only its developers need. */
  readonly isDevelopment: boolean;
}
