/** Which prices a request pays by, and that a version is kept once it held: on each database. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { asc, desc, eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { openEnvelope } from '../base/envelope.ts';
import { systemIds } from '../base/ids.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import type { Storage } from '../storage/index.ts';
import { models, priceVersions, providers } from '../storage/schema/catalogue.ts';
import { transact, type Work } from '../storage/work.ts';
import { Catalogue } from './catalogue.ts';
import type { ManagedBy, ModelDeclaration } from './declaration.ts';
import type { Prices, PriceVersion } from './model.ts';
import { upsertModels } from './models.ts';
import { areFree, priceAt } from './price-versions.ts';
import { upsertProviders } from './providers.ts';
import { sampleModel, sampleProvider } from './samples.test-data.ts';
import { setPrices, withdrawPrices } from './set-prices.ts';

const cost = (each: bigint): Prices => ({ input: each, output: each });

describe('priceAt', () => {
  const version = (id: number, fromMs: number, prices: Prices | null = cost(BigInt(id))): PriceVersion => ({
    ...{ id, fromMs, prices },
  });
  const model = { priceVersions: [version(3, 300), version(2, 200), version(1, 0)] };
  const none = { priceVersions: [] };

  test.each([
    [0, 1],
    [199, 1],
    [200, 2],
    [299, 2],
    [300, 3],
    [9_000, 3],
  ])('at %d it is version %d', (atMs, id) => {
    expect(priceAt(model, none, atMs)?.id).toBe(id);
    expect(priceAt(model, null, atMs)?.id).toBe(id);
  });

  test('a provider’s own version stands above the model’s from its date on, and until it ends', () => {
    const own = { priceVersions: [version(9, 250, null), version(8, 100)] };
    expect([99, 100, 249, 250].map((atMs) => priceAt(model, own, atMs)?.id)).toEqual([1, 8, 8, 2]);
    expect(priceAt({ priceVersions: [] }, own, 100)?.id).toBe(8);
    expect(priceAt({ priceVersions: [] }, own, 250)).toBeNull();
  });

  test('there is none before the first version, nor after one without prices', () => {
    const ended = { priceVersions: [version(2, 200, null), version(1, 100)] };
    expect([99, 100, 200].map((atMs) => priceAt(ended, null, atMs)?.id ?? null)).toEqual([null, 1, null]);
  });

  test('what costs nothing is free, and nothing else is', () => {
    expect(areFree(cost(0n))).toBe(true);
    expect(areFree({ ...cost(0n), web_search: 1n })).toBe(false);
  });
});

describeOnEachDatabase('versions of prices', (openDatabase) => {
  let storage: Storage;
  let clock: ManualClock;

  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage.close());
  beforeEach(async () => {
    await storage.db.delete(models);
    await storage.db.delete(providers);
    clock = new ManualClock();
    await put({});
  });

  const envelope = () => openEnvelope('a secret of thirty-two characters');
  const daysFromNow = (days: number) => new Date(clock.nowMs() + days * 86_400_000);

  /** Versions from here on are to come for the database too. */
  async function put(changes: Partial<ModelDeclaration>, managedBy: ManagedBy | null = 'file') {
    const sealed = await envelope();
    return transact({ storage, clock, ids: systemIds }, async (work) => {
      await upsertProviders({ ...work, envelope: sealed }, managedBy, [sampleProvider()]);
      return upsertModels(work, managedBy, [sampleModel({ prices: cost(1n), ...changes })]);
    });
  }

  const stored = async () =>
    (await storage.db.select().from(priceVersions).orderBy(asc(priceVersions.id))).map((row) => [
      ...[row.providerId === null ? 'model' : 'provider', row.effectiveFrom.getTime()],
      row.prices?.['input'] ?? null,
    ]);

  test('the first holds from the beginning, a changed price from now, the same one makes none', async () => {
    expect(await put({})).toBe(false);
    await clock.advance(5);
    expect(await put({ prices: cost(2n) })).toBe(true);
    expect(await put({ prices: null })).toBe(true);
    expect(await stored()).toEqual([
      ['model', 0, '1'],
      ['model', clock.nowMs(), '2'],
      ['model', clock.nowMs(), null],
    ]);
    const catalogue = await open();
    expect(catalogue.current().byName.get('mini')?.prices).toBeNull();
    await catalogue.close();
  });

  test('the first at a provider holds from now where the model had a price, and from the beginning else', async () => {
    const at = (prices: ReturnType<typeof cost>) => [{ provider: 'main', upstreamId: 'mini-1', prices }];
    await clock.advance(5);
    await put({ deployments: at(cost(2n)) });
    expect(await stored()).toEqual([
      ['model', 0, '1'],
      ['provider', clock.nowMs(), '2'],
    ]);
    await storage.db.delete(models);
    await put({ prices: null, deployments: at(cost(2n)) });
    expect(await stored()).toEqual([['provider', 0, '2']]);
    await storage.db.delete(models);
    await put({});
    // One that says since when it holds is believed.
    const from = daysFromNow(-3);
    const changed = at(cost(2n)).map((each) => ({ ...each, priceChanges: [{ from, prices: cost(3n) }] }));
    await put({ deployments: changed });
    expect(await stored()).toEqual([
      ['model', 0, '1'],
      ['provider', from.getTime(), '3'],
    ]);
    expect(await put({ deployments: changed })).toBe(false);
  });

  test('a model costs what it does at the first provider that has a price', async () => {
    const sealed = await envelope();
    await transact({ storage, clock, ids: systemIds }, async (work) => {
      const declared = [sampleProvider(), { ...sampleProvider(), name: 'backup' }];
      await upsertProviders({ ...work, envelope: sealed }, 'file', declared);
      const deployments = [
        { provider: 'main', upstreamId: 'mini-1' },
        { provider: 'backup', upstreamId: 'mini-1', prices: cost(3n) },
      ];
      await upsertModels(work, 'file', [
        sampleModel({ id: 'other', aliases: [], prices: null, deployments }),
      ]);
    });
    const catalogue = await open();
    expect(catalogue.current().byName.get('other')?.prices).toEqual(cost(3n));
    await catalogue.close();
  });

  test('a date to come is kept, changed and withdrawn by who declared it', async () => {
    const from = daysFromNow(900);
    await put({ priceChanges: [{ from, prices: cost(3n) }] });
    expect(await stored()).toEqual([
      ['model', 0, '1'],
      ['model', from.getTime(), '3'],
    ]);
    expect(await put({ priceChanges: [{ from, prices: cost(3n) }] })).toBe(false);
    await put({ priceChanges: [{ from, prices: cost(4n) }] });
    expect((await stored()).at(-1)).toEqual(['model', from.getTime(), '4']);
    await put({}, 'environment');
    expect(await stored()).toHaveLength(2);
    await put({});
    expect(await stored()).toHaveLength(1);
  });

  test('a date that has passed holds from then on, also where nobody was there to see it pass', async () => {
    const from = daysFromNow(10);
    clock = new ManualClock(daysFromNow(20).getTime());
    await put({ priceChanges: [{ from, prices: cost(5n) }] });
    expect((await stored()).at(-1)).toEqual(['model', from.getTime(), '5']);
    expect(await put({ priceChanges: [{ from, prices: cost(5n) }] })).toBe(false);
  });

  test('the environment leaves what others set, and the file leaves what it says nothing of', async () => {
    await put({ prices: cost(7n) }, null);
    const before = await stored();
    await put({ prices: cost(8n) }, 'environment');
    await put({ prices: null }, 'environment');
    await put({ prices: null }, 'file');
    expect(await stored()).toEqual(before);
    await put({ prices: cost(9n) }, 'file');
    expect((await stored()).at(-1)?.[2]).toBe('9');
  });

  test('what is or was in effect can be neither changed nor deleted', async () => {
    await expect(storage.db.delete(priceVersions).execute()).rejects.toThrow();
    await expect(storage.db.update(priceVersions).set({ note: 'x' }).execute()).rejects.toThrow();
    const from = new Date('2200-01-01');
    await put({ priceChanges: [{ from, prices: cost(3n) }] });
    await storage.db.delete(priceVersions).where(eq(priceVersions.effectiveFrom, from));
    expect(await stored()).toHaveLength(1);
  });

  test('what is in effect for the database is so for a process whose clock is behind, be it declared or set', async () => {
    clock = new ManualClock(Date.now());
    await put({ prices: cost(2n) });
    const before = await stored();
    clock = new ManualClock(Date.now() - 3_600_000);
    expect(await put({ prices: cost(2n) })).toBe(false);
    const [version] = await storage.db
      .select()
      .from(priceVersions)
      .orderBy(desc(priceVersions.effectiveFrom));
    if (version === undefined) throw new Error('there is no version');
    const change = <Result>(run: (work: Work) => Promise<Result>) =>
      transact({ storage, clock, ids: systemIds }, run);
    const withdrawn = change((work) => withdrawPrices(work, version.id));
    await expect(withdrawn).rejects.toMatchObject({ code: 'conflict' });
    const anew = { model: sampleModel().id, provider: null, from: version.effectiveFrom, note: null };
    await change((work) => setPrices(work, { ...anew, changes: { input: 3n } }));
    expect(await stored()).toEqual([...before, ['model', version.effectiveFrom.getTime(), '3']]);
    await put({ prices: cost(4n) });
    expect((await stored()).at(-1)?.[2]).toBe('4');
  });

  async function open() {
    return Catalogue.open({
      ...{ db: storage.db, changes: storage.changes, envelope: await envelope(), clock },
      ...{ onReloadFailed: () => {}, onWarning: () => {} },
    });
  }

  test('the snapshot knows a price to come, and reads itself anew when its date passes', async () => {
    const from = daysFromNow(2);
    const deployments = [{ provider: 'main', upstreamId: 'm', prices: cost(6n) }];
    await put({ deployments, priceChanges: [{ from, prices: cost(2n) }] });
    const catalogue = await open();
    const model = () => catalogue.current().byName.get('mini');
    const known = model();
    if (known === undefined) throw new Error('the model is not there');
    const at = (ms: number) => priceAt(known, null, ms)?.prices['input'];
    expect([at(from.getTime() - 1), at(from.getTime())]).toEqual([1n, 2n]);
    const [deployment = null] = known.deployments;
    expect(priceAt(known, deployment, from.getTime())?.prices['input']).toBe(6n);
    expect(known.prices).toEqual(cost(6n));
    expect(catalogue.current().pricesChangeAtMs).toBe(from.getTime());
    await clock.advance(2 * 86_400_000);
    while (catalogue.current().pricesChangeAtMs !== null) await clock.advance(1);
    expect(model()?.priceVersions.map(({ prices }) => prices?.input)).toEqual([2n, 1n]);
    await catalogue.close();
  });

  test('the snapshot leaves out what ended more than a day before', async () => {
    await put({ prices: cost(2n) });
    await clock.advance(86_400_000 + 1);
    await put({ prices: cost(3n) });
    const catalogue = await open();
    const versions = catalogue.current().byName.get('mini')?.priceVersions ?? [];
    expect(versions.map(({ prices }) => prices?.input)).toEqual([3n, 2n]);
    await catalogue.close();
  });
});
