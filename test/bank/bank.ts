/**
 * One run: processes that serve one database are killed, paused and robbed of the database's answers while clients ask
 * them; at the end the ledger, the usage rows and the provider's own count must agree to the nano-dollar.
 */
import { sql } from 'drizzle-orm';
import { findUserByEmail } from '../../src/identity/index.ts';
import { readMoney } from '../../src/ledger/testing/read-money.ts';
import { openStorage, type Storage } from '../../src/storage/index.ts';
import { Random } from '../fuzz/random.ts';
import { usualDatabase } from '../support/databases.ts';
import { type OwnRedis, startOwnRedis } from '../support/redis.ts';
import { owner, usualModel, usualProvider } from '../support/sluice.ts';
import { startUpstream } from '../support/upstream/index.ts';
import { askOn, type Client, clientsOf, type Heard } from './clients.ts';
import { openWire } from './database-wire.ts';
import { Processes } from './processes.ts';
import { type Reckoning, settleUp, type TokenPrices } from './settle-up.ts';

export interface BankOptions {
  readonly seed: number;
  readonly seconds: number;
  readonly processes: number;
  /** Processes that wait to take the place of one that is killed. */
  readonly spares: number;
  readonly clients: number;
  /** Redis, which counts limits, is killed and started again every three seconds; false runs without one. */
  readonly restartsRedis: boolean;
  /** Called every three seconds to make PostgreSQL restart. */
  readonly restartPostgres?: ((storage: Storage) => Promise<void>) | undefined;
}

export interface BankReport extends Reckoning {
  readonly seed: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly heard: number;
  readonly received: number;
  readonly kills: number;
  readonly pauses: number;
  readonly failedStarts: number;
  readonly lastFailure: string;
  readonly lostAnswers: number;
  readonly restarts: number;
  /** The smallest that was seen, at any time. */
  readonly poorLowestNanoUsd: bigint;
}

const password = 'a long enough password';
const poorOwner = 'poor@example.test';
const killEveryMs = 1000;
const pauseEveryMs = 1700;
const loseEveryMs = 400;
const restartEveryMs = 3000;
const lookEveryMs = 250;
/** Times the usual price, so that the small wallet is at its floor within seconds. */
const dear = 100;
const prices: ReadonlyMap<string, TokenPrices> = new Map([
  ['double-1', { input: 150n, cached: 75n, output: 600n }],
  ['dear', { input: 15_000n, cached: 7_500n, output: 60_000n }],
]);

export async function runBank(options: BankOptions): Promise<BankReport> {
  const opened = new AsyncDisposableStack();
  try {
    return await runAll(options, opened);
  } finally {
    await opened.disposeAsync();
  }
}

async function runAll(options: BankOptions, opened: AsyncDisposableStack): Promise<BankReport> {
  const random = new Random(options.seed);
  const database = await usualDatabase.prepare();
  opened.defer(() => database.discard());
  const { DATABASE_URL } = database.variables;
  if (DATABASE_URL === undefined)
    throw new Error('The bank test needs PostgreSQL: SLUICE_TEST_POSTGRES_URL.');
  const places = Array.from({ length: options.processes }, (_, place) => place);
  const wires = await Promise.all(
    Array.from({ length: options.processes + options.spares }, () => openWire(DATABASE_URL)),
  );
  opened.defer(() => {
    for (const wire of wires) wire.stop();
  });
  const redis = options.restartsRedis ? await startOwnRedis() : undefined;
  opened.defer(() => redis?.kill());
  const upstream = startUpstream({ keepRequests: 1_000_000 });
  upstream.byDefault({ shape: { firstDelayMs: 2, chunkDelayMs: 1 } });
  opened.defer(() => upstream.stop());
  const clients = clientsOf(options.clients);
  const processes = new Processes({
    count: options.processes,
    spares: options.spares,
    database,
    file: fileOf(clients, upstream.url),
    variablesOf: (wire) => ({
      DATABASE_URL: wires[wire]?.url ?? DATABASE_URL,
      SLUICE_LOG_LEVEL: 'error',
      ...(redis === undefined ? undefined : { REDIS_URL: redis.url }),
    }),
  });
  opened.defer(() => processes.discard());
  const storage = await openStorage(database.options);
  opened.defer(() => storage.close());
  // The servers of tests promise less: what they have confirmed must outlive them here.
  const databaseName = new URL(DATABASE_URL).pathname.slice(1);
  await storage.db.execute(sql`ALTER DATABASE ${sql.identifier(databaseName)} SET synchronous_commit = on`);
  await processes.start();
  const poor = await findUserByEmail(storage.db, poorOwner);
  if (poor === undefined) throw new Error('the owner of the small wallet is not there');

  const endsAt = performance.now() + options.seconds * 1000;
  const isOver = () => performance.now() >= endsAt;
  const heard: Heard[] = [];
  const statuses = new Map<number, number>();
  let poorLowest = 1_000_000_000n;
  let restarts = 0;
  const repeat = async (everyMs: number, work: () => unknown) => {
    while (!isOver()) {
      await Bun.sleep(everyMs);
      if (!isOver()) await work();
    }
  };
  await Promise.all([
    ...clients.map((client, number) => {
      const own = new Random(options.seed, number + 1);
      const url = () => processes.urlFrom(own.below(options.processes));
      const model = client.isPoor ? 'dear' : usualModel.id;
      return askOn({ client, random: own, url, model, isOver, heard, statuses });
    }),
    repeat(killEveryMs, () => killOne(processes, { random, count: options.processes })),
    repeat(pauseEveryMs, () => processes.pause(random.below(options.processes), 300 + random.below(900))),
    repeat(loseEveryMs, () => {
      // Those that serve: a start that loses one fails, and is made again.
      for (const place of places) {
        const wire = processes.wireOf(place);
        if (wire !== undefined) wires[wire]?.loseAnswers(() => random.oneIn(12));
      }
    }),
    repeat(lookEveryMs, async () => {
      // It may be starting again at this moment.
      const seen = await readMoney(storage.db, poor.id).catch(() => undefined);
      if (seen !== undefined && seen.balanceNanoUsd < poorLowest) poorLowest = seen.balanceNanoUsd;
    }),
    repeat(restartEveryMs, async () => {
      if (redis !== undefined) await restart(redis);
      await options.restartPostgres?.(storage);
      if (redis !== undefined || options.restartPostgres !== undefined) restarts += 1;
    }),
  ]);
  const endings = await processes.stop();
  const reckoning = await settleUp(storage, { heard, received: upstream.requests, prices, poorId: poor.id });
  return {
    ...reckoning,
    complaints: [
      ...reckoning.complaints,
      ...(poorLowest < 0n ? [`the small wallet was seen at ${poorLowest}`] : []),
      // A client may be told to come again (503), and never that something went wrong here.
      ...(statuses.has(500) ? [`${statuses.get(500)} answers had status 500`] : []),
      ...new Set(processes.failures),
      ...endings.filter((ending) => ending !== 0).map((ending) => `a process ended with ${ending}`),
    ],
    seed: options.seed,
    statuses: Object.fromEntries(statuses),
    heard: heard.length,
    received: upstream.requests.length,
    kills: processes.killCount,
    pauses: processes.pauseCount,
    failedStarts: processes.failedStarts,
    lastFailure: processes.lastFailure,
    lostAnswers: wires.reduce((sum, { lostCount }) => sum + lostCount, 0),
    restarts,
    poorLowestNanoUsd: poorLowest,
  };
}

const fileOf = (clients: readonly Client[], upstreamUrl: string): object => ({
  users: [
    { email: owner, password, role: 'platform_owner', wallet_usd: 100 },
    { email: poorOwner, password, role: 'member', wallet_usd: 1 },
  ],
  providers: [usualProvider(upstreamUrl)],
  models: [
    usualModel,
    {
      ...usualModel,
      id: 'dear',
      aliases: [],
      prices: { input: 0.15 * dear, cached_input: 0.075 * dear, output: 0.6 * dear },
    },
  ],
  keys: clients.map(({ name, token, isPoor }) => ({
    ...{ name, token, owner: isPoor ? poorOwner : owner },
    requests_per_minute: 1_000_000,
  })),
});

/** Never the last that serves: on a slow machine a start takes longer than the time between two kills. */
function killOne(processes: Processes, { random, count }: { random: Random; count: number }): void {
  if (processes.servingCount < 2 && processes.waitingCount === 0) return;
  const first = random.below(count);
  for (let tried = 0; tried < count; tried += 1) if (processes.kill((first + tried) % count)) return;
}

async function restart(redis: OwnRedis): Promise<void> {
  await redis.kill();
  await Bun.sleep(300);
  await redis.start();
}
