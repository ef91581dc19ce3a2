/**
 * Credentials that expire: renewed before they do, by one process at a time, since two that renew at once make each
 * other's refresh token void. Who renews is settled by a claim in the credential's row, which lapses by itself when
 * its holder dies.
 */
import { and, eq, isNull, lt, or } from 'drizzle-orm';
import type { Clock } from '../base/clock.ts';
import type { Envelope } from '../base/envelope.ts';
import { AppError, describeThrown } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { inTransaction, type Storage } from '../storage/index.ts';
import { providerCredentials } from '../storage/schema/catalogue.ts';
import type { Credential } from './model.ts';
import { publishWhen } from './writer.ts';

/** How a kind of credential is renewed; providers' adapters have it. */
export interface Renewal {
  /** Null when nobody knows. */
  expiresAtMs(secret: string): number | null;
  renew(secret: string): Promise<string>;
}

export interface CredentialKeeperParts {
  readonly storage: Storage;
  readonly envelope: Envelope;
  readonly clock: Clock;
  readonly log: Log;
}

/** A token that expires within this is renewed first: it must outlive the request's way to the upstream. */
const earlyMs = 60_000;
const claimMs = 30_000;
/** A secret this new that is refused all the same is not refused for its age. */
const trustedMs = 60_000;
const pollMs = 100;
const retryAfterSeconds = 30;

interface Renewed {
  readonly from: string;
  readonly secret: string;
  readonly atMs: number;
}

export class CredentialKeeper {
  readonly #parts: CredentialKeeperParts;
  /** What was renewed since the catalogue was last read, and from what. */
  readonly #renewed = new Map<number, Renewed>();
  readonly #renewing = new Map<number, Promise<string>>();

  constructor(parts: CredentialKeeperParts) {
    this.#parts = parts;
  }

  /**
   * A secret that works now.
   * @param refused the one that the upstream just refused, though it seemed to work.
   * @throws AppError no_provider when it cannot be renewed.
   */
  async fresh(credential: Credential, renewal: Renewal, refused?: string): Promise<string> {
    const renewed = this.#renewed.get(credential.id);
    const known = renewed?.from === credential.secret ? renewed.secret : credential.secret;
    const isNew = renewed !== undefined && renewed.secret === known && this.#isTrusted(renewed);
    if ((known !== refused || isNew) && this.#works(known, renewal)) return known;
    const under = this.#renewing.get(credential.id);
    if (under !== undefined) return under;
    const renewing = this.#renew(credential, known, renewal).finally(() =>
      this.#renewing.delete(credential.id),
    );
    this.#renewing.set(credential.id, renewing);
    return renewing;
  }

  #isTrusted({ atMs }: Renewed): boolean {
    return this.#parts.clock.monotonicMs() - atMs < trustedMs;
  }

  #works(secret: string, renewal: Renewal): boolean {
    const expiresAtMs = renewal.expiresAtMs(secret);
    return expiresAtMs === null || expiresAtMs - earlyMs > this.#parts.clock.nowMs();
  }

  async #renew(credential: Credential, stale: string, renewal: Renewal): Promise<string> {
    const { clock, log } = this.#parts;
    const giveUpAtMs = clock.monotonicMs() + claimMs;
    try {
      while (clock.monotonicMs() < giveUpAtMs) {
        const stored = await this.#read(credential.id);
        const isRenewed = stored !== stale && this.#works(stored, renewal);
        const secret = isRenewed ? stored : await this.#renewAlone(credential.id, stale, renewal);
        if (secret !== null) {
          this.#renewed.set(credential.id, {
            from: credential.secret,
            secret,
            atMs: clock.monotonicMs(),
          });
          return secret;
        }
        await Bun.sleep(pollMs);
      }
      throw new Error('another process has been renewing it for too long');
    } catch (cause) {
      log.error('a credential could not be renewed; it is kept and will be tried again', {
        detail: `${credential.name}: ${describeThrown(cause)}`,
      });
      throw new AppError({
        code: 'no_provider',
        public: 'The provider of this model cannot be signed in to at the moment. Try again later.',
        retryAfterSeconds,
        cause,
      });
    }
  }

  async #read(id: number): Promise<string> {
    const [row] = await this.#parts.storage.db
      .select({ sealedSecret: providerCredentials.sealedSecret })
      .from(providerCredentials)
      .where(eq(providerCredentials.id, id));
    if (row === undefined) throw new Error('the credential is gone');
    return this.#parts.envelope.open(row.sealedSecret);
  }

  /** @returns null while another process is at it. */
  async #renewAlone(id: number, stale: string, renewal: Renewal): Promise<string | null> {
    const sealed = await this.#claim(id);
    if (sealed === null) return null;
    try {
      const stored = await this.#parts.envelope.open(sealed);
      // Another process can have been done with it between our look and our claim.
      const isRenewed = stored !== stale && this.#works(stored, renewal);
      const secret = isRenewed ? stored : await renewal.renew(stored);
      await this.#write(id, secret);
      return secret;
    } catch (cause) {
      await this.#release(id);
      throw cause;
    }
  }

  /** @returns the sealed secret as of the claim; null when another process holds it. */
  async #claim(id: number): Promise<string | null> {
    const now = this.#parts.clock.nowMs();
    const isFree = or(
      isNull(providerCredentials.renewingUntil),
      lt(providerCredentials.renewingUntil, new Date(now)),
    );
    const [row] = await this.#parts.storage.db
      .update(providerCredentials)
      .set({ renewingUntil: new Date(now + claimMs) })
      .where(and(eq(providerCredentials.id, id), isFree))
      .returning({ sealedSecret: providerCredentials.sealedSecret });
    return row?.sealedSecret ?? null;
  }

  async #write(id: number, secret: string): Promise<void> {
    const { storage, envelope } = this.#parts;
    const sealedSecret = await envelope.seal(secret);
    await inTransaction(storage, async (executor) => {
      await executor
        .update(providerCredentials)
        .set({ sealedSecret, renewingUntil: null })
        .where(eq(providerCredentials.id, id));
      await publishWhen(true, { executor, changes: storage.changes, envelope }, 'credential');
    });
  }

  async #release(id: number): Promise<void> {
    await this.#parts.storage.db
      .update(providerCredentials)
      .set({ renewingUntil: null })
      .where(eq(providerCredentials.id, id))
      // The claim lapses by itself.
      .catch(() => undefined);
  }
}
