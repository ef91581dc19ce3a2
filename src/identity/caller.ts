/** Who is calling: an API key with everything the request path needs to know, resolved once and then cached. */

export const keyScopes = ['inference', 'webchat', 'read'] as const;
export type KeyScope = (typeof keyScopes)[number];

export interface Caller {
  readonly keyId: number;
  readonly keyName: string;
  readonly userId: number;
  readonly userStatus: string;
  /** Whose wallet pays. */
  readonly payerId: number;
  /** Usage is recorded at cost and charged to nobody. */
  readonly billingExempt: boolean;
  readonly scopes: ReadonlySet<string>;
  /** Locks: null allows everything. */
  readonly allowedModels: ReadonlySet<string> | null;
  readonly allowedProviders: ReadonlySet<string> | null;
  readonly allowedRegions: ReadonlySet<string> | null;
  /** Limits: null is unlimited. */
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrentRequests: number | null;
  readonly enabled: boolean;
  readonly revoked: boolean;
  readonly expiresAtMs: number | null;
}
