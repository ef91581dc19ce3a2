/** Configurations meet the database, on each database: what is written, what is taken back, what is left alone. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { systemClock } from '../base/clock.ts';
import { openEnvelope } from '../base/envelope.ts';
import { systemIds } from '../base/ids.ts';
import { everybody, onlyOf } from '../base/scope.ts';
import { upsertModels, upsertProviders } from '../catalogue/index.ts';
import {
  createUser,
  deriveStarterToken,
  findUserByEmail,
  listKeys,
  removeAccount,
  revokeKey,
} from '../identity/index.ts';
import { listBudgetDefaults, listBudgets, setBudget, Wallets } from '../ledger/index.ts';
import { forgetMoney } from '../ledger/testing/forget-money.ts';
import { readMoney } from '../ledger/testing/read-money.ts';
import type { Storage } from '../storage/index.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import * as catalogueTables from '../storage/schema/catalogue.ts';
import * as identityTables from '../storage/schema/identity.ts';
import * as ledgerTables from '../storage/schema/ledger.ts';
import { transact } from '../storage/work.ts';
import { type ApplyParts, applyConfiguration } from './apply.ts';
import type { ApplyReport } from './apply-people.ts';
import { type EnvironmentDeclaration, readEnvironmentProviders } from './environment-providers.ts';
import { type ConfigurationFile, readConfiguration } from './file.ts';
import { simulatorDeclaration } from './local-providers.ts';
import { ConfigurationError, writeMistake } from './mistake.ts';

const { models, providers } = catalogueTables;
const { users } = identityTables;

const nothing: EnvironmentDeclaration = { providers: [], models: [] };
const tokenOf = (name: string) => deriveStarterToken(`a secret only for these tests: ${name}`, 'sluice_');

const whole = `
users:
  - { email: a@example.test, password: "four plain words", role: platform_owner, name: Anna, wallet_usd: 25 }
  - { email: B@example.test, password: "four other words", role: member }
providers:
  - { name: main, kind: openai, base_url: "http://127.0.0.1:9001/v1", region: eu, credentials: [{ name: k1, api_key: one }] }
  - { name: spare, kind: openai, base_url: "http://127.0.0.1:9002/v1" }
models:
  - id: gpt-4o-mini
    owned_by: openai
    aliases: [mini]
    prices: { input: 0.15, cached_input: 0.075, output: 0.60 }
    providers: [{ provider: spare, upstream_id: first }, { provider: main, upstream_id: second }]
  - { id: other, owned_by: openai, providers: [{ provider: main, upstream_id: o }] }
keys:
  - { name: ci, owner: a@example.test, token: ${tokenOf('ci')}, requests_per_minute: 60, scopes: [inference] }
  - { name: b, owner: b@example.test, token: ${tokenOf('b')}, allowed_models: [mini], expires_at: 2031-01-01 }
`;

function fileOf(text: string): ConfigurationFile {
  const rules = {
    providerKinds: new Map([
      [
        'openai',
        {
          defaultBaseUrl: null,
          needsCredential: false,
          checkSettings: () => undefined,
          supports: () => ({ chat: [] }),
        },
      ],
    ]),
    tokenPrefix: 'sluice_',
  };
  const { file, mistakes } = readConfiguration(text, { path: 'sluice.yaml', variables: {}, ...rules });
  if (file === null) throw new ConfigurationError(mistakes);
  return file;
}

/** Replacing nothing is a slip of the test. */
function changed(from: string | RegExp, to: string): string {
  const text = whole.replace(from, to);
  expect(text).not.toBe(whole);
  return text;
}

describeOnEachDatabase('applying a configuration', (openDatabase) => {
  let storage: Storage;
  let parts: ApplyParts;
  let published: string[] = [];

  beforeAll(async () => {
    storage = await openDatabase();
    parts = {
      storage,
      envelope: await openEnvelope('a secret of thirty-two characters'),
      wallets: new Wallets({ db: storage.db, changes: storage.changes, clock: systemClock }),
      clock: systemClock,
      ids: systemIds,
      tokenPrefix: 'sluice_',
    };
    for (const topic of ['catalogue', 'user', 'api-key', 'wallet']) {
      storage.changes.subscribe(topic, (key) => published.push(`${topic} ${key}`));
    }
  });
  afterAll(() => storage.close());
  beforeEach(async () => {
    await forgetMoney(storage.db);
    for (const table of [models, providers, apiKeys, users]) await storage.db.delete(table);
  });

  const apply = (text: string | null, declared: EnvironmentDeclaration = nothing): Promise<ApplyReport> =>
    applyConfiguration({ file: text === null ? null : fileOf(text), declared }, parts);

  /** Everything published before this call has been delivered when it resolves. */
  async function settle(): Promise<void> {
    const delivered = Promise.withResolvers<void>();
    const stop = storage.changes.subscribe('marker', () => delivered.resolve());
    await storage.changes.publish(storage.db, 'marker', 'now');
    await delivered.promise;
    stop();
  }

  test('keeps the models of a provider that did not say now which it has, at the address that it had', async () => {
    const baseUrl = 'http://127.0.0.1:11434/v1';
    const [provider] = simulatorDeclaration.providers;
    const [model] = simulatorDeclaration.models;
    if (provider === undefined || model === undefined) throw new Error('the simulator declares nothing');
    const ollama: EnvironmentDeclaration = {
      providers: [{ ...provider, name: 'ollama', kind: 'ollama', baseUrl }],
      models: [{ ...model, id: 'ollama/qwen', deployments: [{ provider: 'ollama', upstreamId: 'qwen' }] }],
    };
    const isThere = async () => {
      const [row] = await storage.db.select().from(models).where(eq(models.publicId, 'ollama/qwen'));
      const [host] = await storage.db.select().from(providers).where(eq(providers.name, 'ollama'));
      return [row?.enabled, host?.visible];
    };
    await apply(null, ollama);
    expect(await apply(null, { ...nothing, unheard: [{ name: 'ollama', baseUrl }] })).toMatchObject({
      changed: false,
    });
    expect(await isThere()).toEqual([true, true]);
    await apply(null, { ...nothing, unheard: [{ name: 'ollama', baseUrl: 'http://10.0.0.7:11434/v1' }] });
    expect(await isThere()).toEqual([false, false]);
    await apply(null, ollama);
    await apply(null, nothing);
    expect(await isThere()).toEqual([false, false]);
  });

  /** Every row of every table that a configuration touches, in an order of its own. */
  async function everything(): Promise<Record<string, string[]>> {
    const tables = { ...catalogueTables, ...identityTables, apiKeys, ...ledgerTables };
    const rows: Record<string, string[]> = {};
    for (const [name, table] of Object.entries(tables)) {
      const found = await storage.db.select().from(table);
      rows[name] = found
        .map((row) => JSON.stringify(row, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value)))
        .toSorted();
    }
    return rows;
  }

  async function mistakesOf(attempt: Promise<unknown>): Promise<string[]> {
    const thrown: unknown = await attempt.catch((error: unknown) => error);
    if (!(thrown instanceof ConfigurationError)) throw new Error(`not refused: ${String(thrown)}`);
    return thrown.mistakes.map(writeMistake);
  }

  test('budgets of a file are set, changed, put back where somebody changed them, and end with their line', async () => {
    const told = async () =>
      (await listBudgets(storage.db, 0)).map(({ subject, period, limitNanoUsd, managedBy }) =>
        [subject.kind, period, limitNanoUsd, managedBy].join(' '),
      );
    const withBudgets = (...rows: readonly string[]) =>
      `${whole}organisations: [{ slug: acme, name: Acme }]\nbudgets: [${rows.join(', ')}]\n`;
    const both = withBudgets(
      '{ key: ci, period: daily, usd: 5 }',
      '{ organisation: acme, period: monthly, usd: 100 }',
    );
    expect((await apply(both)).changed).toBe(true);
    expect(await told()).toEqual(['key daily 5000000000 file', 'organisation monthly 100000000000 file']);
    expect((await apply(both)).changed).toBe(false);
    const [first] = await listBudgets(storage.db, 0);
    if (first === undefined) throw new Error('there is a budget');
    await transact(parts, (work) =>
      setBudget(work, { subject: first.subject, period: 'daily', limitNanoUsd: 1n, managedBy: null }),
    );
    await transact(parts, (work) =>
      setBudget(work, { subject: first.subject, period: 'total', limitNanoUsd: 7n, managedBy: null }),
    );
    expect((await apply(both)).changed).toBe(true);
    expect(await told()).toContain('key daily 5000000000 file');
    await apply(withBudgets('{ user: b@example.test, period: total, usd: 1 }'));
    // What somebody set by hand is theirs.
    expect(await told()).toEqual(['key total 7 ', 'user total 1000000000 file']);
    const missing = withBudgets(
      '{ organisation: nobody, period: daily, usd: 1 }',
      '{ organisation: acme, department: Research, period: daily, usd: 1 }',
      '{ user: nobody@example.test, period: daily, usd: 1 }',
    );
    const mistakes = await mistakesOf(apply(missing));
    expect(mistakes).toHaveLength(3);
    expect(mistakes[0]).toContain('budgets[0].organisation: there is no organisation "nobody"');
    expect(mistakes[1]).toContain('budgets[1].department: there is no department "Research"');
    expect(mistakes[2]).toContain('nobody has an account with the address "nobody@example.test"');
    await storage.db.delete(identityTables.organisations);
  });

  test('budgets that groups give are set, go to keys that are new, and end with their line', async () => {
    const withDefaults = (...rows: readonly string[]) =>
      `${whole}organisations: [{ slug: acme, name: Acme }]\nbudget_defaults: [${rows.join(', ')}]\n`;
    const one = withDefaults('{ organisation: acme, for: keys, period: daily, usd: 5 }');
    expect((await apply(one)).changed).toBe(true);
    expect((await apply(one)).changed).toBe(false);
    const [organisation] = await storage.db.select().from(identityTables.organisations);
    expect(await listBudgetDefaults(storage.db)).toMatchObject([
      { group: { organisationId: organisation?.id, departmentId: null }, limitNanoUsd: 5_000_000_000n },
    ]);
    // The keys were there before anybody belonged to it.
    expect(await listBudgets(storage.db, 0)).toEqual([]);
    await storage.db.update(users).set({ organisationId: organisation?.id ?? null });
    await storage.db.delete(apiKeys);
    await apply(one);
    const given = await listBudgets(storage.db, 0);
    expect(given.length).toBeGreaterThan(0);
    expect(
      new Set(given.map(({ subject, period, managedBy }) => [subject.kind, period, managedBy].join(' '))),
    ).toEqual(new Set(['key daily ']));
    expect((await apply(withDefaults())).changed).toBe(true);
    expect(await listBudgetDefaults(storage.db)).toEqual([]);
    const mistakes = await mistakesOf(
      apply(
        withDefaults(
          '{ organisation: nobody, for: keys, period: daily, usd: 1 }',
          '{ organisation: acme, department: Research, for: members, period: daily, usd: 1 }',
        ),
      ),
    );
    expect(mistakes[0]).toContain('budget_defaults[0].organisation: there is no organisation "nobody"');
    expect(mistakes[1]).toContain('budget_defaults[1].department: there is no department "Research"');
    await storage.db.update(users).set({ organisationId: null });
    await storage.db.delete(identityTables.organisations);
  });

  test('a file brings its users, keys, money and catalogue, all marked as its own', async () => {
    expect(await apply(whole)).toEqual({ changed: true, warnings: [] });
    const people = await storage.db.select().from(users).orderBy(users.email);
    expect(people).toMatchObject([
      { email: 'a@example.test', role: 'platform_owner', name: 'Anna', managedBy: 'file' },
      { email: 'b@example.test', role: 'member', managedBy: 'file' },
    ]);
    expect(await storage.db.select().from(ledgerTables.wallets)).toMatchObject([{ userId: people[0]?.id }]);
    expect(await readMoney(storage.db)).toMatchObject({ balanceNanoUsd: 25_000_000_000n });
    expect(await storage.db.select().from(apiKeys).orderBy(apiKeys.name)).toMatchObject([
      {
        name: 'b',
        ownerId: people[1]?.id,
        allowedModels: ['mini'],
        expiresAt: new Date('2031-01-01'),
        managedBy: 'file',
      },
      { name: 'ci', ownerId: people[0]?.id, requestsPerMinute: 60, scopes: ['inference'], managedBy: 'file' },
    ]);
    expect(await storage.db.select().from(models).orderBy(models.displayOrder)).toMatchObject([
      { publicId: 'gpt-4o-mini', type: 'chat', managedBy: 'file', enabled: true },
      { publicId: 'other', managedBy: 'file', enabled: true },
    ]);
    expect(await storage.db.select().from(catalogueTables.deployments)).toHaveLength(3);
  });

  test('the same again changes no row and publishes nothing', async () => {
    await apply(whole, simulatorDeclaration);
    const before = await everything();
    await settle();
    published = [];
    expect(await apply(whole, simulatorDeclaration)).toEqual({ changed: false, warnings: [] });
    await settle();
    expect(published).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  test('settings of a kind are stored beside the limits of time', async () => {
    const settings = '{ protocols: [responses] }, timeouts_ms: { idle: 1500 }';
    await apply(changed('region: eu,', `region: eu, settings: ${settings},`), nothing);
    const [row] = await storage.db.select().from(providers).where(eq(providers.name, 'main'));
    expect(row?.settings).toEqual({ protocols: ['responses'], timeoutsMs: { idle: 1500 } });
  });

  test('a user has the limits that the file says, keeps those that it does not say, and loses those it says null of', async () => {
    const limitsOf = async (text: string) => {
      await apply(text);
      const [row] = await storage.db.select().from(users).where(eq(users.email, 'a@example.test'));
      return [row?.requestsPerMinute, row?.tokensPerMinute, row?.concurrentRequests];
    };
    const saying = (limits: string) => changed('name: Anna,', `name: Anna, ${limits},`);
    expect(await limitsOf(saying('requests_per_minute: 60, concurrent_requests: 4'))).toEqual([60, null, 4]);
    expect(await limitsOf(saying('tokens_per_minute: 9000'))).toEqual([60, 9000, 4]);
    expect(await limitsOf(saying('requests_per_minute: null'))).toEqual([null, 9000, 4]);
  });

  test('a change is published where it belongs', async () => {
    await apply(whole);
    await settle();
    published = [];
    expect((await apply(changed('requests_per_minute: 60', 'requests_per_minute: 61'))).changed).toBe(true);
    await settle();
    expect(published.some((line) => line.startsWith('api-key '))).toBe(true);
    expect(published.some((line) => line.startsWith('catalogue '))).toBe(false);
  });

  test('what a file declares no more is disabled, hidden and revoked; its users stay', async () => {
    await apply(whole);
    const kept = changed(
      /models:[\s\S]*$/,
      'models:\n  - { id: other, owned_by: openai, providers: [{ provider: main, upstream_id: o }] }\n',
    );
    await apply(kept.replace(/ {2}- \{ name: spare.*\n/, '').replace(/ {2}- \{ email: B@.*\n/, ''));
    const [byId, byName] = [
      await storage.db.select().from(models),
      await storage.db.select().from(providers),
    ];
    expect(byId.filter(({ enabled }) => enabled).map(({ publicId }) => publicId)).toEqual(['other']);
    expect(byName.filter(({ visible }) => visible).map(({ name }) => name)).toEqual(['main']);
    expect(await listKeys(everybody, storage.db)).toEqual([]);
    expect(await storage.db.select().from(users)).toHaveLength(2);
  });

  test('whom a file declares no more stays, and can do from then on what the file held them from', async () => {
    await apply(whole);
    await settle();
    published = [];
    const without = changed(/ {2}- \{ email: B@.*\n/, '').replace(/ {2}- \{ name: b, .*\n/, '');
    expect((await apply(without)).changed).toBe(true);
    await settle();
    const actor = await findUserByEmail(storage.db, 'b@example.test');
    if (actor === undefined) throw new Error('the person is gone');
    expect(actor).toMatchObject({ managedBy: null, role: 'member', status: 'active', hasPassword: true });
    expect(published).toContain(`user ${actor.id}`);
    expect(await findUserByEmail(storage.db, 'a@example.test')).toMatchObject({ managedBy: 'file' });
    expect((await apply(without)).changed).toBe(false);
    const removal = { userId: actor.id, typedEmail: actor.email, actor, keptElsewhere: [] };
    await transact(parts, (work) => removeAccount(onlyOf(actor.id), work, removal));
    expect(await findUserByEmail(storage.db, 'b@example.test')).toBeUndefined();
  });

  test('a declared person has no budget of the place that a stranger registered their address at', async () => {
    const given = async (email: string, status: 'unverified' | 'active') => {
      const { id } = await transact(parts, (work) => createUser(work, { email, role: 'member', status }));
      const budget = { period: 'daily', limitNanoUsd: 1n, managedBy: null } as const;
      await transact(parts, (work) => setBudget(work, { ...budget, subject: { kind: 'user', id } }));
      return id;
    };
    await given('a@example.test', 'unverified');
    const own = await given('b@example.test', 'active');
    await apply(whole);
    expect(await listBudgets(storage.db, 0)).toMatchObject([{ subject: { kind: 'user', id: own } }]);
  });

  test('a key that was revoked stays so, with a warning, however often the file declares it', async () => {
    await apply(whole);
    const key = (await listKeys(everybody, storage.db)).find(({ name }) => name === 'ci');
    await transact(parts, (work) => revokeKey(everybody, work, key?.id ?? 0));
    const { warnings } = await apply(whole);
    expect(warnings.map(writeMistake)).toEqual([
      expect.stringMatching(/^sluice\.yaml:16:\d+: keys\[0\]\.token: this key was revoked and stays so/),
    ]);
    expect((await listKeys(everybody, storage.db)).map(({ name }) => name)).toEqual(['b']);
  });

  test('a wallet is opened once; another figure later is a warning', async () => {
    await apply(whole);
    const { warnings } = await apply(changed('wallet_usd: 25', 'wallet_usd: 40'));
    expect(warnings.map(writeMistake)).toEqual([
      expect.stringContaining('users[0].wallet_usd: the wallet was opened with 25.00 USD'),
    ]);
    expect(await readMoney(storage.db)).toMatchObject({ balanceNanoUsd: 25_000_000_000n });
  });

  test('a key may belong to somebody whom the file does not declare', async () => {
    const carla = await transact(parts, (work) =>
      createUser(work, { email: 'carla@example.test', role: 'member' }),
    );
    await apply(changed('owner: b@example.test', 'owner: Carla@example.test'));
    const [key] = await storage.db.select().from(apiKeys).where(eq(apiKeys.name, 'b'));
    expect(key?.ownerId).toBe(carla.id);
  });

  test('all owners who do not exist are told at once', async () => {
    const text = whole.replace(/owner: (\w)@example/g, 'owner: no-$1@example');
    expect(await mistakesOf(apply(text))).toEqual([
      expect.stringContaining('keys[0].owner: nobody has an account with the address "no-a@example.test"'),
      expect.stringContaining('keys[1].owner: nobody has an account with the address "no-b@example.test"'),
    ]);
  });

  test.each([
    [
      'an owner who does not exist',
      'owner: b@example.test',
      'owner: nobody@example.test',
      'keys[1].owner: nobody has an account',
    ],
    [
      'an alias that is the id of somebody’s model',
      'aliases: [mini]',
      'aliases: [taken]',
      'models[0].aliases[0]: "taken" is the id of another model',
    ],
    [
      'an id that is the alias of somebody’s model',
      'id: other',
      'id: nick',
      'models[1].id: "nick" is already an alias of model "taken"',
    ],
  ])('%s leaves the database untouched, the environment’s part too', async (_what, from, to, complaint) => {
    await transact(parts, async (work) => {
      const [provider] = simulatorDeclaration.providers;
      const [model] = simulatorDeclaration.models;
      if (provider === undefined || model === undefined) throw new Error('no sample');
      await upsertProviders({ ...work, envelope: parts.envelope }, null, [{ ...provider, name: 'by-hand' }]);
      const deployments = [{ provider: 'by-hand', upstreamId: 'x' }];
      await upsertModels(work, null, [{ ...model, id: 'taken', aliases: ['nick'], deployments }]);
    });
    const before = await everything();
    await settle();
    published = [];
    const [line, ...others] = await mistakesOf(apply(changed(from, to), simulatorDeclaration));
    expect(line).toMatch(/^sluice\.yaml:\d+:\d+: /);
    expect(line).toContain(complaint);
    expect(others).toEqual([]);
    await settle();
    expect(published).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  test('replicas that start together apply it once', async () => {
    const reports = await Promise.all([apply(whole), apply(whole), apply(whole)]);
    expect(reports.filter((report) => report.changed)).toHaveLength(1);
    expect(await storage.db.select().from(users)).toHaveLength(2);
    expect(await storage.db.select().from(ledgerTables.journals)).toHaveLength(1);
  });

  test('without a file the environment brings providers, and takes them back when a variable goes', async () => {
    const withKeys = readEnvironmentProviders({ OPENAI_API_KEY: 'k', GROQ_API_KEY: 'g' });
    await apply(null, withKeys);
    const rows = async () => ({
      visible: (await storage.db.select().from(providers))
        .filter(({ visible }) => visible)
        .map(({ name }) => name)
        .toSorted(),
      enabled: (await storage.db.select().from(models)).filter(({ enabled }) => enabled).length,
    });
    expect(await rows()).toEqual({ visible: ['groq', 'openai'], enabled: withKeys.models.length });
    expect(await apply(null, withKeys)).toEqual({ changed: false, warnings: [] });
    const onlyOpenai = readEnvironmentProviders({ OPENAI_API_KEY: 'k' });
    await apply(null, onlyOpenai);
    expect(await rows()).toEqual({ visible: ['openai'], enabled: onlyOpenai.models.length });
    await apply(null, withKeys);
    expect(await rows()).toEqual({ visible: ['groq', 'openai'], enabled: withKeys.models.length });
  });

  test('a file puts the environment’s providers away, but for the simulator', async () => {
    await apply(null, readEnvironmentProviders({ MISTRAL_API_KEY: 'k' }));
    await apply(whole, simulatorDeclaration);
    const found = await storage.db.select().from(providers);
    expect(
      found
        .filter(({ visible }) => visible)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['main', 'simulator', 'spare']);
    await apply(null, simulatorDeclaration);
    const still = await storage.db.select().from(providers).where(eq(providers.managedBy, 'file'));
    expect(still.map(({ visible }) => visible)).toEqual([true, true]);
  });

  test('the environment does not touch what the file or a person has made of the same name', async () => {
    await apply(whole.replaceAll('main', 'openai').replace('id: other', 'id: gpt-4o'));
    const own = async () => ({
      provider: await storage.db.select().from(providers).where(eq(providers.name, 'openai')),
      model: await storage.db.select().from(models).where(eq(models.publicId, 'gpt-4o')),
    });
    const before = await own();
    await apply(null, readEnvironmentProviders({ OPENAI_API_KEY: 'another' }));
    expect(await own()).toEqual(before);
  });
});
