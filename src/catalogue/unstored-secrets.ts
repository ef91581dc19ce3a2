/**
 * Secrets that were renewed while the database was away, or whose claim had lapsed: stored as soon as that can be, for as long
 * as the process lives.
 */
import type { Clock, Timer } from '../base/clock.ts';
import type { Claim, CredentialClaims } from './credential-claims.ts';

const storeAgainMs = 5000;

interface Unstored {
  /** Under which it was renewed: it names the row as it was, whose own secret is void since. */
  readonly claim: Claim;
  readonly secret: string;
}

export class UnstoredSecrets {
  readonly #claims: CredentialClaims;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #byId = new Map<number, Unstored>();
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(claims: CredentialClaims, clock: Pick<Clock, 'after'>) {
    this.#claims = claims;
    this.#clock = clock;
  }

  /** @returns what is here alone of the row as it stands; undefined where its own secret counts. */
  of({ id, sealed }: Pick<Claim, 'id' | 'sealed'>): string | undefined {
    const unstored = this.#byId.get(id);
    return unstored?.claim.sealed === sealed ? unstored.secret : undefined;
  }

  keep(claim: Claim, secret: string): void {
    this.#byId.set(claim.id, { claim, secret });
    this.#storeLater();
  }

  /** It is stored, or another one is. */
  forget(id: number): void {
    this.#byId.delete(id);
  }

  /** Never throws: what cannot be stored now is tried again later. */
  async store(): Promise<void> {
    for (const [id, { claim, secret }] of this.#byId) {
      try {
        if (await this.#isDone(claim, secret)) this.#byId.delete(id);
      } catch {
        // The database is away still.
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  async #isDone(claim: Claim, secret: string): Promise<boolean> {
    const row = await this.#claims.find(claim.id);
    // Somebody has put another one there, which is the one that counts, or the credential is gone.
    if (row?.sealed !== claim.sealed) return true;
    if (await this.#claims.settle(claim, secret)) return true;
    // That claim has lapsed, and perhaps another process has the row just now.
    const later = await this.#claims.take(claim.id);
    return later !== null && (await this.#claims.settle(later, secret));
  }

  #storeLater(): void {
    if (this.#isClosed) return;
    this.#timer ??= this.#clock.after(storeAgainMs, () => {
      this.#timer = undefined;
      void this.store().then(() => {
        if (this.#byId.size > 0) this.#storeLater();
      });
    });
  }
}
