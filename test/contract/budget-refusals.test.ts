/** A request that a budget has too little for: at every level, by the tightest, and in words that tell nothing of others. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { type BudgetSubject, checkBooks, removeBudget, setBudget } from '../../src/ledger/index.ts';
import { apiKeys } from '../../src/storage/schema/api-keys.ts';
import { departments, organisations, projects, users } from '../../src/storage/schema/identity.ts';
import { transact } from '../../src/storage/work.ts';
import { newToken, owner, startTestSluice, type TestSluice } from '../support/sluice.ts';

const kinds = ['key', 'user', 'department', 'project', 'organisation'] as const;
const titles = {
  key: 'this key',
  user: 'your account',
  department: 'your department',
  project: 'this project',
  organisation: 'your organisation',
} as const;
const tokens = { paying: newToken(), exempt: newToken() };
const secrets = ['Secret Harbour', 'Hidden Mill', 'Quiet Bridge', 'exempt@example.test'];
const tiny = 100n;
const plenty = 1_000_000_000n;

describe('402 by a budget', () => {
  let sluice: TestSluice;
  let ids: Readonly<Record<(typeof kinds)[number], number>>;

  beforeAll(async () => {
    sluice = await startTestSluice({
      file: () => ({
        organisations: [{ slug: 'harbour', name: secrets[0] }],
        users: [
          ...[owner, 'exempt@example.test'].map((email) => ({
            ...{ email, password: 'a long enough password', wallet_usd: 25 },
            role: email === owner ? 'platform_owner' : 'member',
          })),
        ],
        keys: [
          { name: 'paying', owner, token: tokens.paying },
          { name: 'exempt', owner: 'exempt@example.test', token: tokens.exempt },
        ],
      }),
      variables: { SLUICE_PUBLIC_URL: 'https://ai.example.test' },
    });
    const { db } = sluice.running.services.storage;
    const [organisation] = await db.select({ id: organisations.id }).from(organisations);
    const organisationId = organisation?.id ?? 0;
    const [department] = await db
      .insert(departments)
      .values({ organisationId, name: secrets[1] ?? '' })
      .returning({ id: departments.id });
    const departmentId = department?.id ?? 0;
    const [project] = await db
      .insert(projects)
      .values({ organisationId, departmentId, name: secrets[2] ?? '' })
      .returning({ id: projects.id });
    const [key] = await db
      .update(apiKeys)
      .set({ organisationId, departmentId, projectId: project?.id ?? 0 })
      .where(eq(apiKeys.name, 'paying'))
      .returning({ id: apiKeys.id, user: apiKeys.ownerId });
    ids = {
      key: key?.id ?? 0,
      user: key?.user ?? 0,
      department: departmentId,
      project: project?.id ?? 0,
      organisation: organisationId,
    };
  });
  afterAll(async () => {
    expect(await checkBooks(sluice.running.services.storage.db)).toEqual([]);
    await sluice.stop();
  });
  beforeEach(async () => {
    for (const kind of kinds) {
      for (const period of ['daily', 'monthly', 'total'] as const) {
        await transact(sluice.running.services, (work) =>
          removeBudget(work, { subject: { kind, id: ids[kind] }, period }),
        );
      }
    }
  });

  const limit = (
    subject: BudgetSubject,
    limitNanoUsd: bigint,
    period: 'daily' | 'monthly' | 'total' = 'daily',
  ) =>
    transact(sluice.running.services, (work) =>
      setBudget(work, { subject, period, limitNanoUsd, managedBy: null }),
    );
  const of = (kind: (typeof kinds)[number]): BudgetSubject => ({ kind, id: ids[kind] });

  async function ask(path = '/v1/chat/completions', token = tokens.paying) {
    const answer = await sluice.post(
      path,
      {
        model: 'double-1',
        max_tokens: 100,
        messages: [{ role: 'user', content: 'Where does the river go?' }],
      },
      { authorization: `Bearer ${token}` },
    );
    return { answer, json: await answer.json() };
  }

  /** A change is heard of a moment after it is made. */
  async function untilRefused(title: string, path?: string) {
    for (;;) {
      const { answer, json } = await ask(path);
      if (answer.status === 402 && json.detail.includes(title)) return { answer, json };
      await Bun.sleep(1);
    }
  }

  test.each(kinds)(
    'of a %s says which, what could be paid, what is left and when it begins anew',
    async (kind) => {
      for (const other of kinds) await limit(of(other), other === kind ? tiny : plenty);
      const { answer, json } = await untilRefused(`daily budget of ${titles[kind]}`);
      expect(json.error).toMatchObject({
        code: 'budget_exceeded',
        held: '0.00',
        balance: '0.0000001',
        affordable_tokens: expect.any(Number),
        top_up_url: 'https://ai.example.test/dashboard',
        budget: {
          ...{ of: kind, period: 'daily', left: '0.0000001' },
          resets_at: /anew at (\S+),/.exec(json.error.message)?.[1],
        },
      });
      expect(json.error.message).toMatch(/begins anew at \d{4}-\d\d-\d\dT00:00:00\.000Z/);
      expect(answer.headers.get('x-should-retry')).toBe('false');
      const told = JSON.stringify(json) + JSON.stringify([...answer.headers]);
      for (const secret of secrets) expect(told).not.toContain(secret);
    },
  );

  test('names the tightest of several, whatever their order', async () => {
    await limit(of('key'), plenty, 'monthly');
    await limit(of('organisation'), 200n, 'monthly');
    await limit(of('project'), 150n, 'total');
    await limit(of('department'), tiny, 'daily');
    await untilRefused('daily budget of your department');
    await limit(of('department'), plenty, 'daily');
    const { json } = await untilRefused('total budget of this project');
    expect(json.error.message).toContain('Have it raised, then send the request again.');
  });

  test('is said in the words of each protocol', async () => {
    await limit(of('user'), tiny);
    const { json } = await untilRefused('budget of your account', '/v1/messages');
    expect(json).toMatchObject({ type: 'error', error: { type: 'billing_error', budget: { of: 'user' } } });
  });

  test('asks no provider, costs nothing, and passes with the limit', async () => {
    await limit(of('key'), 0n);
    await untilRefused('budget of this key');
    const asked = sluice.upstream.requests.length;
    const stored = (await sluice.usage()).length;
    expect((await ask()).answer.status).toBe(402);
    expect(sluice.upstream.requests).toHaveLength(asked);
    expect(await sluice.usage()).toHaveLength(stored);
    await limit(of('key'), plenty);
    while ((await ask()).answer.status !== 200) await Bun.sleep(1);
  });

  test('holds for a payer who is exempt too, and leaves strangers alone', async () => {
    const { db } = sluice.running.services.storage;
    const [key] = await db.select().from(apiKeys).where(eq(apiKeys.name, 'exempt'));
    await limit(of('organisation'), 0n);
    await untilRefused('budget of your organisation');
    expect((await ask(undefined, tokens.exempt)).answer.status).toBe(200);
    await transact(sluice.running.services, async ({ executor, announce }) => {
      await executor
        .update(users)
        .set({ billingExempt: true })
        .where(eq(users.id, key?.ownerId ?? 0));
      announce('user', String(key?.ownerId));
    });
    await limit({ kind: 'key', id: key?.id ?? 0 }, 0n);
    while ((await ask(undefined, tokens.exempt)).answer.status !== 402) await Bun.sleep(1);
    await transact(sluice.running.services, (work) =>
      removeBudget(work, { subject: { kind: 'key', id: key?.id ?? 0 }, period: 'daily' }),
    );
  });
});
