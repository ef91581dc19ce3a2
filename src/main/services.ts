/** The parts of a running server, opened in order and closed in reverse: the only place that picks them. */
import { systemNames } from '../base/addresses.ts';
import { ByteBudget } from '../base/byte-budget.ts';
import type { Clock } from '../base/clock.ts';
import { Deadlines } from '../base/deadlines.ts';
import { type Envelope, openEnvelope } from '../base/envelope.ts';
import { describeThrown } from '../base/errors.ts';
import { systemIds } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { isProxiedBy } from '../base/proxies.ts';
import { Reachability } from '../base/reachability.ts';
import { onlyOf } from '../base/scope.ts';
import { Turns } from '../base/turns.ts';
import { Catalogue, type CatalogueSnapshot, type Credential, CredentialKeeper } from '../catalogue/index.ts';
import {
  GatewayMetrics,
  type GatewayServices,
  GenerationRates,
  type KeptAnswers,
  KeptResponses,
  KeyRecords,
  MemoryAnswers,
  RedisAnswers,
  Settlement,
  Unanswered,
} from '../gateway/index.ts';
import { HttpClient } from '../http/index.ts';
import { CallerDirectory, findKey, ResellerHosts } from '../identity/index.ts';
import { listHolders, releaseHolder, Wallets } from '../ledger/index.ts';
import { type Limiter, MemoryLimiter, RedisLimiter } from '../limits/index.ts';
import { KeptMails, type MailQueue, Outbox, type WebhookNetwork } from '../notifications/index.ts';
import { RedisSharing, Routes, renewalEvent, TokenLog } from '../routing/index.ts';
import type { Storage } from '../storage/index.ts';
import { Outgoing, Prober } from '../upstream/index.ts';
import { readUsage, readUsageReport, type Spool } from '../usage/index.ts';
import type { Environment } from './environment.ts';
import { Connections } from './http-server.ts';
import { openKeepers } from './keepers.ts';
import { mailerSettings, serviceOf, webhookNetwork } from './notification-settings.ts';
import { dutiesOf } from './roles.ts';
import { watchProbes, watchRouting } from './routing-metrics.ts';
import { adoptDeadSpools, keepsSpool, openSpool, watchSpool } from './spools.ts';
import { batchWriter, isAboutRecords, leasedOfBudgets } from './write-batch.ts';

export interface Services extends GatewayServices {
  readonly callers: CallerDirectory;
  readonly storage: Storage;
  readonly envelope: Envelope;
  readonly mail: MailQueue;
  readonly webhookNetwork: WebhookNetwork;
  readonly resellerHosts: ResellerHosts;
  /** Mails as files; null where they go to a server. */
  readonly keptMails: KeptMails | null;
  readonly connections: Connections;
  /**
   * Writes what is still waiting, then lets go of everything but the storage.
   * @throws AppError `accounting_unavailable` when some of it could not be written.
   */
  close(): Promise<void>;
}

export interface ServicesOptions {
  readonly environment: Environment;
  readonly storage: Storage;
  readonly secret: string;
  readonly log: Log;
  readonly clock: Clock;
  /** How a request waits until a provider is asked again; by the clock where it is not given. */
  readonly pause?: Clock['sleep'] | undefined;
  /** That a request waits for Redis at most, at each question; as each use of Redis has it where it is not given. */
  readonly redisWaitMs?: number | undefined;
}

export async function openServices(options: ServicesOptions): Promise<Services> {
  const opened = new OpenedParts();
  try {
    return await openParts(options, opened);
  } catch (error) {
    // Told is why it cannot start; closing most likely fails for the same reason.
    await opened.close().catch(() => undefined);
    throw error;
  }
}

/** What has been opened so far, to be closed at the end, or when something after it cannot be opened. */
class OpenedParts {
  settlement: Settlement | null = null;
  wallets: Wallets | null = null;
  spool: Spool | null = null;
  readonly others = new AsyncDisposableStack();

  async close(): Promise<void> {
    let isReleased = false;
    try {
      await this.settlement?.close();
      // Only what is written may be given back.
      await this.wallets?.close();
      isReleased = true;
    } finally {
      // Its timers would keep the process from ending.
      if (!isReleased) this.wallets?.abandon();
      this.spool?.close(isReleased);
      await this.others.disposeAsync();
    }
  }
}

async function openParts(
  { environment, storage, secret, log, clock, pause, redisWaitMs }: ServicesOptions,
  opened: OpenedParts,
): Promise<Services> {
  const { others } = opened;
  const { db, changes } = storage;
  const redisParts = { clock, log, ...(redisWaitMs === undefined ? {} : { timeoutMs: redisWaitMs }) };
  const duties = dutiesOf(environment.role);
  const serves = keepsSpool(environment);
  const envelope = await openEnvelope(secret);
  const onReloadFailed = (what: string) => (error: unknown) =>
    log.error(`${what} could not be read again`, { detail: describeThrown(error) });
  const catalogue = await Catalogue.open({
    ...{ db, changes, envelope, clock },
    onReloadFailed: onReloadFailed('the catalogue'),
    onWarning: (message) => log.warn(message),
  });
  others.defer(() => catalogue.close());
  const resellerHosts = await ResellerHosts.open({
    ...{ db, changes, clock },
    onReloadFailed: onReloadFailed('the portals'),
  });
  others.defer(() => resellerHosts.close());
  const wallets = new Wallets({
    ...{ db, changes, clock },
    onHolder: (id) => {
      if (opened.spool === null) return;
      opened.spool.alsoOf(String(id));
      log.warn('the leases of this process were taken away while it lives; it goes on as another holder', {
        detail: `holder ${id}`,
      });
    },
  });
  opened.wallets = wallets;
  const tokenLog = others.adopt(new TokenLog({ storage, clock, ids: systemIds, log }), close);
  const credentials = new CredentialKeeper({
    ...{ storage, envelope, clock, ids: systemIds, log },
    onRenewal: ({ credential, failure }) =>
      tokenLog.add(renewalEvent(namesOf(catalogue.current(), credential), failure)),
  });
  others.defer(() => credentials.close());
  const adopted = await adoptDeadSpools({ environment, storage, clock, log });
  // What is left now was leased by a process whose spool is lost.
  if (storage.kind === 'embedded') await releaseAll(storage, clock);
  const spool = serves ? openSpool({ environment, holderId: await wallets.register(), clock, log }) : null;
  opened.spool = spool;
  const settlement = new Settlement({
    write: batchWriter(storage, wallets),
    isAboutRecords,
    ...(spool === null ? undefined : { spool }),
    onSetAside: (record) =>
      wallets.writeOff(record.payerId, record.chargedNanoUsd, leasedOfBudgets([record])),
    clock,
    log,
  });
  opened.settlement = settlement;
  const deadlines = new Deadlines(clock);
  const lifetimeMs = environment.keepResponsesMs;
  const keptResponses = others.adopt(new KeptResponses({ clock, lifetimeMs }), close);
  const keptAnswers = others.adopt(openKeptAnswers(environment, { ...redisParts, envelope }), close);
  const bodies = new ByteBudget(environment.bodyBudgetBytes);
  const metrics = new GatewayMetrics(clock, bodies);
  watchSpool(metrics, spool, adopted);
  const limiter = others.adopt(await openLimiter(serves ? environment.redisUrl : null, redisParts), close);
  const rates = new GenerationRates();
  const routes = new Routes({
    clock,
    pause,
    random: Math.random,
    deadlineMs: environment.failOverDeadlineMs,
    isHealthOn: environment.upstreamHealth !== 'off',
    rateOf: (deployment) => rates.of(deployment),
    onEvent: (event) => tokenLog.add(event),
  });
  watchRouting(metrics, routes, catalogue);
  const sharing = serves ? await shareRoutes(routes, environment, redisParts) : null;
  others.defer(() => sharing?.close());
  const isProxied = isProxiedBy(environment.proxies);
  const { upstreamClient, isTrustWaived } = environment;
  const client = upstreamClient === 'own' ? others.adopt(new HttpClient({ isTrustWaived }), close) : null;
  const upstream = {
    clock,
    deadlines,
    credentials,
    timeouts: environment.upstreamTimeouts,
    reachability: new Reachability(clock, isProxied),
    outgoing: new Outgoing({
      ...{ clock, resolve: systemNames },
      isPrivateAllowed: environment.areUpstreamsPrivate,
      isProxied,
      client,
    }),
    bodies,
    beginnings: new Turns(),
    onDroppedFrame: (provider: string) => metrics.droppedFrame(provider),
  };
  const prober =
    duties.gateway && environment.upstreamHealth === 'probe'
      ? new Prober({
          ...{ health: routes.health, snapshot: () => catalogue.current() },
          ...{ services: upstream, clock, log },
        })
      : null;
  others.defer(() => prober?.close());
  watchProbes(metrics, prober);
  const service = serviceOf(environment);
  const outbox = new Outbox({ storage, envelope, service, clock, ids: systemIds });
  const mailSettings = mailerSettings(environment);
  const { maxBodyBytes, keepAliveMs, clientStallMs, modelsShape, publicUrl } = environment;
  const keepers = duties.jobs ? openKeepers({ environment, storage, envelope, outbox, clock, log }) : null;
  others.defer(() => keepers?.close());
  return {
    storage,
    envelope,
    mail: outbox,
    webhookNetwork: webhookNetwork(environment),
    resellerHosts,
    keptMails: mailSettings.smtpUrl === null ? new KeptMails(mailSettings.folder) : null,
    catalogue,
    wallets,
    settlement,
    async findUsage(scope, requestId) {
      const [record] = await readUsage(scope, db, { requestId, limit: 1 });
      return record;
    },
    log,
    callers: new CallerDirectory({ db, changes, clock, tokenPrefix: environment.tokenPrefix }),
    limiter,
    metrics,
    keptResponses,
    keptAnswers,
    keyRecords: new KeyRecords({
      clock,
      findKey: ({ keyId, userId }) => findKey(onlyOf(userId), db, keyId),
      readReport: ({ userId }, asked) => readUsageReport(onlyOf(userId), db, asked),
    }),
    rates,
    upstream,
    routes,
    bodies,
    deadlines,
    turns: new Turns(),
    relays: new Set(),
    ...{ unanswered: new Unanswered(), connections: new Connections(), clock, ids: systemIds },
    settings: { maxBodyBytes, keepAliveMs, clientStallMs, modelsShape, publicUrl },
    close: () => opened.close(),
  };
}

const close = (part: { close(): Promise<void> | void } | null) => part?.close();

/** What each use of Redis is made of, beside its address. */
type RedisParts = Pick<ServicesOptions, 'clock' | 'log'> & { readonly timeoutMs?: number };

/** One for all processes where they have a Redis, else one of this process. */
async function openLimiter(url: string | null, parts: RedisParts): Promise<Limiter> {
  return url === null ? new MemoryLimiter(parts.clock) : await RedisLimiter.open({ url, ...parts });
}

/** The provider of a credential that requests are using is in the catalogue, or was a moment ago. */
function namesOf({ models }: CatalogueSnapshot, { id, name: keyName }: Credential) {
  const owner = models
    .flatMap(({ deployments }) => deployments)
    .find(({ provider }) => provider.credentials.some((credential) => credential.id === id));
  return { provider: owner?.provider.name ?? '', keyName };
}

/** Null where there is no Redis, and each process goes by what it sees itself. */
async function shareRoutes(
  routes: Routes,
  { redisUrl: url }: Environment,
  parts: RedisParts,
): Promise<RedisSharing | null> {
  if (url === null) return null;
  return await routes.share((listener) => RedisSharing.open({ url, ...parts }, listener));
}

/** Nowhere where answers must not be kept. */
function openKeptAnswers(
  { isIdempotencyOn, redisUrl: url }: Environment,
  parts: RedisParts & { envelope: Envelope },
): KeptAnswers | null {
  if (!isIdempotencyOn) return null;
  return url === null ? new MemoryAnswers(parts.clock) : new RedisAnswers({ url, ids: systemIds, ...parts });
}

/** Nobody else can have an embedded database open: whoever leased something there before is gone. */
async function releaseAll({ db }: Storage, clock: Clock): Promise<void> {
  for (const { id } of await listHolders(db)) await releaseHolder(db, id, clock.nowMs());
}
