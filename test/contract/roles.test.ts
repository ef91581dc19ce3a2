/** A program in parts, each a process with its role on one database: what each serves and does, and leaves to the others. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { checkBooks, listHolders } from '../../src/ledger/index.ts';
import type { Storage } from '../../src/storage/index.ts';
import { openStorage } from '../../src/storage/index.ts';
import { type PreparedDatabase, testDatabases } from '../support/databases.ts';
import { type SluiceProgram, startProgram } from '../support/program.ts';
import { newToken, owner, usualModel, usualProvider } from '../support/sluice.ts';
import { startUpstream, type Upstream } from '../support/upstream/index.ts';

const shared = testDatabases.find(({ kind }) => kind === 'postgres');
const token = newToken();

describe.skipIf(shared === undefined)('processes with roles (postgres)', () => {
  let database: PreparedDatabase;
  let storage: Storage;
  let upstream: Upstream;
  let gateway: SluiceProgram;
  let portal: SluiceProgram;
  const opened: SluiceProgram[] = [];

  beforeAll(async () => {
    if (shared === undefined) return;
    database = await shared.prepare();
    upstream = startUpstream();
    storage = await openStorage(database.options);
    // Whoever folds sums does so at its start: this one is left to the jobs.
    await storage.db.execute(sql`
      INSERT INTO usage_unsummed (started_at, cost_nano_usd, charged_nano_usd, key_id, user_id, payer_id, input_tokens,
        output_tokens, duration_ms, status, streamed, model)
      VALUES (now(), 1, 1, 1, 1, 1, 1, 1, 1, 200, false, 'm')`);
    gateway = await start('gateway');
    portal = await start('portal');
  });
  afterAll(async () => {
    for (const program of opened) await program.discard();
    upstream?.stop();
    await storage?.close();
    await database?.discard();
  });

  async function start(role: string): Promise<SluiceProgram> {
    const program = await startProgram({
      database,
      variables: { SLUICE_ROLE: role },
      file: {
        users: [{ email: owner, password: 'a long enough password', role: 'platform_owner', wallet_usd: 25 }],
        providers: [usualProvider(upstream.url)],
        models: [usualModel],
        keys: [{ name: 'k', token, owner }],
      },
    });
    opened.push(program);
    return program;
  }

  async function statusesOf({ url }: SluiceProgram) {
    const asked = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: usualModel.id, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await asked.arrayBuffer();
    const statusOf = async (path: string, accept = '*/*') => {
      const answer = await fetch(`${url}${path}`, { headers: { accept }, redirect: 'manual' });
      await answer.arrayBuffer();
      return answer.status;
    };
    return {
      health: await statusOf('/health'),
      completion: asked.status,
      models: await statusOf('/v1/models'),
      login: await statusOf('/login', 'text/html'),
      accountApi: await statusOf('/api/2.0/nothing'),
    };
  }

  const unsummed = async () => {
    const { rows } = await storage.db.execute<{ count: string }>(
      sql`SELECT count(*)::text AS count FROM usage_unsummed`,
    );
    return Number(rows[0]?.count);
  };

  test('a gateway serves clients, and no pages', async () => {
    expect(await statusesOf(gateway)).toEqual({
      health: 200,
      completion: 200,
      models: 401,
      login: 404,
      accountApi: 404,
    });
    expect(await gateway.metrics()).toMatch(/^sluice_requests_total\{[^}]*outcome="complete"\} 1$/m);
    const account = await fetch(`${gateway.url}/api/2.0/notification_contacts/`);
    expect([account.status, await account.json()]).toMatchObject([404, [{ error_type: 'notexist' }]]);
    expect(gateway.printed()).toContain('Role: gateway');
    expect(gateway.printed()).not.toContain('Sign in as');
  });

  test('a portal serves pages and the account API, and no clients', async () => {
    const { accountApi, ...rest } = await statusesOf(portal);
    expect(rest).toEqual({ health: 200, completion: 404, models: 404, login: 200 });
    expect([401, 404]).toContain(accountApi);
    expect(await portal.metrics()).toContain('sluice_spool_bytes');
  });

  test('jobs serve nobody, hold nothing, and do what the others leave', async () => {
    while ((await unsummed()) < 2) await Bun.sleep(5);
    expect(await listHolders(storage.db)).toHaveLength(2);
    const jobs = await start('jobs');
    expect(await statusesOf(jobs)).toEqual({
      health: 200,
      completion: 404,
      models: 404,
      login: 404,
      accountApi: 404,
    });
    expect(await jobs.metrics()).toContain('sluice_spool_bytes 0');
    while ((await unsummed()) > 0) await Bun.sleep(5);
    expect(await listHolders(storage.db)).toHaveLength(2);
    expect(await jobs.stop()).toBe(0);
  });

  test('each stops in good order, and the books agree', async () => {
    expect([await gateway.stop(), await portal.stop()]).toEqual([0, 0]);
    expect(await listHolders(storage.db)).toEqual([]);
    expect(await checkBooks(storage.db)).toEqual([]);
  });
});
