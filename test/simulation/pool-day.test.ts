/**
 * A day of two replicas that share a pool of accounts over one database, by a clock of their own: every account's token
 * ends each hour and its refresh token works once, its quotas run out and come back, one account is withdrawn. Real
 * parts: routes, attempts, the keeper of credentials and the database; the accounts are doubles.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { systemNames } from '../../src/base/addresses.ts';
import { ByteBudget } from '../../src/base/byte-budget.ts';
import { Deadlines } from '../../src/base/deadlines.ts';
import { openEnvelope } from '../../src/base/envelope.ts';
import { systemIds } from '../../src/base/ids.ts';
import { Reachability } from '../../src/base/reachability.ts';
import { ManualClock } from '../../src/base/testing/manual-clock.ts';
import { silentLog } from '../../src/base/testing/silent-log.ts';
import { Turns } from '../../src/base/turns.ts';
import { CredentialKeeper, type Model } from '../../src/catalogue/index.ts';
import { upsertProviders } from '../../src/catalogue/providers.ts';
import { sampleProvider } from '../../src/catalogue/samples.test-data.ts';
import type { OAuthRenewal } from '../../src/providers/provider.ts';
import { type Candidate, Routes } from '../../src/routing/index.ts';
import { servedBy } from '../../src/routing/testing/candidates.ts';
import { providerCredentials } from '../../src/storage/schema/catalogue.ts';
import { transact } from '../../src/storage/work.ts';
import {
  askUpstream,
  attempt,
  Outgoing,
  readAnswerText,
  type UpstreamServices,
} from '../../src/upstream/index.ts';
import { type TestDatabase, usualDatabase } from '../support/databases.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const windowMs = 5 * hourMs;
const mostAMinute = 12;
const mostInWindow = 900;
const names = ['k1', 'k2', 'k3', 'k4'];
const withdrawnAtMinute = 9 * 60;

const clock = new ManualClock();

/** What an account's tokens say: whose they are, how often they were renewed, when they end. */
const tokenOf = (account: string, generation: number) => `${account} ${generation} ${clock.nowMs() + hourMs}`;

class RevokedError extends Error {}

class Account {
  isWithdrawn = false;
  /** Refresh tokens that came a second time, at which a real service withdraws the account. */
  reused = 0;
  renewals = 0;
  asked = 0;
  refusedUnauthorised = 0;
  readonly #name: string;
  #generation = 1;
  #minute = { at: -1, count: 0 };
  #window = { at: -1, count: 0 };

  constructor(name: string) {
    this.#name = name;
  }

  /** How many more requests it serves now. */
  get left(): number {
    this.#roll();
    if (this.isWithdrawn) return 0;
    return Math.max(0, Math.min(mostAMinute - this.#minute.count, mostInWindow - this.#window.count));
  }

  answer(token: string): Response {
    this.#roll();
    this.asked += 1;
    const [, generation, endsAtMs] = token.split(' ');
    const isKnown = Number(generation) === this.#generation && Number(endsAtMs) > clock.nowMs();
    if (this.isWithdrawn || !isKnown) {
      this.refusedUnauthorised += 1;
      return new Response('', { status: 401 });
    }
    if (this.left > 0) {
      this.#minute.count += 1;
      this.#window.count += 1;
      return new Response('fine');
    }
    const isSpent = this.#window.count >= mostInWindow;
    const resetSeconds = ((this.#window.at + 1) * windowMs - clock.monotonicMs()) / 1000;
    const headers = isSpent
      ? {
          'x-codex-primary-used-percent': '100',
          'x-codex-primary-reset-after-seconds': String(resetSeconds),
        }
      : undefined;
    return new Response('', { status: 429, ...(headers && { headers }) });
  }

  async renew(token: string): Promise<string> {
    await clock.sleep(300);
    if (this.isWithdrawn) throw new RevokedError('the account was withdrawn');
    if (Number(token.split(' ')[1]) !== this.#generation) {
      this.reused += 1;
      throw new RevokedError('the refresh token was used before');
    }
    this.#generation += 1;
    this.renewals += 1;
    return tokenOf(this.#name, this.#generation);
  }

  #roll(): void {
    const nowMs = clock.monotonicMs();
    const minute = Math.floor(nowMs / minuteMs);
    if (minute !== this.#minute.at) this.#minute = { at: minute, count: 0 };
    const window = Math.floor(nowMs / windowMs);
    if (window !== this.#window.at) this.#window = { at: window, count: 0 };
  }
}

const accounts = new Map(names.map((name) => [name, new Account(name)]));

function accountOf(token: string): Account {
  const account = accounts.get(token.split(' ')[0] ?? '');
  if (account === undefined) throw new Error(`nobody has the token ${token}`);
  return account;
}

const oauth: OAuthRenewal = {
  expiresAtMs: (token) => Number(token.split(' ')[2]),
  renew: (token) => accountOf(token).renew(token),
  isFinal: (cause) => cause instanceof RevokedError,
};

const support = {
  protocol: { readComplaint: () => null },
  address: ({ target }: { target: { secret: string | null } }) => ({
    url: 'double:',
    headers: { authorization: target.secret ?? '' },
  }),
};

/** Reads the catalogue once and hears of no change: what the other one renewed it finds in the database alone. */
class Replica {
  served = 0;
  readonly #model: Model;
  readonly #candidates: readonly Candidate[];
  readonly #routes = new Routes({ clock, random, deadlineMs: 120_000, isHealthOn: true });
  readonly #services: UpstreamServices;

  constructor(candidates: readonly Candidate[], model: Model, credentials: CredentialKeeper) {
    this.#model = model;
    this.#candidates = candidates;
    this.#services = {
      ...{ clock, credentials, deadlines: new Deadlines(clock) },
      timeouts: {
        connectMs: 60_000,
        firstByteMs: 60_000,
        failOverMs: 60_000,
        wholeAnswerMs: 60_000,
        idleMs: 60_000,
      },
      reachability: new Reachability(clock),
      outgoing: new Outgoing({
        clock,
        resolve: systemNames,
        isPrivateAllowed: false,
        isProxied: () => false,
        client: null,
      }),
      bodies: new ByteBudget(10_000_000),
      beginnings: new Turns(),
    };
  }

  /** As the pipeline does it. */
  async request(): Promise<void> {
    const route = this.#routes.open(this.#candidates, this.#model);
    while (route.candidate !== null) {
      const { candidate, isLast, isRetry, contentWithinMs } = route;
      if (route.pauseMs > 0) await clock.sleep(route.pauseMs);
      const options = { candidate, services: this.#services, streamed: false, isLast, isRetry };
      const result = await attempt({ ...options, contentWithinMs }, async (call) =>
        readAnswerText(await askUpstream(call, { support, stream: false, body: '{}' }), call),
      );
      if (result.kind === 'answer') {
        route.answered();
        route.ended();
        this.served += 1;
        return;
      }
      if (result.kind === 'abandoned' || !route.failed(result.failure)) return;
    }
  }
}

let seed = 11;
function random(): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
}

/**
 * Lets time pass until the work is done, five milliseconds for each answer of the database: on a busy machine minutes would pass
 * while it works, and a renewal would come after its request has given up.
 */
async function passing(work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  work.then(done, done);
  while (!isDone) {
    await clock.advance(5);
    if (!isDone) await storage.db.execute(sql`SELECT 1`);
  }
  await work;
}

let storage: TestDatabase;
let keepers: readonly CredentialKeeper[];
let replicas: readonly Replica[];

beforeAll(async () => {
  storage = await usualDatabase.open();
  const envelope = await openEnvelope('a secret of thirty-two characters');
  const parts = { storage, clock, ids: systemIds, envelope };
  const credentials = names.map((name) => ({ name, secret: tokenOf(name, 1) }));
  await transact(parts, (work) =>
    upsertProviders({ ...work, envelope }, 'file', [sampleProvider({ credentials })]),
  );
  const rows = await storage.db.select().from(providerCredentials);
  const { model, candidates } = servedBy([{ name: 'pool', keys: names }]);
  const renewable = candidates.map((candidate): Candidate => {
    const known = credentials.find(({ name }) => name === candidate.credential?.name);
    const id = rows.find(({ name }) => name === known?.name)?.id;
    if (known === undefined || id === undefined) throw new Error('the credential is not stored');
    const answer = async ({ headers }: { headers: Readonly<Record<string, string>> }) => {
      const token = headers['authorization'] ?? '';
      return accountOf(token).answer(token);
    };
    const { secret } = known;
    const target = { ...candidate.target, secret };
    const adapter = { ...candidate.adapter, oauth, answer };
    return { ...candidate, credential: { id, ...known }, secret, target, adapter };
  });
  const pool = renewable.map((candidate) => ({ ...candidate, pool: renewable }));
  keepers = [1, 2].map(() => new CredentialKeeper({ ...parts, log: silentLog }));
  replicas = keepers.map((keeper) => new Replica(pool, model, keeper));
});
afterAll(async () => {
  await passing(Promise.all(keepers.map((keeper) => keeper.close())));
  await storage.close();
});

test('no request of a day fails while an account could serve it, and no refresh token is used twice', async () => {
  const all = [...accounts.values()];
  const [withdrawn] = all;
  let lost = 0;
  let inVain = 0;
  let withdrawnAskedBefore = 0;
  for (let minute = 0; minute < 24 * 60; minute += 1) {
    if (minute === withdrawnAtMinute && withdrawn !== undefined) {
      withdrawn.isWithdrawn = true;
      withdrawnAskedBefore = withdrawn.asked;
    }
    const wanted = minute % 4 === 0 ? 20 + Math.floor(random() * 40) : Math.floor(random() * 8);
    const couldServe = all.reduce((sum, { left }) => sum + left, 0);
    const before = replicas.reduce((sum, { served }) => sum + served, 0);
    // All at once, half of them at each replica: whoever needs a new token needs it with all the others.
    const burst = Array.from({ length: wanted }, (_, at) => replicas[at % replicas.length]?.request());
    await passing(Promise.all(burst));
    const served = replicas.reduce((sum, replica) => sum + replica.served, 0) - before;
    lost += Math.max(0, Math.min(wanted, couldServe) - served);
    inVain += Math.max(0, wanted - couldServe);
    // The database takes no part in the clock: what is renewed beside the requests is awaited before time goes on.
    await passing(Promise.all(keepers.map((keeper) => keeper.close(minuteMs))));
    await clock.advance(minuteMs - (clock.monotonicMs() % minuteMs));
  }
  expect(lost).toBe(0);
  expect(inVain).toBeGreaterThan(0);
  expect(replicas.every(({ served }) => served > 4000)).toBeTrue();
  expect(all.map(({ reused }) => reused)).toEqual(names.map(() => 0));
  // Once an hour, by whichever replica came first; half a day for the one that was withdrawn.
  const renewals = all.map((account) => account.renewals);
  expect(Math.min(...renewals.slice(1))).toBeGreaterThanOrEqual(23);
  expect(Math.max(...renewals)).toBeLessThanOrEqual(28);
  // A token that the other replica renewed ahead of its end is refused once here, and the request goes on with the new one.
  for (const account of all.slice(1)) {
    expect(account.refusedUnauthorised).toBeLessThanOrEqual(account.renewals);
  }
  expect(withdrawn === undefined ? 0 : withdrawn.asked - withdrawnAskedBefore).toBeLessThan(400);
}, 120_000);
