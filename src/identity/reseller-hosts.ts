/** Portals under other names: kept as the configuration file declares them, and in memory, since every page asks. */
import { eq } from 'drizzle-orm';
import type { Clock, Timer } from '../base/clock.ts';
import type { ChangeFeed } from '../storage/change-feed.ts';
import type { Database } from '../storage/database.ts';
import { resellerHosts } from '../storage/schema/identity.ts';
import type { Work } from '../storage/work.ts';

export interface ResellerHost {
  /** Lower case, with the port where it is not the usual one. */
  readonly host: string;
  readonly name: string;
  /** `#rrggbb`; null keeps the house's. */
  readonly accent: string | null;
  /** The text of an SVG; null keeps the house's mark. */
  readonly logo: string | null;
  /** Where people belong who make an account there. */
  readonly organisationId: number;
}

/** The topic of the change feed; all of them are read again. */
const resellerHostTopic = 'reseller host';

/**
 * Makes those that the configuration file declares as it says, and removes those that it declared before and no more.
 * @returns whether anything changed; nothing is announced otherwise.
 */
export async function replaceManagedHosts(
  { executor, announce }: Work,
  declared: readonly ResellerHost[],
): Promise<boolean> {
  const before = new Map((await executor.select().from(resellerHosts)).map((row) => [row.host, row]));
  let changed = false;
  for (const { host, name, accent, logo, organisationId } of declared) {
    const values = { name, accent, logo, organisationId, managedBy: 'file' };
    const { createdAt, ...known } = before.get(host) ?? { createdAt: null };
    if (createdAt !== null && Bun.deepEquals(known, { host, ...values })) continue;
    changed = true;
    await executor
      .insert(resellerHosts)
      .values({ host, ...values })
      .onConflictDoUpdate({ target: resellerHosts.host, set: values });
  }
  const names = new Set(declared.map(({ host }) => host));
  for (const { host, managedBy } of before.values()) {
    if (managedBy !== 'file' || names.has(host)) continue;
    changed = true;
    await executor.delete(resellerHosts).where(eq(resellerHosts.host, host));
  }
  if (changed) announce(resellerHostTopic, 'all');
  return changed;
}

interface ResellerHostParts {
  readonly db: Database;
  readonly changes: ChangeFeed;
  readonly clock: Pick<Clock, 'after'>;
  /** They could not be read again: those of before stay in force until they are. */
  readonly onReloadFailed: (error: unknown) => void;
}

const retryMs = 5000;

/** The hosts as they were read last, and anew whenever a process changes one. */
export class ResellerHosts {
  readonly #parts: ResellerHostParts;
  readonly #unsubscribe: () => void;
  #byHost: ReadonlyMap<string, ResellerHost> = new Map();
  /** Each reading waits for the one before it, so that the newest is in force. */
  #reading: Promise<void> = Promise.resolve();
  #retry: Timer | undefined;
  #isClosed = false;

  private constructor(parts: ResellerHostParts) {
    this.#parts = parts;
    this.#unsubscribe = parts.changes.subscribe(resellerHostTopic, () => this.#follow());
  }

  /** @throws what the database throws. */
  static async open(parts: ResellerHostParts): Promise<ResellerHosts> {
    const hosts = new ResellerHosts(parts);
    await hosts.reload();
    return hosts;
  }

  /** @param host as a request names it; undefined for the house's own and for hosts that nobody knows. */
  find(host: string | undefined): ResellerHost | undefined {
    return host === undefined ? undefined : this.#byHost.get(host.toLowerCase());
  }

  reload(): Promise<void> {
    this.#reading = this.#reading.catch(() => undefined).then(() => this.#read());
    return this.#reading;
  }

  /** Stops following changes and waits for a reading under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#retry?.cancel();
    await this.#reading.catch(() => undefined);
  }

  /** What failed is tried again by itself: nobody says a second time what changed meanwhile. */
  #follow(): void {
    this.reload().catch((error) => {
      this.#parts.onReloadFailed(error);
      this.#retry?.cancel();
      if (!this.#isClosed) this.#retry = this.#parts.clock.after(retryMs, () => this.#follow());
    });
  }

  async #read(): Promise<void> {
    const rows = await this.#parts.db
      .select({
        host: resellerHosts.host,
        name: resellerHosts.name,
        accent: resellerHosts.accent,
        logo: resellerHosts.logo,
        organisationId: resellerHosts.organisationId,
      })
      .from(resellerHosts);
    this.#byHost = new Map(rows.map((row) => [row.host, row]));
  }
}
