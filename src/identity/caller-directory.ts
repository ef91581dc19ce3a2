/**
 * Who a token belongs to: an API key with everything the request path needs to know, and whether it may act now. The
 * look-up of every request, from memory once a token was seen.
 */
import { eq, or, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { type ChangeFeed, everyKey } from '../storage/change-feed.ts';
import type { Database, Executor } from '../storage/database.ts';
import { apiKeys, organisations, users } from '../storage/schema/identity.ts';
import { apiKeyTopic } from './key.ts';
import { hashToken, isWellFormedToken } from './token.ts';
import { organisationTopic, userTopic } from './user.ts';

/** Null is unlimited. */
interface UseLimits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrentRequests: number | null;
}

export interface Caller {
  readonly keyId: number;
  readonly keyName: string;
  /** Which of the key's secrets this is, from 1; null where it has had but one. */
  readonly secretNumber: number | null;
  /** When this secret ends, because another has taken its place. */
  readonly secretEndsAtMs: number | null;
  readonly userId: number;
  readonly userStatus: string;
  /** What the key's usage is counted for; null where it belongs to nothing of the kind. */
  readonly organisationId: number | null;
  readonly departmentId: number | null;
  readonly projectId: number | null;
  /** Whose wallet pays: the organisation's billing user where there is one, else the key's owner. */
  readonly payerId: number;
  /** Usage is recorded at cost and charged to nobody. */
  readonly billingExempt: boolean;
  readonly scopes: ReadonlySet<string>;
  /** Locks: null allows everything. */
  readonly allowedModels: ReadonlySet<string> | null;
  readonly allowedProviders: ReadonlySet<string> | null;
  readonly allowedRegions: ReadonlySet<string> | null;
  /** What the key may do a minute and at once; null where nothing is limited. */
  readonly keyLimits: UseLimits | null;
  /** The same for its owner, over all of their keys. */
  readonly userLimits: UseLimits | null;
  /** A request whose own output limit cannot be paid is refused instead of being held to less. */
  readonly strictOutput: boolean;
  /** Whether a streamed answer that breaks is gone on with; null leaves it to the model. */
  readonly rescue: boolean | null;
  readonly enabled: boolean;
  readonly revoked: boolean;
  readonly expiresAtMs: number | null;
}

/** Changes arrive by the change feed; this bounds the harm when its connection is dead without knowing. */
const refreshAfterMs = 60_000;
const unknownForMs = 5_000;
const maxUnknown = 10_000;

export interface CallerDirectoryOptions {
  readonly db: Database;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  readonly tokenPrefix: string;
  /** How many are remembered; 10,000 when not given. */
  readonly maxCallers?: number;
}

interface Known {
  readonly caller: Caller;
  refreshDueMs: number;
}

export class CallerDirectory {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #tokenPrefix: string;
  readonly #known: LRUCache<string, Known>;
  /** Well-formed tokens that nobody has, until when. Apart, so that inventing them pushes no real caller out. */
  readonly #unknown = new LRUCache<string, number>({ max: maxUnknown });
  readonly #loading = new Map<string, Promise<Caller | undefined>>();

  constructor({ db, changes, clock, tokenPrefix, maxCallers = 10_000 }: CallerDirectoryOptions) {
    this.#db = db;
    this.#clock = clock;
    this.#tokenPrefix = tokenPrefix;
    this.#known = new LRUCache({ max: maxCallers });
    changes.subscribe(apiKeyTopic, (key) => {
      if (key === everyKey) this.#forgetAll();
      else this.#forgetKey(key);
    });
    changes.subscribe(organisationTopic, (key) => {
      if (key === everyKey) this.#forgetAll();
      else this.#forgetWhere((caller) => caller.organisationId === Number(key));
    });
    changes.subscribe(userTopic, (key) => {
      if (key === everyKey) this.#forgetAll();
      else this.#forgetWhere((caller) => caller.userId === Number(key));
    });
  }

  /**
   * Synchronous once the token was seen.
   * @throws AppError `invalid_token`, `token_revoked`, `token_expired` or `account_suspended`.
   */
  find(token: string): MaybePromise<Caller> {
    if (!isWellFormedToken(token, this.#tokenPrefix)) {
      throw unknownToken();
    }
    const hash = hashToken(token);
    const known = this.#known.get(hash);
    if (known === undefined) return this.#findCold(hash);
    if (this.#clock.monotonicMs() >= known.refreshDueMs) this.#refresh(hash, known);
    return requireUsable(known.caller, this.#clock.nowMs());
  }

  #findCold(hash: string): MaybePromise<Caller> {
    const unknownUntilMs = this.#unknown.get(hash);
    if (unknownUntilMs !== undefined && this.#clock.monotonicMs() < unknownUntilMs) throw unknownToken();
    return this.#load(hash).then((caller) => {
      if (caller === undefined) throw unknownToken();
      return requireUsable(caller, this.#clock.nowMs());
    });
  }

  /** One query for all who ask meanwhile. */
  #load(hash: string): Promise<Caller | undefined> {
    const underway = this.#loading.get(hash);
    if (underway !== undefined) return underway;
    const loading = readCaller(this.#db, hash)
      .then((caller) => {
        // A change that came meanwhile has taken this load out of the map: it may have read too early.
        if (this.#loading.get(hash) === loading) this.#remember(hash, caller);
        return caller;
      })
      .finally(() => {
        if (this.#loading.get(hash) === loading) this.#loading.delete(hash);
      });
    this.#loading.set(hash, loading);
    return loading;
  }

  #remember(hash: string, caller: Caller | undefined): void {
    const nowMs = this.#clock.monotonicMs();
    if (caller === undefined) {
      this.#known.delete(hash);
      this.#unknown.set(hash, nowMs + unknownForMs);
    } else {
      this.#known.set(hash, { caller, refreshDueMs: nowMs + refreshAfterMs });
    }
  }

  #refresh(hash: string, known: Known): void {
    // Set first, so that a database that is away is asked once in a while and not by every request.
    known.refreshDueMs = this.#clock.monotonicMs() + refreshAfterMs;
    this.#load(hash).catch(() => undefined);
  }

  #forgetKey(hash: string): void {
    this.#loading.delete(hash);
    this.#known.delete(hash);
    this.#unknown.delete(hash);
  }

  #forgetWhere(isMeant: (caller: Caller) => boolean): void {
    // Whose the loads under way are is not known yet.
    this.#loading.clear();
    for (const [hash, { caller }] of this.#known.entries()) {
      if (isMeant(caller)) this.#known.delete(hash);
    }
  }

  #forgetAll(): void {
    this.#loading.clear();
    this.#known.clear();
    this.#unknown.clear();
  }
}

function unknownToken(): AppError {
  return new AppError({
    code: 'invalid_token',
    public: 'This API token is not valid. Check that it was copied whole and belongs to this service.',
  });
}

async function readCaller(executor: Executor, tokenHash: string): Promise<Caller | undefined> {
  const rows = await executor
    .select()
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.ownerId))
    .leftJoin(
      organisations,
      eq(organisations.id, sql`coalesce(${apiKeys.organisationId}, ${users.organisationId})`),
    )
    .where(or(eq(apiKeys.tokenHash, tokenHash), eq(apiKeys.previousTokenHash, tokenHash)));
  const found = rows.find(({ api_keys: key }) => key.tokenHash === tokenHash) ?? rows[0];
  if (found === undefined) return undefined;
  const { api_keys: key, users: owner, organisations: organisation } = found;
  const isPrevious = key.tokenHash !== tokenHash;
  return {
    keyId: key.id,
    keyName: key.name,
    secretNumber: key.rotatedAt === null ? null : key.secretNumber - (isPrevious ? 1 : 0),
    secretEndsAtMs: isPrevious ? (key.previousEndsAt?.getTime() ?? 0) : null,
    userId: owner.id,
    userStatus: owner.status,
    ...(key.organisationId === null
      ? { organisationId: owner.organisationId, departmentId: owner.departmentId, projectId: null }
      : {
          organisationId: key.organisationId,
          departmentId: key.departmentId,
          projectId: key.projectId,
        }),
    payerId: organisation?.billingUserId ?? owner.id,
    billingExempt: owner.billingExempt || organisation?.billingExempt === true,
    scopes: new Set(key.scopes),
    allowedModels: lockOf(key.allowedModels),
    allowedProviders: lockOf(key.allowedProviders),
    allowedRegions: lockOf(key.allowedRegions),
    keyLimits: limitsOf(key),
    userLimits: limitsOf(owner),
    strictOutput: key.strictOutput,
    rescue: key.rescue,
    enabled: key.enabled,
    revoked: key.revokedAt !== null,
    expiresAtMs: key.expiresAt?.getTime() ?? null,
  };
}

function limitsOf({ requestsPerMinute, tokensPerMinute, concurrentRequests }: UseLimits): UseLimits | null {
  if (requestsPerMinute === null && tokensPerMinute === null && concurrentRequests === null) return null;
  return { requestsPerMinute, tokensPerMinute, concurrentRequests };
}

function lockOf(names: readonly string[] | null): ReadonlySet<string> | null {
  return names === null ? null : new Set(names);
}

/**
 * The caller itself when its key works and its owner is active.
 * @throws AppError `token_revoked`, `token_expired`, `invalid_token` for a disabled key, `account_suspended`.
 */
function requireUsable(caller: Caller, nowMs: number): Caller {
  if (caller.revoked) {
    throw new AppError({
      code: 'token_revoked',
      public: 'This API key was revoked. Use another, or create one.',
    });
  }
  const { secretEndsAtMs } = caller;
  if (secretEndsAtMs !== null && secretEndsAtMs <= nowMs) {
    throw new AppError({
      code: 'token_revoked',
      public: `This token of the API key was replaced, and ended at ${new Date(secretEndsAtMs).toISOString()}. Use the one that took its place.`,
    });
  }
  if (caller.expiresAtMs !== null && caller.expiresAtMs <= nowMs) {
    throw new AppError({
      code: 'token_expired',
      public: `This API key expired at ${new Date(caller.expiresAtMs).toISOString()}. Use another, or create one.`,
    });
  }
  if (!caller.enabled) {
    throw new AppError({
      code: 'invalid_token',
      public: 'This API key is disabled. Enable it in its settings, or use another.',
    });
  }
  if (caller.userStatus !== 'active') throw ownerRefusal(caller.userStatus);
  return caller;
}

function ownerRefusal(status: string): AppError {
  switch (status) {
    case 'unverified':
      return new AppError({
        code: 'account_suspended',
        public:
          "The e-mail address of this key's owner is not verified yet. Follow the link in the mail first.",
      });
    case 'archived':
      return new AppError({
        code: 'token_revoked',
        public: 'The account of this API key was closed, and its keys with it.',
      });
    default:
      return new AppError({
        code: 'account_suspended',
        public: 'The account of this API key is suspended. Its owner can see why by signing in.',
      });
  }
}
