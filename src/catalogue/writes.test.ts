/** Writes to the catalogue, on each database: what they store, what they refuse, and that repeating them is silent. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { asc } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { systemClock } from '../base/clock.ts';
import { type Envelope, openEnvelope } from '../base/envelope.ts';
import { AppError } from '../base/errors.ts';
import { systemIds } from '../base/ids.ts';
import type { Storage } from '../storage/index.ts';
import {
  deployments,
  modelAliases,
  models,
  priceVersions,
  providerCredentials,
  providers,
} from '../storage/schema/catalogue.ts';
import { transact } from '../storage/work.ts';
import { type CatalogueWork, withoutForeignModels, withoutForeignProviders } from './catalogue-work.ts';
import type { ManagedBy, ModelDeclaration, ProviderDeclaration } from './declaration.ts';
import { disableUndeclaredModels, upsertModels } from './models.ts';
import { hideUndeclaredProviders, upsertProviders } from './providers.ts';
import { sampleModel, sampleProvider } from './samples.test-data.ts';

describeOnEachDatabase('writes to the catalogue', (openDatabase) => {
  let storage: Storage;
  let envelope: Envelope;
  let published = 0;
  let unsubscribe = () => {};

  beforeAll(async () => {
    storage = await openDatabase();
    envelope = await openEnvelope('a secret of thirty-two characters');
    unsubscribe = storage.changes.subscribe('catalogue', () => {
      published += 1;
    });
  });
  afterAll(async () => {
    unsubscribe();
    await storage.close();
  });
  beforeEach(async () => {
    await storage.db.delete(models);
    await storage.db.delete(providers);
    await settle();
    published = 0;
  });

  const write = <Result>(writing: (work: CatalogueWork) => Promise<Result>) =>
    transact({ storage, clock: systemClock, ids: systemIds }, (work) => writing({ ...work, envelope }));
  const putProviders = (list: readonly ProviderDeclaration[], managedBy: ManagedBy | null = 'file') =>
    write((work) => upsertProviders(work, managedBy, list));
  const putModels = (list: readonly ModelDeclaration[], managedBy: ManagedBy | null = 'file') =>
    write((work) => upsertModels(work, managedBy, list));

  /** Everything published before this call has been delivered when it resolves. */
  async function settle(): Promise<void> {
    const delivered = Promise.withResolvers<void>();
    const stop = storage.changes.subscribe('marker', () => delivered.resolve());
    await storage.changes.publish(storage.db, 'marker', 'now');
    await delivered.promise;
    stop();
  }

  const everything = async () => ({
    providers: await storage.db.select().from(providers).orderBy(asc(providers.id)),
    credentials: await storage.db.select().from(providerCredentials).orderBy(asc(providerCredentials.id)),
    models: await storage.db.select().from(models).orderBy(asc(models.id)),
    prices: await storage.db.select().from(priceVersions).orderBy(asc(priceVersions.id)),
    aliases: await storage.db.select().from(modelAliases).orderBy(modelAliases.alias),
    deployments: await storage.db
      .select()
      .from(deployments)
      .orderBy(deployments.modelId, deployments.position),
  });

  async function refusedFields(
    attempt: Promise<unknown>,
  ): Promise<readonly (readonly (string | number)[])[]> {
    const thrown: unknown = await attempt.catch((error: unknown) => error);
    if (!(thrown instanceof AppError)) throw new Error(`not refused: ${String(thrown)}`);
    expect(thrown.code).toBe('validation_failed');
    return thrown.fields.map(({ loc }) => loc);
  }

  test('store a provider with its settings, and its secret sealed', async () => {
    const timeoutsMs = { connect: 100, firstByte: 2000 };
    expect(await putProviders([sampleProvider({ baseUrl: 'https://upstream.test/v1/', timeoutsMs })])).toBe(
      true,
    );
    const rows = await everything();
    expect(rows.providers).toMatchObject([
      { name: 'main', kind: 'openai', baseUrl: 'https://upstream.test/v1', region: 'eu', visible: true },
    ]);
    expect(rows.providers[0]).toMatchObject({ settings: { timeoutsMs }, managedBy: 'file' });
    const [credential] = rows.credentials;
    expect(credential?.sealedSecret).not.toContain('secret-one');
    expect(await envelope.open(credential?.sealedSecret ?? '')).toBe('secret-one');
  });

  test('store a model with exact prices, aliases and deployments in order', async () => {
    await putProviders([sampleProvider(), sampleProvider({ name: 'backup' })]);
    const deployed = [
      { provider: 'backup', upstreamId: 'b' },
      { provider: 'main', upstreamId: 'm' },
    ];
    await putModels([
      sampleModel({ deployments: deployed, prices: { input: 1n, output: 9_007_199_254_740_993n } }),
    ]);
    const rows = await everything();
    expect(rows.models).toMatchObject([
      { publicId: 'gpt-4o-mini', capabilities: ['tools', 'vision'], enabled: true, managedBy: 'file' },
    ]);
    expect(rows.prices.map(({ prices }) => prices)).toEqual([{ input: '1', output: '9007199254740993' }]);
    expect(rows.aliases.map(({ alias }) => alias)).toEqual(['mini']);
    expect(rows.deployments.map(({ upstreamId }) => upstreamId)).toEqual(['b', 'm']);
  });

  test('that say what is there already change no row and publish nothing', async () => {
    const twoProviders = [
      sampleProvider({ timeoutsMs: { idle: 5, connect: 1 } }),
      sampleProvider({ name: 'b' }),
    ];
    const deployed = [
      { provider: 'b', upstreamId: 'x' },
      { provider: 'main', upstreamId: 'y' },
    ];
    const twoModels = [
      sampleModel({ aliases: ['z', 'a'], deployments: deployed }),
      sampleModel({ id: 'unpriced', aliases: [], prices: null, contextWindow: null }),
    ];
    await putProviders(twoProviders);
    await putModels(twoModels);
    const before = await everything();
    await settle();
    published = 0;
    expect(await putProviders(twoProviders)).toBe(false);
    expect(await putModels(twoModels)).toBe(false);
    await settle();
    expect(await everything()).toEqual(before);
    expect(published).toBe(0);
  });

  test.each<[string, Partial<ModelDeclaration>]>([
    ['an alias', { aliases: ['small'] }],
    ['an upstream id', { deployments: [{ provider: 'main', upstreamId: 'other' }] }],
    ['another provider', { deployments: [{ provider: 'backup', upstreamId: 'other' }] }],
    ['a capability', { capabilities: ['tools'] }],
    ['a limit', { maxOutputTokens: null }],
    ['whether its answers are rescued', { rescue: true }],
    ['its place in the list', { displayOrder: 7 }],
  ])('that differ in %s change the model and publish', async (_what, changes) => {
    await putProviders([sampleProvider(), sampleProvider({ name: 'backup' })]);
    await putModels([sampleModel()]);
    const before = await everything();
    await settle();
    published = 0;
    expect(await putModels([sampleModel(changes)])).toBe(true);
    await settle();
    expect(await everything()).not.toEqual(before);
    expect(published).toBeGreaterThan(0);
    await putModels([sampleModel()]);
    expect(await everything()).toEqual(before);
  });

  test('swap aliases between two models', async () => {
    await putProviders([sampleProvider()]);
    const pair = (first: string, second: string) => [
      sampleModel({ id: 'a', aliases: [first] }),
      sampleModel({ id: 'b', aliases: [second] }),
    ];
    await putModels(pair('left', 'right'));
    await putModels(pair('right', 'left'));
    const rows = await everything();
    const owner = (alias: string) => rows.aliases.find((row) => row.alias === alias)?.modelId;
    expect(owner('right')).toBe(rows.models.find(({ publicId }) => publicId === 'a')?.id);
    expect(owner('left')).toBe(rows.models.find(({ publicId }) => publicId === 'b')?.id);
  });

  test('422 for a name that stands for another model, naming the field; nothing is stored', async () => {
    await putProviders([sampleProvider()]);
    await putModels([sampleModel()]);
    const before = await everything();
    const named = (id: string, ...aliases: string[]) => sampleModel({ id, aliases });
    expect(await refusedFields(putModels([named('new', 'x', 'gpt-4o-mini')]))).toEqual([[0, 'aliases', 1]]);
    expect(await refusedFields(putModels([named('new', 'mini')]))).toEqual([[0, 'aliases', 0]]);
    expect(await refusedFields(putModels([named('x'), named('mini')]))).toEqual([[1, 'id']]);
    expect(await everything()).toEqual(before);
  });

  test('422 for a provider that does not exist', async () => {
    await putProviders([sampleProvider()]);
    expect(
      await refusedFields(
        putModels([
          sampleModel(),
          sampleModel({ id: 'b', aliases: [], deployments: [{ provider: 'nobody', upstreamId: 'x' }] }),
        ]),
      ),
    ).toEqual([[1, 'providers', 0, 'provider']]);
  });

  test('leave nothing behind and publish nothing when their transaction rolls back', async () => {
    await expect(
      write(async (work) => {
        await upsertProviders(work, 'file', [sampleProvider()]);
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    await settle();
    expect((await everything()).providers).toEqual([]);
    expect(published).toBe(0);
  });

  test('replace a secret that changed, and one that can no longer be opened', async () => {
    await putProviders([sampleProvider()]);
    await putProviders([sampleProvider({ credentials: [{ name: 'k1', secret: 'secret-two' }] })]);
    const opened = async () => envelope.open((await everything()).credentials[0]?.sealedSecret ?? '');
    expect(await opened()).toBe('secret-two');
    const other = await openEnvelope('another secret of many characters');
    await storage.db.update(providerCredentials).set({ sealedSecret: await other.seal('secret-two') });
    expect(
      await putProviders([sampleProvider({ credentials: [{ name: 'k1', secret: 'secret-two' }] })]),
    ).toBe(true);
    expect(await opened()).toBe('secret-two');
  });

  test('give a declared secret anew to a provider that moved, and keep what it was renewed to from the new host', async () => {
    await putProviders([sampleProvider()]);
    const boundTo = async () => (await everything()).credentials.map((row) => row.boundTo);
    expect(await boundTo()).toEqual(['https://upstream.test']);
    await storage.db.update(providerCredentials).set({ sealedSecret: await envelope.seal('renewed') });
    expect(await putProviders([sampleProvider({ baseUrl: 'https://upstream.test/v2' })])).toBe(true);
    const opened = async () => envelope.open((await everything()).credentials[0]?.sealedSecret ?? '');
    expect(await opened()).toBe('renewed');
    const limited = { name: 'k1', secret: 'secret-one', maxConcurrent: 5 };
    expect(await putProviders([sampleProvider({ credentials: [limited] })])).toBe(true);
    expect((await everything()).credentials).toMatchObject([{ maxConcurrent: 5, enabled: true }]);
    expect(await opened()).toBe('renewed');
    await storage.db.update(providerCredentials).set({ boundTo: 'https://upstream.test:443' });
    await putProviders([sampleProvider({ baseUrl: 'https://upstream.test/v1' })]);
    expect(await opened()).toBe('renewed');
    await putProviders([sampleProvider({ baseUrl: 'https://elsewhere.test/v1' })]);
    expect(await opened()).toBe('secret-one');
    expect(await boundTo()).toEqual(['https://elsewhere.test']);
    await putProviders([sampleProvider({ baseUrl: null })]);
    expect(await boundTo()).toEqual(['openai']);
  });

  test('take an address in a private network from whoever declares it, else where that is allowed', async () => {
    const list = [sampleProvider({ baseUrl: 'http://127.0.0.1:11434/v1' })];
    await expect(putProviders(list, null)).rejects.toMatchObject({
      code: 'validation_failed',
      fields: [{ loc: [0, 'base_url'], msg: expect.stringContaining('SLUICE_UPSTREAM_PRIVATE') }],
    });
    await write((work) => upsertProviders({ ...work, isPrivateAllowed: true }, null, list));
    expect(await putProviders(list)).toBe(true);
    const metadata = [sampleProvider({ baseUrl: 'http://169.254.169.254' })];
    await expect(
      write((work) => upsertProviders({ ...work, isPrivateAllowed: true }, null, metadata)),
    ).rejects.toMatchObject({ code: 'validation_failed' });
  });

  test('delete a managed credential that is declared no more, and leave what others added', async () => {
    await putProviders([sampleProvider({ credentials: [{ name: 'by-hand', secret: 's' }] })], null);
    await putProviders([
      sampleProvider({
        credentials: [
          { name: 'k1', secret: 's' },
          { name: 'k2', secret: 's' },
        ],
      }),
    ]);
    await putProviders([sampleProvider({ credentials: [{ name: 'k2', secret: 's' }] })]);
    expect((await everything()).credentials.map(({ name }) => name)).toEqual(['by-hand', 'k2']);
  });

  test('leave no credential of the environment in a provider that a file takes over', async () => {
    const known = { name: 'OPENAI_API_KEY', secret: 's' };
    await putProviders([sampleProvider({ credentials: [known] })], 'environment');
    await putProviders([sampleProvider({ credentials: [{ name: 'k1', secret: 's' }] })]);
    expect((await everything()).credentials.map(({ name }) => name)).toEqual(['k1']);
  });

  test('disable the models and hide the providers that their manager declares no more, once', async () => {
    await putProviders([sampleProvider(), sampleProvider({ name: 'gone' })]);
    await putProviders([sampleProvider({ name: 'by-hand' })], null);
    await putModels([sampleModel({ aliases: [] }), sampleModel({ id: 'gone', aliases: ['old-name'] })]);
    await putModels([sampleModel({ id: 'by-hand', aliases: [] })], null);
    const retire = () =>
      write(async (work) => [
        await disableUndeclaredModels(work, 'file', ['gpt-4o-mini']),
        await hideUndeclaredProviders(work, 'file', ['main']),
      ]);
    expect(await retire()).toEqual([['gone'], ['gone']]);
    const rows = await everything();
    expect(rows.models.filter(({ enabled }) => !enabled).map(({ publicId }) => publicId)).toEqual(['gone']);
    expect(rows.providers.filter(({ visible }) => !visible).map(({ name }) => name)).toEqual(['gone']);
    await settle();
    published = 0;
    expect(await retire()).toEqual([[], []]);
    await settle();
    expect(published).toBe(0);
    // A disabled model's names are free: its own id and the alias it had.
    await putModels([sampleModel({ aliases: ['gone', 'old-name'] })]);
    expect(await refusedFields(putModels([sampleModel({ id: 'gone', aliases: [] })]))).toEqual([[0, 'id']]);
  });

  test('bring back what is declared again', async () => {
    await putProviders([sampleProvider()]);
    await putModels([sampleModel()]);
    const before = await everything();
    await write((work) => disableUndeclaredModels(work, 'file', []));
    await write((work) => hideUndeclaredProviders(work, 'file', []));
    await putProviders([sampleProvider()]);
    await putModels([sampleModel()]);
    expect(await everything()).toEqual(before);
  });

  test('can be kept to what is nobody else’s', async () => {
    await putProviders([sampleProvider({ name: 'theirs' })], null);
    await putProviders([sampleProvider({ name: 'ours' })], 'environment');
    const list = ['theirs', 'ours', 'new'].map((name) => sampleProvider({ name }));
    const kept = await withoutForeignProviders(storage.db, 'environment', list);
    expect(kept.map(({ name }) => name)).toEqual(['ours', 'new']);
    const served = { deployments: [{ provider: 'ours', upstreamId: 'x' }] };
    await putModels([sampleModel({ id: 'theirs', aliases: ['alias'], ...served })], 'file');
    await putModels([sampleModel({ id: 'ours', aliases: [], ...served })], 'environment');
    const ids = ['theirs', 'alias', 'ours', 'new'].map((id) => sampleModel({ id, aliases: [], ...served }));
    const keptModels = await withoutForeignModels(storage.db, 'environment', ids);
    expect(keptModels.map(({ id }) => id)).toEqual(['ours', 'new']);
  });
});
