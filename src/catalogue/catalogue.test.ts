/** The catalogue in memory, on each database: what a snapshot holds and when it is replaced. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { heardAll } from '../../test/support/heard-all.ts';
import { type Envelope, openEnvelope } from '../base/envelope.ts';
import { systemIds } from '../base/ids.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import type { Database } from '../storage/database.ts';
import type { Storage } from '../storage/index.ts';
import { models, providerCredentials, providers } from '../storage/schema/catalogue.ts';
import { transact } from '../storage/work.ts';
import { Catalogue, type CatalogueParts } from './catalogue.ts';
import type { ModelDeclaration, ProviderDeclaration } from './declaration.ts';
import { upsertModels } from './models.ts';
import { upsertProviders } from './providers.ts';
import { sampleModel, sampleProvider } from './samples.test-data.ts';

describeOnEachDatabase('the catalogue', (openDatabase) => {
  let storage: Storage;
  let envelope: Envelope;
  let failures: unknown[] = [];
  let warnings: string[] = [];
  let clock: ManualClock;
  const opened: Catalogue[] = [];

  beforeAll(async () => {
    storage = await openDatabase();
    envelope = await openEnvelope('a secret of thirty-two characters');
  });
  afterAll(() => storage.close());
  beforeEach(async () => {
    await storage.db.delete(models);
    await storage.db.delete(providers);
    clock = new ManualClock();
    failures = [];
    warnings = [];
  });
  afterEach(async () => {
    for (const catalogue of opened.splice(0)) await catalogue.close();
  });

  async function open(parts: Partial<CatalogueParts> = {}): Promise<Catalogue> {
    const catalogue = await Catalogue.open({
      db: storage.db,
      changes: storage.changes,
      envelope,
      clock,
      onReloadFailed: (error) => failures.push(error),
      onWarning: (message) => warnings.push(message),
      debounceMs: 1,
      retryMs: 1,
      ...parts,
    });
    opened.push(catalogue);
    return catalogue;
  }

  const put = (providerList: readonly ProviderDeclaration[], modelList: readonly ModelDeclaration[]) =>
    transact({ storage, clock, ids: systemIds }, async (work) => {
      await upsertProviders({ ...work, envelope }, null, providerList);
      await upsertModels(work, null, modelList);
    });

  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await clock.advance(1);
  }

  /** The database, with readings counted and, while `state.broken`, refused. */
  function watchedDatabase(): { db: Database; state: { readings: number; broken: boolean } } {
    const state = { readings: 0, broken: false };
    const db = new Proxy(storage.db, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          if (name === 'transaction') {
            state.readings += 1;
            if (state.broken) return Promise.reject(new Error('the database is gone'));
          }
          return Reflect.apply(member, target, args);
        };
      },
    });
    return { db, state };
  }

  test('joins models with prices, aliases and deployments in order', async () => {
    const deployed = [
      { provider: 'backup', upstreamId: 'b' },
      { provider: 'main', upstreamId: 'm' },
    ];
    await put(
      [sampleProvider({ timeoutsMs: { idle: 7 } }), sampleProvider({ name: 'backup', region: null })],
      [
        sampleModel({ deployments: deployed, displayOrder: 2 }),
        sampleModel({ id: 'first', aliases: [], prices: null }),
      ],
    );
    const { models: listed, byName } = (await open()).current();
    expect(listed.map(({ publicId }) => publicId)).toEqual(['first', 'gpt-4o-mini']);
    const model = byName.get('mini');
    expect(model).toBe(byName.get('gpt-4o-mini'));
    expect(model).toMatchObject({
      type: 'chat',
      aliases: ['mini'],
      contextWindow: 128_000,
      prices: { input: 150_000_000n, cached_input: 75_000_000n, output: 600_000_000n },
    });
    expect(model?.deployments.map(({ provider, upstreamId }) => [provider.name, upstreamId])).toEqual([
      ['backup', 'b'],
      ['main', 'm'],
    ]);
    expect(model?.deployments[1]?.provider).toMatchObject({
      kind: 'openai',
      baseUrl: 'https://upstream.test/v1',
      region: 'eu',
      settings: { timeoutsMs: { idle: 7 } },
      credentials: [{ name: 'k1', secret: 'secret-one' }],
    });
    expect(byName.get('first')?.prices).toBeNull();
    expect(byName.get('first')?.createdAtMs).toBeGreaterThan(0);
  });

  test('leaves out disabled models, hidden providers and disabled credentials', async () => {
    await put(
      [sampleProvider(), sampleProvider({ name: 'hidden' })],
      [
        sampleModel(),
        sampleModel({ id: 'off', aliases: ['off-alias'] }),
        sampleModel({ id: 'unserved', aliases: [], deployments: [{ provider: 'hidden', upstreamId: 'x' }] }),
      ],
    );
    await storage.db.update(models).set({ enabled: false }).where(eq(models.publicId, 'off'));
    await storage.db.update(providers).set({ visible: false }).where(eq(providers.name, 'hidden'));
    await storage.db.update(providerCredentials).set({ enabled: false });
    const { models: listed, byName } = (await open()).current();
    expect(listed.map(({ publicId }) => publicId)).toEqual(['gpt-4o-mini']);
    expect([...byName.keys()].toSorted()).toEqual(['gpt-4o-mini', 'mini', 'unserved']);
    expect(byName.get('unserved')?.deployments).toEqual([]);
    expect(listed[0]?.deployments[0]?.provider.credentials).toEqual([]);
  });

  test('swaps the snapshot when something changed, and never alters one it gave out', async () => {
    await put([sampleProvider()], [sampleModel()]);
    const catalogue = await open();
    const before = catalogue.current();
    await put([], [sampleModel({ id: 'new', aliases: [] })]);
    await until(() => catalogue.current().byName.has('new'));
    expect(catalogue.current()).not.toBe(before);
    expect(before.byName.has('new')).toBe(false);
  });

  test('keeps the snapshot when a reload fails, reports it and tries again by itself', async () => {
    await put([sampleProvider()], [sampleModel()]);
    const { db, state } = watchedDatabase();
    const catalogue = await open({ db });
    state.broken = true;
    // Also waits for a reading that may have begun before.
    await expect(catalogue.reload()).rejects.toThrow('the database is gone');
    await put([], [sampleModel({ id: 'new', aliases: [] })]);
    await until(() => failures.length >= 3);
    expect([...catalogue.current().byName.keys()]).toEqual(['gpt-4o-mini', 'mini']);
    expect(String(failures[0])).toContain('the database is gone');
    state.broken = false;
    await until(() => catalogue.current().byName.has('new'));
  });

  test('rejects an asked-for reload that fails', async () => {
    const { db, state } = watchedDatabase();
    const catalogue = await open({ db });
    state.broken = true;
    await expect(catalogue.reload()).rejects.toThrow('the database is gone');
    expect(failures.length).toBeGreaterThan(0);
  });

  test('does not open without its first reading', async () => {
    const { db, state } = watchedDatabase();
    state.broken = true;
    await expect(open({ db })).rejects.toThrow('the database is gone');
  });

  test('lets reloads that are asked for meanwhile share the next reading', async () => {
    const { db, state } = watchedDatabase();
    const catalogue = await open({ db, debounceMs: 60_000 });
    state.readings = 0;
    await Promise.all([catalogue.reload(), catalogue.reload(), catalogue.reload(), catalogue.reload()]);
    expect(state.readings).toBe(2);
  });

  test('a reload shows what was committed before it was asked for', async () => {
    const catalogue = await open({ debounceMs: 60_000 });
    await put([sampleProvider()], [sampleModel()]);
    await catalogue.reload();
    expect(catalogue.current().byName.has('mini')).toBe(true);
  });

  test('opens each secret once, however often it reads', async () => {
    await put([sampleProvider()], [sampleModel()]);
    let openings = 0;
    const counting: Envelope = {
      seal: (plain) => envelope.seal(plain),
      open: (sealed) => {
        openings += 1;
        return envelope.open(sealed);
      },
    };
    const catalogue = await open({ envelope: counting });
    await catalogue.reload();
    await catalogue.reload();
    expect(openings).toBe(1);
    await put([sampleProvider({ credentials: [{ name: 'k1', secret: 'secret-two' }] })], []);
    await catalogue.reload();
    const [deployment] = catalogue.current().byName.get('mini')?.deployments ?? [];
    expect(deployment?.provider.credentials[0]?.secret).toBe('secret-two');
  });

  test('leaves out a credential that it cannot open and says so once', async () => {
    await put([sampleProvider()], [sampleModel()]);
    const catalogue = await open({ envelope: await openEnvelope('another secret of many characters') });
    await catalogue.reload();
    expect(catalogue.current().byName.get('mini')?.deployments[0]?.provider.credentials).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('another SLUICE_SECRET')]);
  });

  test('sends no credential to another host than it was given for, and says so', async () => {
    await put([sampleProvider()], [sampleModel({ rescue: true })]);
    await storage.db.update(providers).set({ baseUrl: 'https://upstream.test:8443/v1' });
    const catalogue = await open();
    const model = catalogue.current().byName.get('gpt-4o-mini');
    expect(model).toMatchObject({ rescue: true, deployments: [{ provider: { credentials: [] } }] });
    expect(warnings).toEqual([expect.stringContaining('now at https://upstream.test:8443: give it anew')]);
    await storage.db.update(providers).set({ baseUrl: 'https://upstream.test/v2' });
    await catalogue.reload();
    const now = catalogue.current().byName.get('gpt-4o-mini')?.deployments[0]?.provider.credentials;
    expect(now).toMatchObject([{ secret: 'secret-one' }]);
  });

  test.each([
    ['https://upstream.test:443', { baseUrl: 'https://upstream.test/v1' }],
    ['https://upstream.test:443', { baseUrl: 'https://upstream.test:443/v1' }],
    ['http://upstream.test:80', { baseUrl: 'http://upstream.test:80' }],
    ['https://bücher.test', { baseUrl: 'https://bücher.test/v1' }],
    ['openai https://sign-in.test:443', { baseUrl: null, settings: { token_url: 'https://sign-in.test' } }],
  ])('uses a credential that an earlier version bound to %s', async (boundTo, provider) => {
    await put([sampleProvider()], [sampleModel()]);
    await storage.db.update(providers).set(provider);
    await storage.db.update(providerCredentials).set({ boundTo });
    const model = (await open()).current().byName.get('gpt-4o-mini');
    expect(model?.deployments[0]?.provider.credentials).toMatchObject([{ secret: 'secret-one' }]);
    expect(warnings).toEqual([]);
  });

  test('sends no credential to another place of renewal than it was given for', async () => {
    const settings = { token_url: 'https://sign-in.test/token' };
    await put([sampleProvider({ settings })], [sampleModel()]);
    const held = (catalogue: Catalogue) =>
      catalogue.current().byName.get('gpt-4o-mini')?.deployments[0]?.provider.credentials;
    const catalogue = await open();
    expect(held(catalogue)).toMatchObject([{ secret: 'secret-one' }]);
    await storage.db.update(providers).set({ settings: { token_url: 'https://elsewhere.test/token' } });
    await catalogue.reload();
    expect(held(catalogue)).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('https://elsewhere.test: give it anew')]);
  });

  test('is closed after a while even when its reading is never answered', async () => {
    let isSilent = false;
    const { promise: forever } = Promise.withResolvers<never>();
    const db = new Proxy(storage.db, {
      get: (target, name) =>
        isSilent && name === 'transaction' ? () => forever : Reflect.get(target, name, target),
    });
    const catalogue = await open({ db });
    isSilent = true;
    void catalogue.reload();
    let isClosed = false;
    const closing = catalogue.close().then(() => {
      isClosed = true;
    });
    await clock.advance(4999);
    expect(isClosed).toBe(false);
    await clock.advance(1);
    expect(isClosed).toBe(true);
    await closing;
    opened.splice(opened.indexOf(catalogue), 1);
  });

  test('follows no more changes after it was closed', async () => {
    const { db, state } = watchedDatabase();
    const catalogue = await open({ db });
    await catalogue.close();
    state.readings = 0;
    await put([sampleProvider()], []);
    await heardAll(storage);
    await catalogue.reload();
    expect(state.readings).toBe(0);
  });
});
