/** Credentials of native providers: renewed before they end and when they are refused, once for all who ask. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { stringify } from 'yaml';
import { systemClock } from '../../src/base/clock.ts';
import { openLog } from '../../src/base/log.ts';
import { loadConfiguration } from '../../src/main/configuration.ts';
import { type RunningSluice, startSluice } from '../../src/main/start.ts';
import { providerAdapters } from '../../src/providers/index.ts';
import { readTokenLog } from '../../src/routing/index.ts';
import { providerCredentials } from '../../src/storage/schema/catalogue.ts';
import { AccountService } from '../support/account-service.ts';
import { describeOnEachDatabase, type PreparedDatabase } from '../support/databases.ts';
import { newToken, owner, startTestSluice, type TestSluice, usualModel } from '../support/sluice.ts';

const path = '/v1/native/responses';
const asking = (model: string) => ({ model, input: [{ role: 'user', content: 'Hello' }], stream: true });
const expired = { expiresInSeconds: -60 };
const modelOf = (...providers: readonly string[]) => ({
  ...usualModel,
  id: providers.join('-then-'),
  aliases: [],
  providers: providers.map((provider) => ({ provider, upstream_id: 'x' })),
});

/** Each test has its own, so that none sees what another one renewed. */
const openAccounts = () => ({
  early: new AccountService(),
  revoked: new AccountService(),
  refused: new AccountService(),
  down: new AccountService(),
  hidden: new AccountService(),
  backup: new AccountService(),
});

describe('the credential of a native provider', () => {
  let accounts: ReturnType<typeof openAccounts>;
  let sluice: TestSluice;

  beforeAll(async () => {
    accounts = openAccounts();
    const { early, revoked, refused, down, hidden, backup } = accounts;
    sluice = await startTestSluice({
      file: () => ({
        providers: [
          early.provider('early', expired),
          revoked.provider('revoked'),
          refused.provider('refused'),
          down.provider('down', expired),
          hidden.provider('hidden'),
          backup.provider('backup'),
          {
            ...backup.provider('made-up'),
            credentials: [{ name: 'k1', api_key: '{"access_token":"made-up"}' }],
          },
        ],
        models: [
          ...['early', 'revoked', 'refused', 'down', 'hidden', 'made-up'].map((name) => modelOf(name)),
          modelOf('down', 'backup'),
        ],
      }),
    });
  });
  afterAll(async () => {
    await sluice.stop();
    await Promise.all(Object.values(accounts).map((account) => account.stop()));
  });

  const ask = (model: string) => sluice.post(path, asking(model));

  async function expectUnavailable(response: Response): Promise<void> {
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    const body = await response.json();
    expect(Object.keys(body)).toEqual(['detail']);
    expect(body.detail).not.toMatch(/access|refresh|127\.0\.0\.1/);
    const id = response.headers.get('x-request-id');
    const record = (await sluice.usage()).find(({ requestId }) => requestId === id);
    expect(record).toMatchObject({ status: 503, costNanoUsd: 0n });
  }

  test('that has ended is renewed before the call, once for twenty who ask at the same time', async () => {
    const { early } = accounts;
    const responses = await Promise.all(Array.from({ length: 20 }, () => ask('early')));
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
    await Promise.all(responses.map((response) => response.text()));
    expect(early).toMatchObject({ renewals: 1, refusedRenewals: 0 });
    expect(early.calls).toHaveLength(20);
    const authorizations = new Set(early.calls.map(({ headers }) => headers['authorization']));
    expect([...authorizations]).toEqual([`Bearer ${early.accessToken}`]);
    expect((await ask('early')).status).toBe(200);
    expect(early.renewals).toBe(1);
  });

  test('that is refused before its time is renewed once, and the request is sent again as it was', async () => {
    const { revoked } = accounts;
    expect((await ask('revoked')).status).toBe(200);
    revoked.revoke();
    const responses = await Promise.all(Array.from({ length: 20 }, () => ask('revoked')));
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
    await Promise.all(responses.map((response) => response.text()));
    expect(revoked).toMatchObject({ renewals: 1, refusedRenewals: 0 });
    expect(new Set(revoked.calls.map(({ bodyText }) => bodyText)).size).toBe(1);
    expect((await sluice.usage()).at(-1)).toMatchObject({ outcome: 'complete', attempts: 1 });
  });

  test('that is refused again after it was renewed is not renewed for ever', async () => {
    const { refused } = accounts;
    refused.answer = () => Response.json({ detail: 'Unauthorized' }, { status: 401 });
    const response = await ask('refused');
    expect(response.status).toBe(502);
    expect(await response.json()).toEqual({ detail: expect.stringContaining('credentials') });
    expect(refused.renewals).toBe(1);
    expect(refused.calls).toHaveLength(2);
  });

  test('that cannot be renewed is a 503, is kept, and works when the service is back', async () => {
    const { down, backup } = accounts;
    down.isDown = true;
    const [alone, other] = await Promise.all([ask('down'), ask('down-then-backup')]);
    expect(other.headers.get('x-sluice-provider')).toBe('backup');
    await other.text();
    expect(backup.calls).toHaveLength(1);
    // Asked in vain once, and not again by each request.
    expect(down.renewals).toBe(1);
    expect(down.calls).toHaveLength(0);
    await expectUnavailable(alone);
    down.isDown = false;
    sluice.leap(2000);
    expect((await ask('down')).status).toBe(200);
    expect(down.refusedRenewals).toBe(0);
  });

  test('that nobody issued and that cannot be renewed is a 503', async () => {
    await expectUnavailable(await ask('made-up'));
  });

  test('that is taken away leaves a 503', async () => {
    const { storage, catalogue } = sluice.running.services;
    const provider = sluice.running.services.catalogue
      .current()
      .byName.get('hidden')
      ?.deployments.at(0)?.provider;
    const id = provider?.credentials[0]?.id ?? 0;
    await storage.db
      .update(providerCredentials)
      .set({ enabled: false })
      .where(eq(providerCredentials.id, id));
    await catalogue.reload();
    const response = await ask('hidden');
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(accounts.hidden.calls).toHaveLength(0);
  });
});

describeOnEachDatabase('a renewed credential', (_openDatabase, database) => {
  const token = newToken();
  let account: AccountService;
  let prepared: PreparedDatabase;
  let folder: string;

  beforeEach(async () => {
    account = new AccountService();
    prepared = await database.prepare();
    folder = await mkdtemp(join(tmpdir(), 'sluice-test-'));
    const file = {
      users: [{ email: owner, password: 'a long enough password', role: 'platform_owner', wallet_usd: 25 }],
      providers: [account.provider('account', expired)],
      models: [modelOf('account')],
      keys: [{ name: 'usual', owner, token }],
    };
    await writeFile(join(folder, 'sluice.yaml'), stringify(file));
  });
  afterEach(async () => {
    await prepared.discard();
    await account.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(): Promise<RunningSluice> {
    const variables = {
      PORT: '0',
      SLUICE_CONFIG: join(folder, 'sluice.yaml'),
      SLUICE_SECRET: 'a secret of the tests, long enough',
      ...prepared.variables,
    };
    const configuration = await loadConfiguration(variables, providerAdapters);
    return startSluice({ configuration, log: openLog({ level: 'silent' }) });
  }

  /** As soon as it is written. */
  async function readTokenLogOf(running: RunningSluice | undefined): Promise<readonly string[]> {
    while (running !== undefined) {
      const events = await readTokenLog(running.services.storage.db, {}, systemClock);
      if (events.length > 0)
        return events.map(({ provider, kind, errorKind }) => `${provider} ${kind} ${errorKind}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return [];
  }

  /** @returns the status, once the answer is whole. */
  async function ask({ url }: RunningSluice): Promise<number> {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(asking('account')),
    });
    await response.text();
    return response.status;
  }

  test('outlives a restart, though the configuration file still holds the old one', async () => {
    for (let starts = 0; starts < 2; starts += 1) {
      const running = await start();
      expect(await ask(running)).toBe(200);
      await running.stop();
    }
    expect(account).toMatchObject({ renewals: 1, refusedRenewals: 0 });
    expect(account.calls).toHaveLength(2);
  });

  // Only one process can have the embedded database.
  if (database.kind === 'embedded') return;

  describe('of two replicas', () => {
    test('was renewed once between them, before the call and after a refusal', async () => {
      const replicas = [await start(), await start()];
      try {
        const askAll = () =>
          Promise.all(replicas.flatMap((replica) => Array.from({ length: 10 }, () => ask(replica))));
        expect(await askAll()).toEqual(Array(20).fill(200));
        expect(account).toMatchObject({ renewals: 1, refusedRenewals: 0 });
        account.revoke();
        expect(await askAll()).toEqual(Array(20).fill(200));
        expect(account).toMatchObject({ renewals: 2, refusedRenewals: 0 });
      } finally {
        await Promise.all(replicas.map((replica) => replica.stop()));
      }
    });

    test('that was withdrawn is tried once by each, and not by every request', async () => {
      account.isWithdrawn = true;
      const replicas = [await start(), await start()];
      try {
        for (let times = 0; times < 5; times += 1) {
          expect(await Promise.all(replicas.map(ask))).toEqual([503, 503]);
        }
        expect(account.renewals).toBe(2);
        const events = await readTokenLogOf(replicas[0]);
        expect(events).toContain('account refresh_failed invalid_grant');
      } finally {
        await Promise.all(replicas.map((replica) => replica.stop()));
      }
    });
  });
});
