/** Who may renew a credential: a claim in its row, timed by the database's clock, that lapses when its holder dies. */
import { and, eq, isNull, lt, or, sql } from 'drizzle-orm';
import type { Envelope } from '../base/envelope.ts';
import { providerCredentials } from '../storage/schema/catalogue.ts';
import { transact, type WorkParts } from '../storage/work.ts';
import { catalogueTopic } from './catalogue-work.ts';

export interface Claim {
  readonly id: number;
  /** As of the claim. */
  readonly secret: string;
  readonly sealed: string;
  /** Tells this claim from any later one of the same row. */
  readonly until: Date;
}

/** To the millisecond, which is what a date holds here. */
const inHalfAMinute = sql`date_trunc('milliseconds', now() + interval '30 seconds')`;

export class CredentialClaims {
  readonly #parts: WorkParts;
  readonly #envelope: Envelope;

  constructor(parts: WorkParts & { readonly envelope: Envelope }) {
    this.#parts = parts;
    this.#envelope = parts.envelope;
  }

  /** As it is stored now. */
  async read(id: number): Promise<{ readonly secret: string; readonly sealed: string }> {
    const row = await this.find(id);
    if (row === undefined) throw new Error('the credential is gone');
    return { ...row, secret: await this.#envelope.open(row.sealed) };
  }

  async find(id: number): Promise<{ readonly sealed: string } | undefined> {
    const [row] = await this.#parts.storage.db
      .select({ sealed: providerCredentials.sealedSecret })
      .from(providerCredentials)
      .where(eq(providerCredentials.id, id));
    return row;
  }

  /** @returns null while another process holds it. */
  async take(id: number): Promise<Claim | null> {
    const isFree = or(
      isNull(providerCredentials.renewingUntil),
      lt(providerCredentials.renewingUntil, sql`now()`),
    );
    const [row] = await transact(this.#parts, ({ executor }) =>
      executor
        .update(providerCredentials)
        .set({ renewingUntil: inHalfAMinute })
        .where(and(eq(providerCredentials.id, id), isFree))
        .returning({ sealed: providerCredentials.sealedSecret, until: providerCredentials.renewingUntil }),
    );
    if (row === undefined || row.until === null) return null;
    return { id, secret: await this.#envelope.open(row.sealed), sealed: row.sealed, until: row.until };
  }

  /** Stores the new secret and ends the claim. @returns false when the row is no longer as it was claimed. */
  async settle(claim: Claim, secret: string): Promise<boolean> {
    const sealedSecret = await this.#envelope.seal(secret);
    return transact(this.#parts, async (work) => {
      const stored = await work.executor
        .update(providerCredentials)
        .set({ sealedSecret, renewingUntil: null })
        .where(and(heldBy(claim), eq(providerCredentials.sealedSecret, claim.sealed)))
        .returning({ id: providerCredentials.id });
      const isStored = stored.length > 0;
      if (isStored) work.announce(catalogueTopic, 'credential');
      return isStored;
    });
  }

  async release(claim: Claim): Promise<void> {
    const releasing = transact(this.#parts, async ({ executor }) => {
      await executor.update(providerCredentials).set({ renewingUntil: null }).where(heldBy(claim));
    });
    // The claim lapses by itself.
    await releasing.catch(() => undefined);
  }
}

const heldBy = ({ id, until }: Claim) =>
  and(eq(providerCredentials.id, id), eq(providerCredentials.renewingUntil, until));
