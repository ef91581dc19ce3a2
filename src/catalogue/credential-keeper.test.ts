/** Renewing credentials, on each database: once for all who ask, in one process and in several. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { eq, sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import type { Clock } from '../base/clock.ts';
import { type Envelope, openEnvelope } from '../base/envelope.ts';
import { systemIds } from '../base/ids.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import type { Storage } from '../storage/index.ts';
import { providerCredentials, providers } from '../storage/schema/catalogue.ts';
import { transact } from '../storage/work.ts';
import {
  CredentialKeeper,
  type Renewal,
  type RenewalEvent,
  RenewalFailedError,
} from './credential-keeper.ts';
import type { Credential } from './model.ts';
import { upsertProviders } from './providers.ts';
import { sampleProvider } from './samples.test-data.ts';

/** Secrets of these tests: a number of a generation, and whether it still works. */
const live = (generation: number) => `live ${generation}`;
const spent = (generation: number) => `spent ${generation}`;

const clock = new ManualClock();

interface Service extends Renewal {
  renewals: number;
  isDown: boolean;
  /** Resolves when somebody begins to renew. */
  readonly begun: PromiseWithResolvers<void>;
  /** What a renewal waits for. */
  mayGoOn: Promise<void>;
}

/** Every secret renews once, as a service that rotates its refresh tokens has it. */
function service(): Service {
  const used = new Set<string>();
  return {
    renewals: 0,
    isDown: false,
    begun: Promise.withResolvers(),
    mayGoOn: Promise.resolve(),
    expiresAtMs: (secret) => clock.nowMs() + (secret.startsWith('live') ? 3_600_000 : 1000),
    async renew(secret) {
      this.begun.resolve();
      await this.mayGoOn;
      if (this.isDown) throw new Error('the service does not answer');
      if (used.has(secret)) throw new Error(`${secret} was renewed before`);
      used.add(secret);
      this.renewals += 1;
      return live(Number(secret.split(' ')[1]) + 1);
    },
  };
}

describeOnEachDatabase('credentials that expire', (openDatabase) => {
  let storage: Storage;
  let envelope: Envelope;

  beforeAll(async () => {
    storage = await openDatabase();
    envelope = await openEnvelope('a secret of thirty-two characters');
  });
  afterAll(() => storage.close());
  beforeEach(async () => {
    await storage.db.delete(providers);
  });

  /** Lets time pass until the work is done, no sooner than the database answers, which takes its own time. */
  async function passing<Value>(work: Promise<Value>): Promise<Value> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    work.then(done, done);
    while (!isDone) {
      await clock.advance(10);
      await storage.db.execute(sql`SELECT 1`);
    }
    return await work;
  }

  const keeper = (itsClock: Clock = clock) =>
    new CredentialKeeper({ storage, envelope, clock: itsClock, ids: systemIds, log: silentLog });

  const declare = (secret: string) =>
    transact({ storage, clock, ids: systemIds }, (work) =>
      upsertProviders({ ...work, envelope }, 'file', [
        sampleProvider({ credentials: [{ name: 'k1', secret }] }),
      ]),
    );

  async function stored(): Promise<Credential> {
    const [row] = await storage.db.select().from(providerCredentials);
    if (row === undefined) throw new Error('no credential is stored');
    return { id: row.id, name: row.name, secret: await envelope.open(row.sealedSecret) };
  }

  test('one that works is used as it is', async () => {
    await declare(live(1));
    const renewal = service();
    expect(await keeper().fresh(await stored(), renewal)).toBe(live(1));
    expect(renewal.renewals).toBe(0);
  });

  test('one that is about to end is renewed once for all who ask at once, and stored', async () => {
    await declare(spent(1));
    const credential = await stored();
    const renewal = service();
    const mine = keeper();
    const secrets = await Promise.all(Array.from({ length: 20 }, () => mine.fresh(credential, renewal)));
    expect(new Set(secrets)).toEqual(new Set([live(2)]));
    expect(renewal.renewals).toBe(1);
    expect((await stored()).secret).toBe(live(2));
    // The snapshot that a request holds can still be the old one.
    expect(await mine.fresh(credential, renewal)).toBe(live(2));
  });

  test('one that ends in a few minutes is renewed beside the requests, which do not wait, by one process', async () => {
    await declare(live(1));
    const credential = await stored();
    const renewal = service();
    renewal.expiresAtMs = (secret) => clock.nowMs() + (secret === live(1) ? 200_000 : 3_600_000);
    const hold = Promise.withResolvers<void>();
    renewal.mayGoOn = hold.promise;
    const [mine, other] = [keeper(), keeper()];
    expect(await mine.fresh(credential, renewal)).toBe(live(1));
    await renewal.begun.promise;
    expect(await mine.fresh(credential, renewal)).toBe(live(1));
    expect(await other.fresh(credential, renewal)).toBe(live(1));
    hold.resolve();
    await passing(Promise.all([mine.close(600_000), other.close(600_000)]));
    expect(await mine.fresh(credential, renewal)).toBe(live(2));
    expect(await other.fresh(credential, renewal)).toBe(live(2));
    expect(renewal.renewals).toBe(1);
  });

  test('one that could not be renewed ahead of its end still works, and is tried again after a while', async () => {
    await declare(live(1));
    const credential = await stored();
    const renewal = service();
    renewal.expiresAtMs = (secret) => clock.nowMs() + (secret === live(1) ? 200_000 : 3_600_000);
    renewal.isDown = true;
    const mine = keeper();
    expect(await mine.fresh(credential, renewal)).toBe(live(1));
    await passing(mine.close(600_000));
    renewal.isDown = false;
    expect(await mine.fresh(credential, renewal)).toBe(live(1));
    expect(renewal.renewals).toBe(0);
    await clock.advance(120_000);
    expect(await mine.fresh(credential, renewal)).toBe(live(1));
    await passing(mine.close(600_000));
    expect(await mine.fresh(credential, renewal)).toBe(live(2));
  });

  test('several processes renew it once between them', async () => {
    await declare(spent(1));
    const credential = await stored();
    const renewal = service();
    const processes = Array.from({ length: 4 }, keeper);
    const secrets = await passing(
      Promise.all(processes.map((process) => process.fresh(credential, renewal))),
    );
    expect(new Set(secrets)).toEqual(new Set([live(2)]));
    expect(renewal.renewals).toBe(1);
  });

  test('one that the upstream refuses is renewed though it seemed to work', async () => {
    await declare(live(1));
    const credential = await stored();
    const renewal = service();
    const mine = keeper();
    expect(await mine.fresh(credential, renewal, live(1))).toBe(live(2));
    expect(await mine.fresh(credential, renewal)).toBe(live(2));
    expect(renewal.renewals).toBe(1);
  });

  test('twenty that are refused together wait for the one renewal', async () => {
    await declare(live(1));
    const credential = await stored();
    const renewal = service();
    const mine = keeper();
    const secrets = Array.from({ length: 20 }, () => mine.fresh(credential, renewal, live(1)));
    expect(new Set(await Promise.all(secrets))).toEqual(new Set([live(2)]));
    expect(renewal.renewals).toBe(1);
  });

  test('one that was just renewed and is refused again is not renewed again', async () => {
    await declare(live(1));
    const credential = await stored();
    const renewal = service();
    const mine = keeper();
    const renewed = await mine.fresh(credential, renewal, live(1));
    expect(await mine.fresh(credential, renewal, renewed)).toBe(renewed);
    expect(renewal.renewals).toBe(1);
  });

  test('a failure is a 503 with a time to come back, keeps the credential, and is tried again', async () => {
    await declare(spent(1));
    const credential = await stored();
    const renewal = service();
    const mine = keeper();
    renewal.isDown = true;
    await expect(mine.fresh(credential, renewal)).rejects.toMatchObject({
      code: 'no_provider',
      status: 503,
      retryAfterSeconds: 1,
    });
    expect((await stored()).secret).toBe(spent(1));
    renewal.isDown = false;
    await clock.advance(1000);
    expect(await mine.fresh(credential, renewal)).toBe(live(2));
  });

  test('one that cannot be renewed is not tried by every request, ever later, and seldom where it is refused for good', async () => {
    await declare(spent(1));
    const credential = await stored();
    const told: (number | null)[] = [];
    const onRenewal = ({ failure }: RenewalEvent) => void told.push(failure?.waitMs ?? null);
    const mine = new CredentialKeeper({
      ...{ storage, envelope, clock, ids: systemIds, log: silentLog, onRenewal },
    });
    let tries = 0;
    let isFinal = false;
    const renewal = service();
    const dead = {
      ...renewal,
      isFinal: () => isFinal,
      renew: async () => {
        tries += 1;
        throw new Error('the service does not want it');
      },
    };
    const failing = async () => {
      await expect(mine.fresh(credential, dead)).rejects.toBeInstanceOf(RenewalFailedError);
    };
    for (let at = 0; at < 20; at += 1) await failing();
    expect(tries).toBe(1);
    await clock.advance(1000);
    await failing();
    await clock.advance(1500);
    await failing();
    expect(tries).toBe(2);
    isFinal = true;
    await clock.advance(500);
    await failing();
    expect(tries).toBe(3);
    await clock.advance(239_000);
    await failing();
    expect(tries).toBe(3);
    // Another one was put there: nothing is known against that.
    await declare(spent(7));
    expect(await mine.fresh(await stored(), renewal)).toBe(live(8));
    expect(told).toEqual([1000, 2000, 240_000, null]);
  });

  test('a claim whose holder died is taken over when it has lapsed', async () => {
    await declare(spent(1));
    const credential = await stored();
    await storage.db
      .update(providerCredentials)
      .set({ renewingUntil: sql`now() + interval '1 hour'` })
      .where(eq(providerCredentials.id, credential.id));
    const renewal = service();
    const renewing = keeper().fresh(credential, renewal);
    await passing(clock.sleep(1_000));
    expect(renewal.renewals).toBe(0);
    await storage.db.update(providerCredentials).set({ renewingUntil: sql`now()` });
    expect(await passing(renewing)).toBe(live(2));
  });

  test('a secret that is declared during a renewal stays, and is what the renewal ends in', async () => {
    await declare(spent(1));
    const mine = keeper();
    const renewal = service();
    const gate = Promise.withResolvers<void>();
    renewal.mayGoOn = gate.promise;
    const renewing = mine.fresh(await stored(), renewal);
    await renewal.begun.promise;
    await declare(live(7));
    gate.resolve();
    expect(await renewing).toBe(live(7));
    expect((await stored()).secret).toBe(live(7));
  });

  test('a holder that was too slow takes nothing from the one that came after it', async () => {
    await declare(spent(1));
    const credential = await stored();
    const renewal = service();
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const slow = {
      ...renewal,
      async renew() {
        begun.resolve();
        await gate.promise;
        return live(2);
      },
    };
    const renewing = keeper().fresh(credential, slow);
    await begun.promise;
    const { db } = storage;
    await db.update(providerCredentials).set({ renewingUntil: new Date(0) });
    expect(await keeper().fresh(credential, { ...renewal, renew: async () => live(5) })).toBe(live(5));
    gate.resolve();
    expect(await renewing).toBe(live(5));
    expect((await stored()).secret).toBe(live(5));
  });

  /** On a database that refuses the next works, so many. */
  function moodyKeeper() {
    const mood = { refusals: 0 };
    const moody = Object.create(storage, {
      db: {
        value: new Proxy(storage.db, {
          get(db, name) {
            if (name === 'transaction' && mood.refusals > 0) {
              mood.refusals -= 1;
              return () => Promise.reject(new Error('the connection broke'));
            }
            return Reflect.get(db, name, db);
          },
        }),
      },
    });
    const parts = { storage: moody, envelope, clock, ids: systemIds, log: silentLog };
    return { mood, mine: new CredentialKeeper(parts) };
  }

  test('a write that fails is tried again: an exchanged token is not thrown away', async () => {
    await declare(spent(1));
    const credential = await stored();
    const { mood, mine } = moodyKeeper();
    const renewal = service();
    const renew = async (secret: string) => {
      mood.refusals = 2;
      return await renewal.renew(secret);
    };
    expect(await passing(mine.fresh(credential, { ...renewal, renew }))).toBe(live(2));
    expect(mood.refusals).toBe(0);
    expect((await stored()).secret).toBe(live(2));
  });

  /** The claim of whoever could not store lapses by the database's clock. */
  const lapse = () => storage.db.update(providerCredentials).set({ renewingUntil: new Date(0) });

  test('a token that could not be stored while the database was away is stored once it is back', async () => {
    await declare(spent(1));
    const credential = await stored();
    const { mood, mine } = moodyKeeper();
    const renewal = service();
    const renew = async (secret: string) => {
      mood.refusals = 10;
      return await renewal.renew(secret);
    };
    expect(await passing(mine.fresh(credential, { ...renewal, renew }))).toBe(live(2));
    expect((await stored()).secret).toBe(spent(1));
    mood.refusals = 0;
    // Under its own claim, which keeps others from renewing the void one of the row meanwhile.
    await clock.advance(5000);
    while ((await stored()).secret !== live(2)) await storage.db.execute(sql`SELECT 1`);
    await mine.close();
  });

  test('a token whose claim lapsed unused is stored all the same', async () => {
    await declare(spent(1));
    const credential = await stored();
    const { mine } = moodyKeeper();
    const renew = async () => {
      // Somebody else claims it meanwhile, is refused the token that is void by now, and lets go of it.
      await storage.db.update(providerCredentials).set({ renewingUntil: null });
      return live(2);
    };
    expect(await passing(mine.fresh(credential, { ...service(), renew }))).toBe(live(2));
    expect((await stored()).secret).toBe(spent(1));
    await passing(mine.close());
    expect((await stored()).secret).toBe(live(2));
  });

  test('a token that could not be stored is stored at the stop, and nothing is tried any more', async () => {
    await declare(spent(1));
    const credential = await stored();
    const { mood, mine } = moodyKeeper();
    const renewal = service();
    const renew = async (secret: string) => {
      mood.refusals = 4;
      return await renewal.renew(secret);
    };
    expect(await passing(mine.fresh(credential, { ...renewal, renew }))).toBe(live(2));
    const timers = clock.pendingTimers;
    await passing(mine.close());
    expect((await stored()).secret).toBe(live(2));
    expect(clock.pendingTimers).toBeLessThan(timers);
  });

  test('a token that could not be stored is the one that is renewed next, and not the void one of the row', async () => {
    await declare(spent(1));
    const credential = await stored();
    const { mood, mine } = moodyKeeper();
    const renewal = service();
    const renewed: string[] = [];
    const renew = async (secret: string) => {
      if (renewed.length === 0) mood.refusals = 4;
      renewed.push(secret);
      return await renewal.renew(secret);
    };
    const endsAtMs = (secret: string) => clock.nowMs() + (secret === live(3) ? 3_600_000 : 1000);
    expect(await passing(mine.fresh(credential, { ...renewal, renew }))).toBe(live(2));
    await lapse();
    const next = mine.fresh(credential, { ...renewal, renew, expiresAtMs: endsAtMs });
    expect(await passing(next)).toBe(live(3));
    expect(renewed).toEqual([spent(1), live(2)]);
    expect((await stored()).secret).toBe(live(3));
  });

  test('a renewal that failed in passing is tried again for a token that is refused', async () => {
    await declare(live(1));
    const credential = await stored();
    const [mine, renewal] = [keeper(), service()];
    renewal.isDown = true;
    await expect(passing(mine.fresh(credential, renewal, live(1)))).rejects.toBeInstanceOf(
      RenewalFailedError,
    );
    renewal.isDown = false;
    await clock.advance(1000);
    expect(await passing(mine.fresh(credential, renewal, live(1)))).toBe(live(2));
  });

  test('closing waits for a renewal under way', async () => {
    await declare(spent(1));
    const mine = keeper();
    const renewal = service();
    const gate = Promise.withResolvers<void>();
    renewal.mayGoOn = gate.promise;
    const renewing = mine.fresh(await stored(), renewal);
    await renewal.begun.promise;
    const closing = mine.close();
    gate.resolve();
    await closing;
    expect((await stored()).secret).toBe(live(2));
    await renewing;
  });

  test('closing gives up on a vendor that does not answer', async () => {
    await declare(spent(1));
    const manual = new ManualClock(clock.nowMs());
    const mine = keeper(manual);
    const renewal = service();
    const gate = Promise.withResolvers<void>();
    renewal.mayGoOn = gate.promise;
    const renewing = mine.fresh(await stored(), renewal);
    await renewal.begun.promise;
    const closing = mine.close();
    await manual.advance(10_000);
    await closing;
    gate.resolve();
    await renewing;
  });

  test('declaring the same secret again leaves the renewed one alone; another one replaces it', async () => {
    await declare(spent(1));
    await keeper().fresh(await stored(), service());
    await declare(spent(1));
    expect((await stored()).secret).toBe(live(2));
    await declare(spent(7));
    expect((await stored()).secret).toBe(spent(7));
  });

  test('a secret that was set anew goes before what was renewed from the old one', async () => {
    await declare(spent(1));
    const mine = keeper();
    await mine.fresh(await stored(), service());
    await declare(live(7));
    expect(await mine.fresh(await stored(), service())).toBe(live(7));
  });
});
