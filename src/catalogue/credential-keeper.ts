/**
 * Credentials that expire: renewed before they do, by one process at a time, since two that renew at once make each
 * other's refresh token void. Who renews is settled by a claim in the credential's row, which lapses by itself when
 * its holder dies.
 */
import type { Envelope } from '../base/envelope.ts';
import { AppError, describeThrown } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { WorkParts } from '../storage/work.ts';
import { type Claim, CredentialClaims } from './credential-claims.ts';
import type { Credential } from './model.ts';
import { UnstoredSecrets } from './unstored-secrets.ts';

/** How a kind of credential is renewed; providers' adapters have it. */
export interface Renewal {
  /** Null when nobody knows. */
  expiresAtMs(secret: string): number | null;
  renew(secret: string): Promise<string>;
  /** Whether the service will never renew it, whoever asks and when. */
  isFinal?(cause: unknown): boolean;
}

/** A credential was renewed, or could not be. */
export interface RenewalEvent {
  readonly credential: Credential;
  /** Null for one that was renewed. */
  readonly failure: { readonly isFinal: boolean; readonly waitMs: number } | null;
}

export interface CredentialKeeperParts extends WorkParts {
  readonly envelope: Envelope;
  readonly log: Log;
  readonly onRenewal?: (event: RenewalEvent) => void;
}

/** A credential has ended and could not be renewed. Until `waitMs` have passed nobody tries again. */
export class RenewalFailedError extends AppError {
  readonly waitMs: number;

  constructor(waitMs: number, cause?: unknown) {
    super({
      code: 'no_provider',
      public: 'The provider of this model cannot be signed in to at the moment. Try again later.',
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
      cause,
    });
    this.waitMs = waitMs;
  }
}

/** A token that expires within this is renewed first: it must outlive the request's way to the upstream. */
const earlyMs = 60_000;
/** One that ends within this is renewed beside the requests, which go on with it meanwhile. */
const aheadMs = 300_000;
/** So often at most: a service may give tokens that are shorter-lived, or be away. */
const aheadEveryMs = 120_000;
/** Longer than a renewal takes. */
const waitMs = 45_000;
/** What is refused again this soon after it was renewed is not refused for its age. */
const refusalMs = 60_000;
const pollMs = 100;
/** As long as a stop tries to write what was used. */
const closingMs = 5000;
const writeAttempts = 4;
const writeRetryMs = 250;
/**
 * After a failure nobody tries for so long, and twice as long after each further one. One that the service refused for
 * good is tried seldom: people must sign in anew, and a service can be wrong about it.
 */
const passing = { firstMs: 1000, longestMs: 60_000 };
const final = { firstMs: 60_000, longestMs: 900_000 };

interface Renewed {
  readonly from: string;
  readonly secret: string;
}

interface Failed {
  readonly secret: string;
  readonly untilMs: number;
  readonly failures: number;
}

export class CredentialKeeper {
  readonly #parts: CredentialKeeperParts;
  readonly #claims: CredentialClaims;
  /** What was renewed since the catalogue was last read, and from what. */
  readonly #renewed = new Map<number, Renewed>();
  /** When each was last renewed because an upstream refused it. */
  readonly #refusedAtMs = new Map<number, number>();
  readonly #renewing = new Map<number, Promise<string>>();
  /** Those that could not be renewed, with the secret that they had. */
  readonly #failed = new Map<number, Failed>();
  /** When each was last renewed before anybody had to wait for it. */
  readonly #aheadAtMs = new Map<number, number>();
  readonly #unstored: UnstoredSecrets;

  constructor(parts: CredentialKeeperParts) {
    this.#parts = parts;
    this.#claims = new CredentialClaims(parts);
    this.#unstored = new UnstoredSecrets(this.#claims, parts.clock);
  }

  /**
   * A secret that works now.
   * @param refused the one that the upstream just refused, though it seemed to work.
   * @throws RenewalFailedError no_provider when it cannot be renewed, at once for a while after that failed.
   */
  async fresh(credential: Credential, renewal: Renewal, refused?: string): Promise<string> {
    const renewed = this.#renewed.get(credential.id);
    const known = renewed?.from === credential.secret ? renewed.secret : credential.secret;
    const works = this.#works(known, renewal);
    if (works && known !== refused) {
      this.#renewAhead(credential, known, renewal);
      return known;
    }
    const under = this.#renewing.get(credential.id);
    if (under !== undefined) return under;
    if (works && this.#wasRefusedLately(credential.id)) return known;
    const failed = this.#failed.get(credential.id);
    const waitMs = failed?.secret === known ? failed.untilMs - this.#parts.clock.monotonicMs() : 0;
    if (waitMs > 0) throw new RenewalFailedError(waitMs);
    if (known === refused) this.#refusedAtMs.set(credential.id, this.#parts.clock.monotonicMs());
    return this.#begin(credential, known, renewal);
  }

  #begin(credential: Credential, known: string, renewal: Renewal): Promise<string> {
    const renewing = this.#renew(credential, known, renewal).finally(() =>
      this.#renewing.delete(credential.id),
    );
    this.#renewing.set(credential.id, renewing);
    return renewing;
  }

  #noteFailed(credential: Credential, secret: string, isFinal: boolean): number {
    const { id } = credential;
    // It was not renewed for being refused: the next one who is refused tries again, as soon as anybody may.
    this.#refusedAtMs.delete(id);
    const before = this.#failed.get(id);
    const failures = before?.secret === secret ? before.failures + 1 : 1;
    const { firstMs, longestMs } = isFinal ? final : passing;
    const waitMs = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 20));
    this.#failed.set(id, { secret, untilMs: this.#parts.clock.monotonicMs() + waitMs, failures });
    this.#parts.onRenewal?.({ credential, failure: { isFinal, waitMs } });
    return waitMs;
  }

  /** Nobody waits for it, and one that fails is tried again while the secret still works. */
  #renewAhead(credential: Credential, known: string, renewal: Renewal): void {
    const { clock } = this.#parts;
    const expiresAtMs = renewal.expiresAtMs(known);
    if (expiresAtMs === null || expiresAtMs - aheadMs > clock.nowMs()) return;
    const { id } = credential;
    const nowMs = clock.monotonicMs();
    const isTooSoon = nowMs - (this.#aheadAtMs.get(id) ?? Number.NEGATIVE_INFINITY) < aheadEveryMs;
    if (isTooSoon || this.#renewing.has(id)) return;
    this.#aheadAtMs.set(id, nowMs);
    // Its failure is in the log.
    this.#begin(credential, known, renewal).catch(() => undefined);
  }

  /**
   * Waits for renewals under way, since a token that was exchanged and not stored is lost; but no longer than a vendor
   * may take, which would hold up the stop.
   */
  async close(limitMs = closingMs): Promise<void> {
    const enough = new AbortController();
    this.#unstored.close();
    const renewed = Promise.allSettled(this.#renewing.values())
      .then(() => this.#unstored.store())
      .then(() => enough.abort());
    await Promise.race([renewed, this.#parts.clock.sleep(limitMs, enough.signal)]);
    const unfinished = this.#renewing.size;
    if (unfinished > 0) {
      this.#parts.log.error('credentials were still being renewed at the stop', { count: unfinished });
    }
  }

  /** Renewing did not help then, and would use up refresh tokens now. */
  #wasRefusedLately(id: number): boolean {
    const atMs = this.#refusedAtMs.get(id);
    return atMs !== undefined && this.#parts.clock.monotonicMs() - atMs < refusalMs;
  }

  #works(secret: string, renewal: Renewal): boolean {
    const expiresAtMs = renewal.expiresAtMs(secret);
    return expiresAtMs === null || expiresAtMs - earlyMs > this.#parts.clock.nowMs();
  }

  async #renew(credential: Credential, stale: string, renewal: Renewal): Promise<string> {
    const { clock, log } = this.#parts;
    const giveUpAtMs = clock.monotonicMs() + waitMs;
    try {
      while (clock.monotonicMs() < giveUpAtMs) {
        const stored = await this.#claims.read(credential.id);
        const isVoid = this.#unstored.of({ ...stored, id: credential.id }) !== undefined;
        if (!isVoid && stored.secret !== stale && this.#works(stored.secret, renewal)) {
          return this.#keep(credential, stored.secret);
        }
        const claim = await this.#claims.take(credential.id);
        if (claim === null) await clock.sleep(pollMs);
        else return await this.#renewClaimed(credential, { claim, stale, renewal });
      }
      throw new Error('another process has been renewing it for too long');
    } catch (cause) {
      log.error('a credential could not be renewed; it is kept and will be tried again', {
        detail: `${credential.name}: ${describeThrown(cause)}`,
      });
      const isFinal = renewal.isFinal?.(cause) === true;
      throw new RenewalFailedError(this.#noteFailed(credential, stale, isFinal), cause);
    }
  }

  async #renewClaimed(
    credential: Credential,
    { claim, stale, renewal }: { claim: Claim; stale: string; renewal: Renewal },
  ): Promise<string> {
    const unstored = this.#unstored.of(claim);
    // Another process can have been done with it between our look and our claim.
    if (unstored === undefined && claim.secret !== stale && this.#works(claim.secret, renewal)) {
      await this.#claims.release(claim);
      return this.#keep(credential, claim.secret);
    }
    let secret = unstored ?? claim.secret;
    try {
      const isGood = unstored !== undefined && unstored !== stale && this.#works(unstored, renewal);
      if (!isGood) secret = await renewal.renew(secret);
    } catch (cause) {
      await this.#claims.release(claim);
      throw cause;
    }
    // From here on the old token is void: what happens to the row, this process goes on with the new one.
    this.#keep(credential, secret);
    this.#parts.onRenewal?.({ credential, failure: null });
    return (await this.#store(claim, secret))
      ? secret
      : this.#keep(credential, (await this.#claims.read(claim.id)).secret);
  }

  /** @returns false when somebody put another secret there meanwhile, which is the one that counts. */
  async #store(claim: Claim, secret: string): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const isStored = await this.#claims.settle(claim, secret);
        // The claim lapsed, and the row has the void one still: what is here alone is stored under a later claim.
        if (!isStored && (await this.#claims.find(claim.id))?.sealed === claim.sealed) {
          this.#unstored.keep(claim, secret);
          return true;
        }
        this.#unstored.forget(claim.id);
        return isStored;
      } catch (cause) {
        if (attempt === writeAttempts) {
          const detail = describeThrown(cause);
          this.#parts.log.error('a renewed credential is not stored yet; a restart loses it', { detail });
          this.#unstored.keep(claim, secret);
          return true;
        }
        await this.#parts.clock.sleep(writeRetryMs);
      }
    }
  }

  #keep({ id, secret: from }: Credential, secret: string): string {
    this.#failed.delete(id);
    this.#renewed.set(id, { from, secret });
    return secret;
  }
}
