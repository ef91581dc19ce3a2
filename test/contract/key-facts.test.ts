/** GET /v1/key: what a key learns of itself. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { eq } from 'drizzle-orm';
import { setBudget } from '../../src/ledger/index.ts';
import { users } from '../../src/storage/schema/identity.ts';
import { transact } from '../../src/storage/work.ts';
import { newToken, owner, startTestSluice, type TestSluice } from '../support/sluice.ts';

const reader = newToken();
const locked = newToken();
const limited = newToken();
const exempt = newToken();
const guest = 'guest@example.test';
let sluice: TestSluice;

beforeAll(async () => {
  sluice = await startTestSluice({
    file: () => ({
      users: [
        { email: owner, password: 'a long enough password', role: 'platform_owner', wallet_usd: 25 },
        { email: guest, password: 'a long enough password', role: 'member', requests_per_minute: 10 },
      ],
      keys: [
        { name: 'reader', owner, token: reader, scopes: ['read'] },
        {
          ...{ name: 'locked', owner, token: locked, strict_output: true },
          ...{ allowed_models: ['double-1'], allowed_providers: ['main'], allowed_regions: ['eu'] },
          expires_at: '2100-01-01T00:00:00Z',
        },
        {
          ...{ name: 'limited', owner, token: limited },
          ...{ requests_per_minute: 5, tokens_per_minute: 100_000, concurrent_requests: 2 },
        },
        { name: 'exempt', owner: guest, token: exempt },
      ],
    }),
    variables: { SLUICE_PUBLIC_URL: 'https://sluice.example.test' },
  });
  const { db } = sluice.running.services.storage;
  await db.update(users).set({ billingExempt: true }).where(eq(users.email, guest));
});
afterAll(() => sluice.stop());

async function factsOf(token: string) {
  const answer = await fetch(`${sluice.url}/v1/key`, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(200);
  return await answer.json();
}

const chat = (token: string) => {
  sluice.upstream.enqueue({ generate: { text: 'Hello' } });
  return sluice.post(
    '/v1/chat/completions',
    { model: 'double-1', messages: [{ role: 'user', content: 'Hi' }] },
    { authorization: `Bearer ${token}` },
  );
};

test('a key that may only read learns its name, what is visible of its token, and its wallet', async () => {
  const facts = await factsOf(reader);
  expect(facts).toMatchObject({
    object: 'key',
    name: 'reader',
    scopes: ['read'],
    strict_output: false,
    expires_at: null,
    last_used_at: null,
    locks: { models: null, providers: null, regions: null },
    wallet: {
      held: '0.00',
      credit_limit: '0.00',
      top_up_url: 'https://sluice.example.test/dashboard',
    },
    limits: { key: null, user: null },
    spend_today: { requests: 0, cost: '0.00', charged: '0.00', models: [], has_more: false },
  });
  expect(reader.startsWith(facts.prefix)).toBe(true);
  expect(reader.endsWith(facts.last_four)).toBe(true);
  expect(JSON.stringify(facts)).not.toContain(reader);
});

test('budgets that hold for the key are told with what is left of each, and no others', async () => {
  const { callers } = sluice.running.services;
  const caller = await callers.find(limited);
  const set = (kind: 'key' | 'user', id: number, period: 'daily' | 'total', limitNanoUsd: bigint) =>
    transact(sluice.running.services, (work) =>
      setBudget(work, { subject: { kind, id }, period, limitNanoUsd, managedBy: null }),
    );
  expect((await factsOf(limited)).budgets).toEqual([]);
  await set('user', caller?.userId ?? 0, 'total', 3_000_000_000n);
  await set('key', caller?.keyId ?? 0, 'daily', 2_000_000_000n);
  await set('key', 999_999, 'daily', 1n);
  expect((await factsOf(limited)).budgets).toEqual([
    {
      of: 'user',
      period: 'total',
      limit: '3.00',
      spent: '0.00',
      held: '0.00',
      left: '3.00',
      resets_at: null,
    },
    {
      ...{ of: 'key', period: 'daily', limit: '2.00', spent: '0.00', held: '0.00', left: '2.00' },
      resets_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT00:00:00\.000Z$/),
    },
  ]);
});

test('locks and expiry are told', async () => {
  expect(await factsOf(locked)).toMatchObject({
    strict_output: true,
    expires_at: '2100-01-01T00:00:00.000Z',
    locks: { models: ['double-1'], providers: ['main'], regions: ['eu'] },
  });
});

test('what a request used is in the limits, the wallet and the spend of its own key alone', async () => {
  expect((await factsOf(limited)).limits.key).toEqual({
    requests: { limit: 5, remaining: 5, reset_seconds: 0 },
    tokens: { limit: 100_000, remaining: 100_000, reset_seconds: 0 },
    concurrent: { limit: 2, remaining: 2 },
    counted_by: 'process',
  });
  const answer = await chat(limited);
  const cost = answer.headers.get('x-sluice-cost-usd') ?? '';
  const { usage } = await answer.json();
  const [record] = (await sluice.usage()).filter(({ costNanoUsd }) => costNanoUsd > 0n);
  expect(record?.model).toBe('double-1');
  sluice.leap(1000);
  const { limits, spend_today: spent, last_used_at: usedAt, wallet } = await factsOf(limited);
  expect(limits.key.requests.remaining).toBe(4);
  expect(limits.user).toBeNull();
  expect(spent).toMatchObject({ requests: 1, cost, charged: cost });
  expect(spent.models).toEqual([
    {
      ...{ model: 'double-1', requests: 1, cost },
      ...{ input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens },
    },
  ]);
  expect(usedAt).not.toBeNull();
  expect(Number(wallet.balance)).toBeCloseTo(25 - Number(cost), 9);
  expect((await factsOf(reader)).spend_today.requests).toBe(0);
});

test('an exempt caller has no wallet, and the limits of a person are told beside those of the key', async () => {
  await (await chat(exempt)).json();
  const { wallet, limits } = await factsOf(exempt);
  expect(wallet).toBeNull();
  expect(limits).toMatchObject({
    key: null,
    user: { requests: { limit: 10, remaining: 9 }, tokens: null, concurrent: null },
  });
});

test('without a token, or with one that nobody has, nothing is told', async () => {
  expect((await fetch(`${sluice.url}/v1/key`)).status).toBe(401);
  const answer = await fetch(`${sluice.url}/v1/key`, { headers: { 'x-api-key': newToken() } });
  expect(answer.status).toBe(401);
});

test('the status lines of the guide print what is left and what was spent', async () => {
  const guide = await readFile(new URL('../../docs/agents.md', import.meta.url), 'utf8');
  const section = guide.split('\n## ').find((text) => text.startsWith('A status line')) ?? '';
  const [script = '', oneLiner = ''] = [...section.matchAll(/```(?:js|sh)\n(.*?)```/gs)].map(
    ([, code]) => code,
  );
  const printed = async (command: readonly string[], text: string) => {
    const child = Bun.spawn([...command], {
      env: {
        ...process.env,
        ANTHROPIC_BASE_URL: sluice.url,
        ANTHROPIC_AUTH_TOKEN: locked,
        SLUICE_TOKEN: locked,
      },
      stdin: new Blob([text]),
      stderr: 'inherit',
    });
    return await new Response(child.stdout).text();
  };
  const left = /^\$2[45]\.\d\d left · \$0\.00 today/;
  // They wait for a second at most, which a busy machine may take.
  const claude = await printed(
    ['node', '--input-type=module', '-e', script.replace('timeout(1000)', 'timeout(60_000)')],
    '{"model":{"display_name":"D1"}}',
  );
  expect(claude).toMatch(left);
  expect(claude).toContain('D1');
  const asked = oneLiner.replace('http://127.0.0.1:8080', sluice.url).replace('-sm 1 ', '-sm 60 ');
  const shell = await printed(['sh', '-c', asked], '');
  expect(shell).toMatch(left);
});
