/** Identifiers and random bytes, injected so that tests can foresee them. */

export interface Ids {
  /** A request id: unique, sortable by time. */
  requestId(): string;
  /** Cryptographically strong random bytes. */
  randomBytes(count: number): Uint8Array;
}

export const systemIds: Ids = {
  requestId: () => Bun.randomUUIDv7(),
  randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
};
