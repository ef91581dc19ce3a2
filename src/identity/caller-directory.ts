/**
 * Who a token belongs to: an API key with everything the request path needs to know, and whether it may act now. The
 * look-up of every request, from memory once a token was seen.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { type ChangeFeed, everyKey } from '../storage/change-feed.ts';
import type { Database } from '../storage/database.ts';
import { type Caller, readCaller } from './caller.ts';
import { apiKeyTopic } from './key.ts';
import { hashToken, isWellFormedToken } from './token.ts';
import { organisationTopic, userTopic } from './user.ts';

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
      else {
        const id = Number(key);
        this.#forgetWhere((caller) => caller.organisationId === id || caller.ownersOrganisationId === id);
      }
    });
    changes.subscribe(userTopic, (key) => {
      if (key === everyKey) this.#forgetAll();
      else {
        const id = Number(key);
        this.#forgetWhere((caller) => caller.userId === id || caller.payerId === id);
      }
    });
  }

  /**
   * Synchronous once the token was seen.
   * @throws AppError `invalid_token`, `token_revoked`, `token_expired` or `account_suspended`.
   */
  find(token: string): MaybePromise<Caller> {
    const hash = hashToken(token);
    const known = this.#known.get(hash);
    // Looked at only here: what is known was well-formed when it was minted, and this runs on every request.
    if (known === undefined && !isWellFormedToken(token, this.#tokenPrefix)) throw unknownToken();
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
  const { secretEndsAtMs, secretIsOver } = caller;
  if (secretEndsAtMs !== null && (secretIsOver === true || secretEndsAtMs <= nowMs)) {
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
          "The e-mail address of this key's owner is not confirmed yet. Follow the link in the mail first.",
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
