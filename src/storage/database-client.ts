/** A pool of connections to PostgreSQL that outlives the loss of any of them, behind the query builder. */
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Database, Transaction } from './database.ts';
import { type DatabaseAddress, isTlsMissing, refuseReadOnly } from './database-address.ts';
import { statementLimitMs } from './long-statement.ts';
import { nameOfPlan } from './planned-once.ts';
import { isConnectionEnded, isConnectionLost, isReadOnlyServer, unavailableError } from './storage-error.ts';

export interface ClientSettings {
  /** At least one; when a server cannot be connected to, the next one is tried, and kept while it works. */
  readonly addresses: readonly DatabaseAddress[];
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
  /** Whether each connection is a session of its own, which can keep plans. */
  readonly keepsPlans: boolean;
  /** A NOTIFY on a channel that one of this client's connections listens to. */
  readonly onNotification?: (payload: string) => void;
  /** A connection was lost. */
  readonly onLost?: () => void;
}

type Query = (config: pg.QueryConfig, values?: unknown[]) => Promise<pg.QueryResult>;

/** How long statements that are under way may take to end when the client is closed. */
const closingMs = 5000;
/** How long the server may take to say goodbye. */
const partingMs = 1000;
const keepAliveMs = 60_000;

/** One statement, which passes over what a server does not know: a SET that is refused would take the other back. */
const planning = `SELECT set_config(name, value, false)
  FROM (VALUES ('jit', 'off'), ('parallel_setup_cost', '20000')) AS wanted (name, value)
  WHERE current_setting(name, true) IS NOT NULL`;

export class DatabaseClient {
  readonly db: Database;
  readonly #settings: ClientSettings;
  readonly #pool: pg.Pool;
  readonly #connections = new Set<pg.Client>();
  /** Refuses those that wait for a connection. */
  readonly #waiting = new Set<(reason: Error) => void>();
  readonly #idle = Promise.withResolvers<void>();
  #underWay = 0;
  /** Connects under way whose server has just said that it has no TLS. The next connection to it is made without. */
  readonly #withoutTls = new Set<{ readonly address: number }>();
  /** The host that connections are made to. */
  #address = 0;
  /** Which of the hosts each connection leads to. */
  readonly #addressOf = new WeakMap<object, number>();
  #isClosed = false;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
    this.#pool = this.#openPool();
    const query: Query = (config, values) =>
      this.#withConnection((connection) => this.#answer(connection, [config, values]));
    this.db = Object.assign(drizzle(withQuery(this.#pool, query)), { transaction: this.#transaction });
  }

  /** For statements that belong to one session, such as those of a migration. They may take as long as they need. */
  onOneConnection<Result>(work: (db: Database) => Promise<Result>): Promise<Result> {
    return this.#withConnection((connection) => work(drizzle(connection)));
  }

  /** @param waitMs how long statements that are under way may take; 5 s unless told. Safe to call again. */
  async close(waitMs = closingMs): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#underWay > 0) await this.#within(waitMs, this.#idle.promise);
    for (const refuse of this.#waiting) refuse(closedError());
    const ends = [...this.#connections].map((connection) => connection.end());
    await this.#within(partingMs, Promise.allSettled(ends));
  }

  #openPool(): pg.Pool {
    const { addresses, poolSize, connectTimeoutMs, onNotification, onLost } = this.#settings;
    const mustBeWritable = addresses.some((address) => address.mustBeWritable);
    const pool = new pg.Pool({
      max: poolSize,
      // The pool's own limit of time would also hold for those that wait for their turn. Connections bring theirs.
      idleTimeoutMillis: 0,
      Client: this.#connectionClass(),
      ...(mustBeWritable && {
        onConnect: (connection) =>
          this.#orEnd(connection, connectTimeoutMs, () => refuseReadOnly(connection)),
      }),
    });
    pool.on('connect', (connection) => {
      connection.on('notification', ({ payload }) => onNotification?.(payload ?? ''));
      // Compiling a statement takes longer here than any runs, and starting workers longer than most. It goes out before the
      // first one, and nobody waits for it; a server that lacks one of them, or both, runs all the same.
      connection.query(planning).catch(() => undefined);
    });
    pool.on('remove', () => {
      if (!this.#isClosed) onLost?.();
    });
    // An error without a listener would end the process; the pool has dropped the connection by itself.
    pool.on('error', () => undefined);
    return pool;
  }

  #connectionClass(): new () => pg.Client {
    const { connectTimeoutMs } = this.#settings;
    const connections = this.#connections;
    const nextConfig = () => this.#nextConfig();
    const noteAddress = (connection: pg.Client) => this.#addressOf.set(connection, this.#address);
    return class extends pg.Client {
      constructor() {
        super({
          ...nextConfig(),
          fallback_application_name: 'sluice',
          connectionTimeoutMillis: connectTimeoutMs,
          keepAlive: true,
          keepAliveInitialDelayMillis: keepAliveMs,
        });
        connections.add(this);
        noteAddress(this);
        // While somebody works with a connection the pool does not listen, and statements tell of the loss themselves.
        this.on('error', () => undefined);
        this.on('end', () => connections.delete(this));
      }
    };
  }

  #nextConfig(): pg.ClientConfig {
    const address = this.#settings.addresses[this.#address];
    const [ssl, sslInstead] = address?.tlsSettings ?? [];
    for (const connect of this.#withoutTls) {
      if (connect.address !== this.#address) continue;
      this.#withoutTls.delete(connect);
      return { ...address?.config, ssl: sslInstead };
    }
    return { ...address?.config, ssl };
  }

  readonly #transaction: Database['transaction'] = (work, config) =>
    this.#withConnection(async (connection) => {
      let isOver = false;
      let failure: { readonly error: unknown } | undefined;
      const query: Query = async (...statement) => {
        if (isOver) throw new Error('The transaction has ended.');
        return await this.#answer(connection, statement);
      };
      const attempt = async (transaction: Transaction) => {
        try {
          return await work(transaction);
        } catch (error) {
          failure = { error };
          throw error;
        }
      };
      try {
        return await drizzle(withQuery(connection, query)).transaction(attempt, config);
      } catch (error) {
        // A ROLLBACK that fails as well would only hide why it was wanted.
        throw failure === undefined ? error : failure.error;
      } finally {
        isOver = true;
      }
    });

  async #withConnection<Result>(work: (connection: pg.PoolClient) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw closedError();
    this.#underWay += 1;
    try {
      const connection = await this.#connectOrTell();
      let isHeld = true;
      const release = (isBroken: boolean) => {
        if (isHeld) connection.release(isBroken);
        isHeld = false;
      };
      // Work that goes on without its connection must not keep others from having a new one.
      const drop = () => release(true);
      connection.once('end', drop);
      let isEnded = false;
      try {
        return await work(connection);
      } catch (error) {
        // A standby accepts connections and takes no writes: another host of the list may be the primary now.
        if (isReadOnlyServer(error)) this.#moveFrom(this.#addressOf.get(connection));
        isEnded = isConnectionEnded(error) || isReadOnlyServer(error);
        throw !(error instanceof AppError) && isConnectionLost(error) ? unavailableError(error) : error;
      } finally {
        connection.off('end', drop);
        // Nobody may inherit a transaction that could not be ended.
        release(isEnded || connection.getTransactionStatus() !== 'I');
      }
    } finally {
      this.#underWay -= 1;
      if (this.#isClosed && this.#underWay === 0) this.#idle.resolve();
    }
  }

  /** @throws AppError `database_unavailable` */
  async #connectOrTell(): Promise<pg.PoolClient> {
    try {
      return await this.#connect();
    } catch (error) {
      throw this.#isClosed ? error : unavailableError(error);
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    const { addresses } = this.#settings;
    for (let tries = 1; ; tries += 1) {
      const address = this.#address;
      try {
        return await this.#connectToHost(address);
      } catch (error) {
        if (tries >= addresses.length || this.#isClosed) throw error;
        this.#moveFrom(address);
      }
    }
  }

  /** To the next host, where nobody has moved from this one yet. */
  #moveFrom(address: number | undefined): void {
    if (this.#address === address) this.#address = (address + 1) % this.#settings.addresses.length;
  }

  async #connectToHost(address: number): Promise<pg.PoolClient> {
    const isTlsOptional = (this.#settings.addresses[address]?.tlsSettings.length ?? 0) > 1;
    const withoutTls = { address };
    try {
      for (;;) {
        try {
          return await this.#fromPool();
        } catch (error) {
          if (!isTlsOptional || !isTlsMissing(error) || this.#isClosed) throw error;
          this.#withoutTls.add(withoutTls);
        }
      }
    } finally {
      this.#withoutTls.delete(withoutTls);
    }
  }

  #fromPool(): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      const connecting = this.#pool.connect();
      connecting.then(resolve, reject).finally(() => this.#waiting.delete(reject));
    });
  }

  #answer(connection: pg.PoolClient, [config, values]: Parameters<Query>): Promise<pg.QueryResult> {
    const name = this.#settings.keepsPlans ? nameOfPlan(config.text) : undefined;
    const statement = name === undefined ? config : { ...config, name };
    return this.#orEnd(connection, statementLimitMs(config.text), () => connection.query(statement, values));
  }

  /** Ends a connection on which the work is not done in time: nothing that comes after could be answered on it. */
  async #orEnd<Result>(
    connection: pg.ClientBase,
    limitMs: number,
    work: () => Promise<Result>,
  ): Promise<Result> {
    let isLate = false;
    const timer = this.#settings.clock.after(limitMs, () => {
      isLate = true;
      if (connection instanceof pg.Client) void connection.end();
    });
    try {
      return await work();
    } catch (cause) {
      throw isLate ? new Error(`it did not answer within ${limitMs / 1000} s`, { cause }) : cause;
    } finally {
      timer.cancel();
    }
  }

  async #within(limitMs: number, work: Promise<unknown>): Promise<void> {
    const late = new AbortController();
    await Promise.race([work, this.#settings.clock.sleep(limitMs, late.signal)]);
    late.abort();
  }
}

/** The driver's object as the query builder is to see it: statements go to `query`. */
function withQuery<Driver extends pg.Pool | pg.PoolClient>(driver: Driver, query: Query): Driver {
  return new Proxy(driver, {
    get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)),
  });
}

function closedError(): Error {
  return new Error('The database was closed.');
}
