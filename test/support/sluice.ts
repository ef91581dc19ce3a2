/** A whole Sluice for a test: the real program on a real socket and database, with the upstream double behind it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import OpenAI, { type ClientOptions } from 'openai';
import { stringify } from 'yaml';
import { systemIds } from '../../src/base/ids.ts';
import { type Log, openLog } from '../../src/base/log.ts';
import { everybody } from '../../src/base/scope.ts';
import { mintToken } from '../../src/identity/token.ts';
import { loadConfiguration } from '../../src/main/configuration.ts';
import { type RunningSluice, startSluice } from '../../src/main/start.ts';
import { providerAdapters } from '../../src/providers/index.ts';
import { readUsage, type StoredUsageRecord } from '../../src/usage/index.ts';
import { type DatabaseChoice, usualDatabase } from './databases.ts';
import { LeapingClock } from './leaping-clock.ts';
import { startUpstream, type Upstream } from './upstream/index.ts';

export interface TestSluiceOptions {
  /** The usual one when not given. */
  readonly database?: DatabaseChoice;
  /** Merged over the usual file: providers, models, users, keys. */
  readonly file?: (upstreamUrl: string) => Partial<ConfigFile>;
  readonly variables?: Readonly<Record<string, string>>;
  /** A silent one when not given. */
  readonly log?: Log;
  /** A provider that failed is asked again without a pause: for tests of what is told then, and not of when. */
  readonly skipsPauses?: boolean;
  /** The clock leaps over such a pause, so that it has passed for whoever measures it. */
  readonly leapsPauses?: boolean;
}

export interface ConfigFile {
  readonly users: readonly object[];
  readonly providers: readonly object[];
  readonly models: readonly object[];
  readonly keys: readonly object[];
  readonly organisations?: readonly object[];
  readonly identity_providers?: readonly object[];
  readonly portals?: readonly object[];
}

export interface TestSluice {
  readonly url: string;
  readonly upstream: Upstream;
  readonly running: RunningSluice;
  /** Of the usual key, whose owner has 25 USD. */
  readonly token: string;
  /** A client that never retries, so that a test sees each answer. */
  client(options?: ClientOptions): OpenAI;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** What was settled so far, oldest first. */
  usage(): Promise<readonly StoredUsageRecord[]>;
  /** The first that is as wanted, as soon as it is there: settlement goes on after an answer or a client has gone. */
  nextUsage(isWanted: (record: StoredUsageRecord) => boolean): Promise<StoredUsageRecord>;
  /** Of the usual key's owner. */
  availableNanoUsd(): Promise<bigint>;
  /** A client has left: as soon as the gateway knows, the time is over that it reads on for the usage. */
  readsOnNoLonger(): Promise<void>;
  /** A client has left: as soon as the gateway knows, and reads on for the usage. */
  readsOn(): Promise<void>;
  /** Makes its clock leap ahead, so that deadlines, limits and lifetimes end. */
  leap(ms: number): void;
  stop(): Promise<void>;
}

export const newToken = (): string => mintToken(systemIds, 'sluice_');

/** Provider `main`, model `double-1` at prices 0.15, 0.075 and 0.60 USD per million, alias `one`. */
export const usualModel = {
  id: 'double-1',
  type: 'chat',
  owned_by: 'doubles',
  aliases: ['one'],
  context_window: 128_000,
  max_output_tokens: 16_384,
  capabilities: ['tools', 'vision'],
  prices: { input: 0.15, cached_input: 0.075, output: 0.6 },
  providers: [{ provider: 'main', upstream_id: 'double-1-2026' }],
};

export const usualProvider = (upstreamUrl: string) => ({
  name: 'main',
  kind: 'openai',
  base_url: upstreamUrl,
  region: 'eu',
  credentials: [{ name: 'k1', api_key: 'upstream-secret' }],
});

export const owner = 'owner@example.test';

/** On a busy machine Redis answers late, and tests of one that is away end it. */
const redisWaitMs = 10_000;

/** More than the gateway ever reads on, and than the deadlines take for a process that stood still. */
const readingOnMs = 20_000;

export async function startTestSluice(options: TestSluiceOptions = {}): Promise<TestSluice> {
  const upstream = startUpstream();
  const database = await (options.database ?? usualDatabase).prepare();
  const folder = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  const token = newToken();
  const file: ConfigFile = {
    users: [{ email: owner, password: 'a long enough password', role: 'platform_owner', wallet_usd: 25 }],
    providers: [usualProvider(upstream.url)],
    models: [usualModel],
    keys: [{ name: 'usual', owner, token }],
    ...options.file?.(upstream.url),
  };
  if (file.keys.every((key) => Reflect.get(key, 'name') !== 'usual')) {
    Reflect.set(file, 'keys', [...file.keys, { name: 'usual', owner, token }]);
  }
  // A file with secrets in it that everybody can read is warned of, and tests look at the warnings.
  await writeFile(join(folder, 'sluice.yaml'), stringify(file), { mode: 0o600 });
  const configuration = await loadConfiguration(
    {
      PORT: '0',
      SLUICE_METRICS_ADDRESS: '127.0.0.1:0',
      SLUICE_CONFIG: join(folder, 'sluice.yaml'),
      // What fails in one test is not to be spared in the next; tests of that turn it on.
      SLUICE_UPSTREAM_HEALTH: 'off',
      SLUICE_SECRET: 'a secret of the tests, long enough',
      ...database.variables,
      ...firstByteForAll(options.variables),
    },
    providerAdapters,
  );
  const log = options.log ?? openLog({ level: 'silent' });
  const clock = new LeapingClock();
  // In a turn of its own, in which what happens beside the request can happen.
  const leapPause = async (ms: number) => {
    clock.leap(ms);
    await nextTurn();
  };
  const skipPause = options.skipsPauses === true ? () => nextTurn() : undefined;
  const pause = options.leapsPauses === true ? leapPause : skipPause;
  const running = await startSluice({ configuration, log, clock, pause, redisWaitMs });
  const { services, url } = running;
  const readsOn = async () => {
    while (services.settlement.owedCount === 0) await nextTurn();
  };
  const stop = async () => {
    await running.stop();
    upstream.stop();
    await database.discard();
    await rm(folder, { recursive: true, force: true });
  };
  return {
    url,
    upstream,
    running,
    token,
    client: (clientOptions) =>
      new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0, ...clientOptions }),
    post: (path, body, headers) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async usage() {
      // Counts are taken when an answer has gone.
      while (services.settlement.owedCount > 0) await nextTurn();
      await services.settlement.flush();
      const records = await readUsage(everybody, services.storage.db, {});
      return records.toReversed();
    },
    async nextUsage(isWanted) {
      while (true) {
        await services.settlement.flush();
        const record = (await readUsage(everybody, services.storage.db, {})).find(isWanted);
        if (record !== undefined) return record;
        await nextTurn();
      }
    },
    async availableNanoUsd() {
      await services.settlement.flush();
      const [record] = await readUsage(everybody, services.storage.db, { limit: 1 });
      return services.wallets.available(record?.payerId ?? 1);
    },
    async readsOnNoLonger() {
      await readsOn();
      clock.leap(readingOnMs);
    },
    readsOn,
    leap: (ms) => clock.leap(ms),
    stop,
  };
}

/** A test that shortens the wait for a stream's first content means whole answers too. */
function firstByteForAll(variables: Readonly<Record<string, string>> = {}): Record<string, string> {
  const firstByteMs = variables['SLUICE_UPSTREAM_FIRST_BYTE_TIMEOUT_MS'];
  if (firstByteMs === undefined) return variables;
  return { SLUICE_UPSTREAM_WHOLE_ANSWER_TIMEOUT_MS: firstByteMs, ...variables };
}
