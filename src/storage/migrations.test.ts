/** What becomes of rows that an earlier version of this program wrote. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { describeOnEachDatabase, type TestDatabase } from '../../test/support/databases.ts';
import journal from './migrations/meta/_journal.json';

const mark = '--> statement-breakpoint';

/** Where tokens are renewed, as it may be declared, and the origin that `URL` reads there. */
const places = [
  'https://auth.test/token',
  'https://auth.test:443/token',
  'https://auth.test:0443',
  'HTTPS://Auth.Test/Token?a=b',
  'https://id:pw@auth.test/token',
  'https://id:p@w@auth.test:443/token?to=a@b',
  'http://auth.test:80/token',
  'https://auth.test:8443/token',
  'http://auth.test:443/token',
  'https://auth.test:80/token',
].map((tokenUrl) => [tokenUrl, new URL(tokenUrl).origin] as const);

describeOnEachDatabase('the rows of earlier versions', (openDatabase) => {
  let storage: TestDatabase;
  beforeAll(async () => {
    storage = await openDatabase({ migrated: false });
    await applyUntil('0001_units_and_renewal');
    for (const [tokenUrl] of places) {
      await storage.db.execute(sql`
        WITH provider AS (
          INSERT INTO providers (name, kind, settings)
          VALUES (${tokenUrl}, 'native', jsonb_build_object('token_url', ${tokenUrl}::text)) RETURNING id)
        INSERT INTO provider_credentials (provider_id, name, sealed_secret) SELECT id, 'k', '' FROM provider`);
    }
  });
  afterAll(() => storage.close());

  /** As the migrator does and notes it. */
  async function applyUntil(last: string): Promise<void> {
    await storage.db.execute(sql`CREATE SCHEMA drizzle`);
    await storage.db.execute(
      sql`CREATE TABLE drizzle.__drizzle_migrations (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)`,
    );
    for (const { tag, when } of journal.entries) {
      const text = readFileSync(join(import.meta.dirname, 'migrations', `${tag}.sql`), 'utf8');
      for (const statement of text.split(mark)) await storage.db.execute(sql.raw(statement));
      const hash = createHash('sha256').update(text).digest('hex');
      await storage.db.execute(
        sql`INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES (${hash}, ${when})`,
      );
      if (tag === last) return;
    }
  }

  test('of usage are carried over, zeros as nulls and attempts by their number', async () => {
    await storage.db.execute(sql`
      INSERT INTO usage_records (request_id, started_at, key_id, user_id, payer_id, endpoint, model, provider,
        upstream_model, streamed, status, outcome, error_code, attempts, input_tokens, cache_read_tokens, output_tokens,
        audio_ms, estimated, cost_nano_usd, charged_nano_usd, duration_ms, first_byte_ms, overhead_ms)
      VALUES
        ('01A2019C-96fc-744d-b253-00c2e854de7a', '2031-03-04T05:06:07.089Z', 1, 2, 3, '/v1/chat/completions', 'm', 'p',
          'u', true, 502, 'upstream_failed', 'upstream_error', 3, 5, 0, 7, 1500, true, 9007199254740993, 12, 1.5, 0.25, 0.5),
        ('made by hand', '2031-03-04T05:06:08Z', 1, 2, 3, '/v1/embeddings', 'm', NULL, NULL, false, 99999, 'refused',
          NULL, 0, 0, 4, 0, 0, false, 0, 0, 1, NULL, 1)`);
    await storage.db.execute(sql`
      INSERT INTO users (email, name, role)
      VALUES ('early@example.test', 'Early', 'member'), ('bird@example.test', '', 'member')`);
    await storage.db.execute(
      sql`INSERT INTO wallets (user_id, balance_nano_usd) SELECT id, 4 FROM users WHERE name = 'Early'`,
    );
    await storage.db.execute(sql`
      INSERT INTO wallet_deposits (user_id, amount_nano_usd, business_key, created_at)
      SELECT id, amount, 'deposit of ' || amount, at::timestamptz
      FROM users, (VALUES (5, '2031-03-04T23:59:59.9Z'), (6, '2031-03-05T00:00:00Z'), (7, '2031-03-05T09:00:00Z')) AS list (amount, at)
      WHERE name = 'Early'`);
    expect((await storage.migrate()).applied[0]).toBe('0002_leaner_usage_rows');
    const { rows } = await storage.db.execute(sql`
      SELECT request_id::text AS request_id, to_char(started_at AT TIME ZONE 'UTC', 'HH24:MI:SS.MS') AS started_at,
        key_id::int AS key_id, user_id::int AS user_id, payer_id::int AS payer_id, endpoint, model, provider,
        upstream_model, streamed, status, outcome, error_code, attempts::text AS attempts, input_tokens,
        cache_read_tokens, output_tokens, audio_ms, characters, estimated, cost_nano_usd::text AS cost,
        charged_nano_usd::text AS charged, duration_ms, first_byte_ms, overhead_ms
      FROM usage_records ORDER BY started_at`);
    const { rows: sums } = await storage.db.execute(sql`
      SELECT sum(requests)::int AS requests, sum(cost_nano_usd)::text AS cost, sum(audio_ms)::int AS audio_ms
      FROM usage_daily GROUP BY facet ORDER BY facet`);
    const sum = { requests: 2, cost: '9007199254740993', audio_ms: 1500 };
    expect(sums).toEqual([sum, sum, sum]);
    expect(rows).toEqual([
      {
        ...{ request_id: '01a2019c-96fc-744d-b253-00c2e854de7a', started_at: '05:06:07.089' },
        ...{
          key_id: 1,
          user_id: 2,
          payer_id: 3,
          endpoint: '/v1/chat/completions',
          model: 'm',
          provider: 'p',
        },
        ...{ upstream_model: 'u', streamed: true, status: 502, outcome: 'upstream_failed' },
        error_code: 'upstream_error',
        attempts: `[${'[null, null, null, null, null], '.repeat(2)}["p", null, null, null, "upstream_error"]]`,
        ...{ input_tokens: 5, cache_read_tokens: null, output_tokens: 7, audio_ms: 1500, characters: null },
        ...{ estimated: true, cost: '9007199254740993', charged: '12' },
        ...{ duration_ms: 1.5, first_byte_ms: 0.25, overhead_ms: 0.5 },
      },
      {
        ...{ request_id: expect.stringMatching(/^[0-9a-f-]{36}$/), started_at: '05:06:08.000' },
        ...{ key_id: 1, user_id: 2, payer_id: 3, endpoint: '/v1/embeddings', model: 'm', provider: null },
        ...{ upstream_model: null, streamed: false, status: 32_767, outcome: 'refused', error_code: null },
        attempts: '[]',
        ...{ input_tokens: 0, cache_read_tokens: 4, output_tokens: 0, audio_ms: null, characters: null },
        ...{ estimated: false, cost: '0', charged: '0', duration_ms: 1, first_byte_ms: null, overhead_ms: 1 },
      },
    ]);
  });

  test('of accounts have got their main contact, with its preferences', async () => {
    const { rows } = await storage.db.execute(sql`
      SELECT contact.email, contact.name, contact.main, count(*)::int AS preferences
      FROM notification_contacts AS contact JOIN notification_preferences ON contact_id = contact.id
      GROUP BY contact.id ORDER BY contact.id`);
    const contact = { main: true, preferences: 22 };
    expect(rows).toEqual([
      { email: 'early@example.test', name: 'Early', ...contact },
      { email: 'bird@example.test', name: '', ...contact },
    ]);
  });

  test('of credentials are bound to where their tokens are renewed, however that is spelled', async () => {
    const { rows } = await storage.db.execute(sql`
      SELECT provider.name, bound_to FROM provider_credentials AS own JOIN providers AS provider
        ON provider.id = own.provider_id ORDER BY own.id`);
    expect(rows).toEqual(places.map(([name, origin]) => ({ name, bound_to: `native ${origin}` })));
  });

  test('of money have got the sums of their days', async () => {
    const { rows } = await storage.db.execute(sql`
      SELECT known.day::text AS day, known.amount_nano_usd::int AS amount, known.usage_nano_usd::int AS usage, usage_requests,
        last_journal_id - first_journal_id AS span, last_usage_journal_id IS NULL AS is_unused
      FROM account_days AS known JOIN accounts ON accounts.id = known.account_id AND accounts.kind = 'paid' ORDER BY day`);
    const usedToday = { day: expect.any(String), amount: -14, usage: -14, usage_requests: null };
    const expected = [
      { day: '2031-03-04', amount: 5, usage: 0, usage_requests: null, span: '0', is_unused: true },
      { day: '2031-03-05', amount: 13, usage: 0, usage_requests: null, span: '1', is_unused: true },
      { ...usedToday, span: '0', is_unused: false },
    ];
    // What was used before the books stands on the day of the migration.
    expect(rows.toSorted((one, other) => Number(one['usage']) - Number(other['usage']))).toEqual(
      expected.toSorted((one, other) => one.usage - other.usage),
    );
  });
});
