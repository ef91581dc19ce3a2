/** What the account API works with; main composes it. */
import type { BlockList } from 'node:net';
import type { ByteBudget } from '../base/byte-budget.ts';
import type { Deadlines } from '../base/deadlines.ts';
import type { Log } from '../base/log.ts';
import type { CallerDirectory, WorkParts } from '../identity/index.ts';
import type { Limiter } from '../limits/index.ts';

/** An e-mail domain whose people sign in by an identity provider alone. */
interface DomainOwner {
  readonly name: string;
  readonly label: string;
  readonly enforcedDomains: readonly string[];
}

export interface AccountApiServices extends WorkParts {
  readonly callers: Pick<CallerDirectory, 'find'>;
  readonly limiter: Pick<Limiter, 'admit'>;
  /** What bodies of requests may hold, in the whole process. */
  readonly bodies: ByteBudget;
  readonly deadlines: Deadlines;
  readonly log: Log;
  readonly identityProviders: readonly DomainOwner[];
  /** Which version of the terms people have to have accepted. */
  readonly legal: { readonly version: string };
  /** Where people reach this service, when that is not where this process listens. */
  readonly publicUrl: string | null;
  /** The proxies in front that are believed about whom they speak for. */
  readonly trustedProxies: BlockList;
}
