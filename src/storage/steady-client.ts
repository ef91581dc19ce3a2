/**
 * A postgres.js client that outlives its connections. When one is lost, the driver's pool is put aside whole and the
 * next statement opens a new one: a connection object of postgres.js 3.4.9 whose socket died with a write pending
 * never writes again.
 */
import postgres, { type Sql } from 'postgres';
import { runTransaction, type TransactionWork } from './guarded-transaction.ts';

export type ClientAddress = { readonly databaseUrl: string } | { readonly socketPath: string };

export interface ClientSettings {
  readonly address: ClientAddress;
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  /** A NOTIFY on a channel that one of this client's connections listens to. */
  readonly onNotification?: (payload: string) => void;
  /** A connection was lost, or could not be opened. */
  readonly onLost?: () => void;
}

export interface SteadyClient {
  /** For the query builder: statements and transactions go to the pool that is in use now. */
  readonly sql: Sql;
  /** @param waitMs how long statements that are under way may take; 5 s unless told. */
  close(waitMs?: number): Promise<void>;
}

/** How long statements on other connections of a pool that was put aside may take to end. */
const retiringMs = 10_000;
const closingMs = 5000;

export function openSteadyClient(settings: ClientSettings): SteadyClient {
  // Never connects. It carries the codecs that the query builder sets, and once ended it refuses every statement.
  const template = openPool(settings, () => undefined);
  const refuse: Sql['unsafe'] = template.unsafe;
  const refuseToBegin = template.begin;
  void template.end();
  let pool: Sql | undefined;
  let closed = false;

  const current = (): Sql => {
    pool ??= openNext();
    return pool;
  };
  const openNext = (): Sql => {
    const opened = openPool(settings, () => retire(opened));
    Object.assign(opened.options.parsers, template.options.parsers);
    Object.assign(opened.options.serializers, template.options.serializers);
    return opened;
  };
  const retire = (lost: Sql): void => {
    if (pool !== lost || closed) return;
    pool = undefined;
    void lost.end({ timeout: retiringMs / 1000 });
    settings.onLost?.();
  };

  const unsafe: Sql['unsafe'] = (query, parameters, options) =>
    closed ? refuse(query, parameters, options) : current().unsafe(query, parameters, options);
  const begin = async <Result>(work: TransactionWork<Result>): Promise<unknown> => {
    if (closed) return refuseToBegin(work);
    const client = current();
    return runTransaction({ client, refuse, onLost: () => retire(client) }, work);
  };
  return {
    sql: Object.assign(template, { unsafe, begin }),
    async close(waitMs = closingMs) {
      const last = pool;
      closed = true;
      pool = undefined;
      await last?.end({ timeout: waitMs / 1000 });
    },
  };
}

function openPool(settings: ClientSettings, onClosed: () => void): Sql {
  const { address, poolSize, connectTimeoutMs, onNotification } = settings;
  const options = {
    max: poolSize,
    connect_timeout: connectTimeoutMs / 1000,
    // Each end of a connection puts the pool aside, so connections are not ended for their age.
    max_lifetime: null,
    // The query builder reads and writes arrays itself, and a connection lost during this query of the driver's own
    // rejects a promise that nobody holds.
    fetch_types: false,
    onnotice: () => undefined,
    onclose: onClosed,
    // Not in the driver's types, but what its own `listen` is built on.
    onnotify: (_channel: string, payload: string) => onNotification?.(payload),
    connection: { application_name: 'sluice' },
  };
  if ('databaseUrl' in address) return postgres(address.databaseUrl, options);
  return postgres({
    ...options,
    path: address.socketPath,
    ssl: false,
    user: 'postgres',
    password: '',
    database: 'postgres',
  });
}
