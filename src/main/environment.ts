/** The settings of the process, read from its environment and checked once at start, and which database they mean. */
import { join, resolve } from 'node:path';
import { mostBytesOfRequests } from '../base/byte-budget.ts';
import { AppError } from '../base/errors.ts';
import { type LogLevel, logLevels } from '../base/log.ts';
import { type Proxies, readProxies } from '../base/proxies.ts';
import {
  ConfigurationError,
  choice,
  httpAddress,
  listenAddress,
  type Mistake,
  path,
  usdAmount,
  VariableReader,
  type Variables,
  wholeNumber,
} from '../configuration/index.ts';
import type { BalanceLevels } from '../ledger/index.ts';
import type { Sender } from '../notifications/index.ts';
import { hasEmbeddedDatabase, type StorageOptions } from '../storage/index.ts';
import type { UpstreamServices } from '../upstream/index.ts';
import { type PartitionSettings, partitionSpans } from '../usage/index.ts';
import { type Role, roles } from './roles.ts';
import {
  budgetBytes,
  bytes,
  databaseUrl,
  drainTimeoutMs,
  host,
  keepResponsesMs,
  mailFrom,
  metricsToken,
  port,
  proxies,
  redisUrl,
  retentionDays,
  secret,
  smtpUrl,
  spoolBytes,
  timeoutMs,
  tokenPrefix,
  unverifiedDays,
  usualMailFrom,
  usualMetricsAddress,
} from './setting-kinds.ts';

const modelsShapes = ['auto', 'array', 'openai'] as const;

export interface Environment {
  /** HOST. Loopback unless asked otherwise: whoever wants it reachable from outside says so. */
  readonly host: string;
  /** PORT; 0 takes a free one. */
  readonly port: number;
  /** SLUICE_ROLE: what of the program this process does; everything unless it shares a database. */
  readonly role: Role;
  /** SLUICE_DATA_DIR, absolute. */
  readonly dataDir: string;
  /** DATABASE_URL; null is the embedded database in the data folder. */
  readonly databaseUrl: string | null;
  /** REDIS_URL; null keeps what replicas would share in this process. */
  readonly redisUrl: string | null;
  /** SLUICE_SECRET; null, on the embedded database only, takes the one in the data folder: see `secret.ts`. */
  readonly secret: string | null;
  /** SLUICE_SPOOL_MAX_BYTES: of usage on this disk that the database does not have yet. */
  readonly spoolMaxBytes: number;
  /** SLUICE_SPOOL_FSYNC: whether each of its lines waits for the disk. */
  readonly isSpoolSynced: boolean;
  /** SLUICE_CONFIG, absolute; null takes providers from the environment. */
  readonly configFile: string | null;
  /** SLUICE_MODELS_SHAPE: how `GET /v1/models` answers. */
  readonly modelsShape: (typeof modelsShapes)[number];
  readonly tokenPrefix: string;
  readonly logLevel: LogLevel;
  readonly maxBodyBytes: number;
  /** SLUICE_BODY_BUDGET_BYTES: of request bodies and whole answers that are held at once. */
  readonly bodyBudgetBytes: number;
  readonly keepAliveMs: number;
  /** SLUICE_CLIENT_STALL_TIMEOUT_MS: that a client leaves pieces of its answer waiting. */
  readonly clientStallMs: number;
  /** SLUICE_KEEP_RESPONSES_MS: how long answers are kept that clients of responses may refer to; 0 keeps none. */
  readonly keepResponsesMs: number;
  /** SLUICE_IDEMPOTENCY: whether answers are kept under their clients' idempotency keys. */
  readonly isIdempotencyOn: boolean;
  readonly upstreamTimeouts: UpstreamServices['timeouts'];
  /** SLUICE_UPSTREAM_FAIL_OVER_DEADLINE_MS: of a request without content, until nobody further is asked. */
  readonly failOverDeadlineMs: number;
  /** SLUICE_UPSTREAM_HEALTH: whether who fails is remembered and spared, and asked by the program itself. */
  readonly upstreamHealth: 'on' | 'off' | 'probe';
  /** SLUICE_UPSTREAM_PRIVATE: whether providers that are not declared may be in private networks. */
  readonly areUpstreamsPrivate: boolean;
  /** HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, in capitals or not: who stands between here and which hosts. */
  readonly proxies: Proxies;
  /** NODE_TLS_REJECT_UNAUTHORIZED=0, by which the runtime goes too. */
  readonly isTrustWaived: boolean;
  /** SLUICE_UPSTREAM_CLIENT: what requests to providers go by, our own client for HTTP/1.1 or the runtime's `fetch`. */
  readonly upstreamClient: 'own' | 'fetch';
  readonly drainTimeoutMs: number;
  /** SLUICE_DRAIN_NOTICE_MS: after SIGTERM or SIGHUP, how long `/health` says 503 before the port is closed. */
  readonly drainNoticeMs: number;
  /** SLUICE_METRICS_ADDRESS: where `/metrics` listens; null does not. */
  readonly metricsAddress: { readonly host: string; readonly port: number } | null;
  /** SLUICE_METRICS_TOKEN: with it `/metrics` is on the main address too; null keeps it off there. */
  readonly metricsToken: string | null;
  /** SLUICE_USAGE_PARTITIONS and SLUICE_USAGE_RETENTION_DAYS: how the request log lies, and how long it is kept. */
  readonly usagePartitions: PartitionSettings;
  /** SLUICE_UNVERIFIED_RETENTION_DAYS: how long an account is kept that nobody verifies; 0 is for good. */
  readonly unverifiedRetentionDays: number;
  /** SLUICE_TOKEN_LOG_DAYS: how long it is kept what happened to providers' credentials. */
  readonly tokenLogDays: number;
  /** SLUICE_SMTP_URL; null keeps mails as files in the data folder. */
  readonly smtpUrl: string | null;
  /** SLUICE_SMTP_CONNECTIONS: of one process. */
  readonly smtpConnections: number;
  /** SLUICE_MAIL_FROM. */
  readonly mailFrom: Sender;
  /** SLUICE_LOW_BALANCE_USD and SLUICE_VERY_LOW_BALANCE_USD: below which people are told of their balance. */
  readonly lowBalance: BalanceLevels;
  /** SLUICE_WEBHOOKS_PRIVATE: whether webhooks may lead into this network, and go without TLS. */
  readonly areWebhooksPrivate: boolean;
  /** SLUICE_TRUSTED_PROXIES: the proxies in front that are believed about whom they speak for. */
  readonly trustedProxies: readonly string[];
  /** SLUICE_PUBLIC_URL: the address to print and to build links with, when it is not the one listened on. */
  readonly publicUrl: string | null;
  /** SLUICE_LEGAL_DIR, absolute: the operator's legal texts; null shows the templates. */
  readonly legalDir: string | null;
  /** SLUICE_DEV: whether the pages under `/dev` are served, to everybody. */
  readonly isDevelopment: boolean;
}

/** For the project's own tests and measurements, which share an environment with what they start. */
const freePrefixes = ['SLUICE_TEST_', 'SLUICE_BENCH_', 'SLUICE_CAPTURES', 'SLUICE_CLIENTS'];

/** Where the examples keep what a client shows, a token or a session: in the same terminal they are there for the server too. */
const clientVariables = ['SLUICE_TOKEN', 'SLUICE_SESSION'];

/** Where there are mistakes, the values at fault are the defaults: for going on checking, not for starting. */
export function readEnvironment(variables: Variables): {
  environment: Environment;
  mistakes: readonly Mistake[];
} {
  const from = new VariableReader(variables);
  const keepsForMs = from.read('SLUICE_KEEP_RESPONSES_MS', keepResponsesMs, 3_600_000);
  const environment: Environment = {
    host: from.read('HOST', host, '127.0.0.1'),
    port: from.read('PORT', port, 8080),
    role: from.read('SLUICE_ROLE', choice(roles), 'all'),
    dataDir: from.read('SLUICE_DATA_DIR', path('a folder'), resolve('data')),
    databaseUrl: from.read('DATABASE_URL', databaseUrl, null),
    redisUrl: from.read('REDIS_URL', redisUrl, null),
    secret: from.read('SLUICE_SECRET', secret, null),
    spoolMaxBytes: from.read('SLUICE_SPOOL_MAX_BYTES', spoolBytes, 1024 ** 3),
    isSpoolSynced: from.read('SLUICE_SPOOL_FSYNC', choice(['on', 'off']), 'off') === 'on',
    configFile: from.read('SLUICE_CONFIG', path('the path of a YAML file'), null),
    modelsShape: from.read('SLUICE_MODELS_SHAPE', choice(modelsShapes), 'auto'),
    tokenPrefix: from.read('SLUICE_TOKEN_PREFIX', tokenPrefix, 'sluice_'),
    logLevel: from.read('SLUICE_LOG_LEVEL', choice(logLevels), 'info'),
    maxBodyBytes: from.read('SLUICE_MAX_BODY_BYTES', bytes, 32 * 1024 ** 2),
    bodyBudgetBytes: from.read('SLUICE_BODY_BUDGET_BYTES', budgetBytes, 512 * 1024 ** 2),
    keepAliveMs: from.read('SLUICE_STREAM_KEEP_ALIVE_MS', timeoutMs, 15_000),
    clientStallMs: from.read('SLUICE_CLIENT_STALL_TIMEOUT_MS', timeoutMs, 300_000),
    keepResponsesMs: keepsForMs,
    isIdempotencyOn:
      from.read('SLUICE_IDEMPOTENCY', choice(['on', 'off']), keepsForMs > 0 ? 'on' : 'off') === 'on',
    upstreamTimeouts: {
      connectMs: from.read('SLUICE_UPSTREAM_CONNECT_TIMEOUT_MS', timeoutMs, 5_000),
      firstByteMs: from.read('SLUICE_UPSTREAM_FIRST_BYTE_TIMEOUT_MS', timeoutMs, 120_000),
      failOverMs: from.read('SLUICE_UPSTREAM_FAIL_OVER_AFTER_MS', timeoutMs, 30_000),
      wholeAnswerMs: from.read('SLUICE_UPSTREAM_WHOLE_ANSWER_TIMEOUT_MS', timeoutMs, 600_000),
      idleMs: from.read('SLUICE_UPSTREAM_IDLE_TIMEOUT_MS', timeoutMs, 60_000),
    },
    failOverDeadlineMs: from.read('SLUICE_UPSTREAM_FAIL_OVER_DEADLINE_MS', timeoutMs, 120_000),
    upstreamHealth: from.read('SLUICE_UPSTREAM_HEALTH', choice(['on', 'off', 'probe']), 'on'),
    areUpstreamsPrivate: from.read('SLUICE_UPSTREAM_PRIVATE', choice(['on', 'off']), 'off') === 'on',
    proxies: readProxies(variables),
    upstreamClient: from.read('SLUICE_UPSTREAM_CLIENT', choice(['own', 'fetch']), 'own'),
    isTrustWaived: variables['NODE_TLS_REJECT_UNAUTHORIZED'] === '0',
    drainTimeoutMs: from.read('SLUICE_DRAIN_TIMEOUT_MS', drainTimeoutMs, 30_000),
    drainNoticeMs: from.read('SLUICE_DRAIN_NOTICE_MS', drainTimeoutMs, 1000),
    metricsAddress: from.read('SLUICE_METRICS_ADDRESS', listenAddress('127.0.0.1:9464'), usualMetricsAddress),
    metricsToken: from.read('SLUICE_METRICS_TOKEN', metricsToken, null),
    usagePartitions: {
      span: from.read('SLUICE_USAGE_PARTITIONS', choice(partitionSpans), 'month'),
      retentionDays: from.read('SLUICE_USAGE_RETENTION_DAYS', retentionDays, null),
    },
    tokenLogDays: from.read('SLUICE_TOKEN_LOG_DAYS', retentionDays, 30),
    unverifiedRetentionDays: from.read('SLUICE_UNVERIFIED_RETENTION_DAYS', unverifiedDays, 30),
    smtpUrl: from.read('SLUICE_SMTP_URL', smtpUrl, null),
    smtpConnections: from.read('SLUICE_SMTP_CONNECTIONS', wholeNumber('connections', { from: 1, to: 50 }), 5),
    mailFrom: from.read('SLUICE_MAIL_FROM', mailFrom, usualMailFrom),
    lowBalance: {
      lowNanoUsd: from.read('SLUICE_LOW_BALANCE_USD', usdAmount, 10_000_000_000n),
      veryLowNanoUsd: from.read('SLUICE_VERY_LOW_BALANCE_USD', usdAmount, 2_000_000_000n),
    },
    areWebhooksPrivate: from.read('SLUICE_WEBHOOKS_PRIVATE', choice(['on', 'off']), 'off') === 'on',
    trustedProxies: from.read('SLUICE_TRUSTED_PROXIES', proxies, []),
    publicUrl: from.read('SLUICE_PUBLIC_URL', httpAddress('https://api.example.com'), null),
    legalDir: from.read('SLUICE_LEGAL_DIR', path('a folder'), null),
    isDevelopment: from.read('SLUICE_DEV', choice(['on', 'off']), 'off') === 'on',
  };
  if (from.isSet('DATABASE_URL') && !from.isSet('SLUICE_SECRET')) {
    // Replicas share the database but not a data folder, and must open each other's secrets.
    from.note('SLUICE_SECRET', `is required with DATABASE_URL, expected ${secret.expected}`);
  }
  if (environment.role !== 'all' && environment.databaseUrl === null) {
    const need = 'needs DATABASE_URL: the embedded database serves one process, which does everything';
    from.note('SLUICE_ROLE', need);
  }
  if (from.isSet('SLUICE_SMTP_URL') && !from.isSet('SLUICE_MAIL_FROM')) {
    from.note('SLUICE_MAIL_FROM', `is required with SLUICE_SMTP_URL, expected ${mailFrom.expected}`);
  }
  if (environment.lowBalance.veryLowNanoUsd > environment.lowBalance.lowNanoUsd) {
    from.note('SLUICE_VERY_LOW_BALANCE_USD', 'must not be more than SLUICE_LOW_BALANCE_USD');
  }
  if (mostBytesOfRequests(environment.bodyBudgetBytes) < environment.maxBodyBytes) {
    from.note(
      'SLUICE_BODY_BUDGET_BYTES',
      'must be at least a third more than SLUICE_MAX_BODY_BYTES, or no such body is ever taken',
    );
  }
  for (const name of clientVariables) from.expect(name);
  from.noteUnknown('SLUICE_', freePrefixes);
  return { environment, mistakes: from.mistakes };
}

/** @throws ConfigurationError with every mistake there is. */
export function requireEnvironment(variables: Variables): Environment {
  const { environment, mistakes } = readEnvironment(variables);
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  return environment;
}

export const spoolFolder = ({ dataDir }: Environment): string => join(dataDir, 'spool');

export function storageOptions({ dataDir, databaseUrl }: Environment): StorageOptions {
  return databaseUrl === null ? { dataDir } : { dataDir, databaseUrl };
}

/**
 * Only a start makes an embedded database: a command in the wrong folder would otherwise work on a new, empty one.
 * @throws AppError not_found.
 */
export function requireDatabase({ dataDir, databaseUrl }: Environment): void {
  if (databaseUrl !== null || hasEmbeddedDatabase(dataDir)) return;
  throw new AppError({
    code: 'not_found',
    public: `There is no database in the data folder ${dataDir}. Start the server there once (npm start), or set SLUICE_DATA_DIR to the folder it uses.`,
  });
}
