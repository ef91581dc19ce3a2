/** `sluice prices rerate` as it is typed, against a server that runs: what it shows, what it books, and what says so. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq, sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../../test/support/databases.ts';
import { systemClock } from '../../base/clock.ts';
import { systemIds } from '../../base/ids.ts';
import { openLog } from '../../base/log.ts';
import { everybody } from '../../base/scope.ts';
import { findFirstOwner } from '../../identity/index.ts';
import { checkBooks, readStatement } from '../../ledger/index.ts';
import { readMoney } from '../../ledger/testing/read-money.ts';
import { providerAdapters } from '../../providers/index.ts';
import { usageRatings, usageRecords } from '../../storage/schema/usage.ts';
import { transact } from '../../storage/work.ts';
import { readUsage, readUsageReport, type UsageRecord } from '../../usage/index.ts';
import { requestIdAt } from '../../usage/testing/insert-usage.ts';
import { sampleRecord } from '../../usage/testing/sample-record.ts';
import { loadConfiguration } from '../configuration.ts';
import { ratePageAnew } from '../rerate.ts';
import { type RunningSluice, startSluice } from '../start.ts';
import { typeCommand } from './testing/type-command.ts';

const model = 'azure/ours';
const from = new Date('2025-01-02T03:00:00Z');
const to = new Date('2025-01-03T00:00:00Z');
const span = ['--from', from.toISOString(), '--to', to.toISOString()];

describeOnEachDatabase('sluice prices rerate', (_openDatabase, database) => {
  let running: RunningSluice;
  let variables: Readonly<Record<string, string>>;
  let discard: () => Promise<void>;
  let payerId: number;
  let paying: readonly UsageRecord[];

  beforeAll(async () => {
    const prepared = await database.prepare();
    variables = {
      ...prepared.variables,
      SLUICE_SECRET: 'a secret of the tests, long enough',
      AZURE_OPENAI_API_KEY: 'k',
      AZURE_OPENAI_DEPLOYMENTS: 'ours',
      AZURE_OPENAI_ENDPOINT: 'https://mine.openai.azure.com',
    };
    discard = () => prepared.discard();
    const configuration = await loadConfiguration({ ...variables, PORT: '0' }, providerAdapters);
    running = await startSluice({ configuration, log: openLog({ level: 'silent' }) });
    const owner = await findFirstOwner(db());
    payerId = owner?.id ?? 0;
    await write((work) =>
      running.services.wallets.deposit(work, {
        userId: payerId,
        amountNanoUsd: 1_000_000_000n,
        businessKey: 'first',
      }),
    );
    await typeCommand(['prices', 'set', model, 'input=1', 'output=2'], variables);
    paying = [at(1), at(2), { ...at(3), costNanoUsd: 2_000_000n, chargedNanoUsd: 1_000_000n }];
    const others: readonly UsageRecord[] = [
      { ...at(4), exempt: true, chargedNanoUsd: 0n },
      { ...at(5), model: 'unknown' },
      { ...at(6), provider: null, inputTokens: 0, outputTokens: 0, costNanoUsd: 0n, chargedNanoUsd: 0n },
      { ...at(7), requestId: requestIdAt(to), startedAt: to },
    ];
    const { settlement } = running.services;
    for (const record of [...paying, ...others]) settlement.add(record);
    await settlement.flush();
  });
  afterAll(async () => {
    await running.stop();
    await discard();
  });

  const db = () => running.services.storage.db;
  const parts = () => ({ storage: running.services.storage, clock: systemClock, ids: systemIds });
  const write = <Result>(run: Parameters<typeof transact<Result>>[1]) => transact(parts(), run);

  /** A thousand tokens in and five hundred out, at a dollar and two the million. */
  const at = (minute: number): UsageRecord => {
    const startedAt = new Date(from.getTime() + minute * 60_000);
    return sampleRecord('', {
      ...{ requestId: requestIdAt(startedAt), startedAt, model, provider: 'azure' },
      ...{ userId: payerId, payerId, keyId: 1, tags: ['checkout'] },
      ...{ inputTokens: 1_000, outputTokens: 500, costNanoUsd: 2_000_000n, chargedNanoUsd: 2_000_000n },
      priceVersionId: 1,
      labels: { sessionId: null, endUser: 'ana', tags: ['checkout'] },
    });
  };

  const rerate = (...more: readonly string[]) =>
    typeCommand(['prices', 'rerate', ...span, ...more], variables);
  const balance = async () => (await readMoney(db(), payerId)).balanceNanoUsd;
  const stored = (requestId: string) => readUsage(everybody, db(), { requestId });
  const setPrices = (...prices: readonly string[]) =>
    typeCommand(['prices', 'set', model, ...prices, '--from', '2025-01-01'], variables);
  const sums = async (by: 'model' | 'user' | 'tag' | 'endUser') => {
    const report = await readUsageReport(everybody, db(), {
      ...{ from: new Date('2025-01-02T00:00:00Z'), to, by },
      where: { payer: payerId, ...(by === 'model' ? {} : { model }) },
    });
    const row = report.rows.find(
      ({ group }) => group === { model, user: String(payerId), tag: 'checkout', endUser: 'ana' }[by],
    );
    return [
      row?.requests,
      row?.errors,
      row?.inputTokens,
      row?.durationMs?.count,
      row?.costNanoUsd,
      row?.chargedNanoUsd,
    ];
  };

  test('shows what would change, for whom, and changes nothing', async () => {
    const before = await balance();
    expect(await rerate()).toContain('0 of 6 requests come to something else.');
    expect(await setPrices('input=3')).toContain('is rated anew');
    const shown = await rerate();
    expect(shown).toMatch(
      /PAYER +REQUESTS +COST BEFORE +COST +CHARGED BEFORE +CHARGED\nowner@\S+ +4 +\$0\.008 +\$0\.016 +\$0\.005 +\$0\.011\n/,
    );
    expect(shown).toContain('4 of 6 requests come to something else.');
    expect(shown).toContain('1 had no price then and stay as they are.');
    expect(shown).toContain('Nothing was changed. --yes puts this in force.');
    expect(await rerate('--model', 'unknown')).toContain('0 of 1 requests');
    expect(await rerate('--provider', 'nobody')).toContain('0 of 0 requests');
    expect(await balance()).toBe(before);
    expect(await db().$count(usageRatings)).toBe(0);
  });

  test('puts the ratings in force, once: books, log, sums and the bill of a request say the same', async () => {
    const before = await balance();
    const [first] = paying;
    const told = JSON.parse(await rerate('--yes', '--json'));
    expect(told).toMatchObject({
      isChanged: true,
      payers: [{ requests: 4, costBeforeUsd: '0.008', costUsd: '0.016', chargedUsd: '0.011' }],
    });
    expect(await balance()).toBe(before - 6_000_000n);
    expect(await rerate('--yes')).toContain('0 of 6 requests come to something else.');
    expect(await balance()).toBe(before - 6_000_000n);
    const [record] = await stored(first?.requestId ?? '');
    expect(record).toMatchObject({
      costNanoUsd: 4_000_000n,
      chargedNanoUsd: 4_000_000n,
      rerated: { priceVersionId: 1, costNanoUsd: 2_000_000n, chargedNanoUsd: 2_000_000n },
    });
    const [row] = await db()
      .select()
      .from(usageRecords)
      .where(eq(usageRecords.requestId, first?.requestId ?? ''));
    expect(row?.costNanoUsd).toBe(2_000_000n);
    const csv = await typeCommand(['usage', 'export', ...span, '--model', model], variables);
    expect(csv.split('\r\n')[0]).toContain(',rerated_at,');
    expect(csv).toMatch(/,0\.004,0\.004,\d*,\d{4}-\d\d-\d\dT[\d:.]+Z,/);
    expect(await checkBooks(db())).toEqual([]);
  });

  test('the sums count what requests cost now, and the requests as they were', async () => {
    const now = [5, 0, 4_000, 5, 16_000_000n, 11_000_000n];
    expect(await sums('model')).toEqual(now);
    // Whether they wait or are folded.
    for (;;) {
      const { rows } = await db().execute<{ count: string }>(
        sql`SELECT count(*)::text AS count FROM usage_unsummed`,
      );
      for (const by of ['model', 'user', 'tag', 'endUser'] as const) expect(await sums(by)).toEqual(now);
      if (rows[0]?.count === '0') break;
    }
  });

  test('the bill of a request adds up by the price in force, and says what it was before', async () => {
    const [first] = paying;
    const answer = await fetch(`${running.url}/v1/generation/${first?.requestId}`, {
      headers: { authorization: `Bearer ${running.welcome?.token}` },
    });
    expect(await answer.json()).toMatchObject({
      cost_usd: '0.004',
      charged_usd: '0.004',
      line_items: [
        { meter: 'input', usd_per_million: '3.00', amount_usd: '0.003' },
        { meter: 'output', usd_per_million: '2.00', amount_usd: '0.001' },
      ],
      rerated: { cost_usd_before: '0.002', charged_usd_before: '0.002' },
    });
  });

  test('the statement has a line of it, and each rating names its journal', async () => {
    const lines = await readStatement(db(), payerId, { from: new Date(0), until: new Date('2100-01-01') });
    const line = lines.find(({ kind }) => kind === 'rerating');
    expect(line).toMatchObject({ note: `4 requests of ${model}`, paidNanoUsd: -6_000_000n });
    const ratings = await db().select().from(usageRatings);
    expect(ratings.map(({ journalId }) => journalId)).toEqual(Array(4).fill(line?.journalId));
  });

  test('rated by the first prices again, everybody has what they had, and what nobody paid stays so', async () => {
    const before = await balance();
    await setPrices('input=0');
    await rerate('--yes');
    expect(await balance()).toBe(before + 8_000_000n);
    await setPrices('input=1');
    await rerate('--yes');
    expect(await balance()).toBe(before + 6_000_000n);
    expect(await sums('model')).toEqual([5, 0, 4_000, 5, 8_000_000n, 5_000_000n]);
    for (const { requestId, chargedNanoUsd } of paying) {
      expect((await stored(requestId))[0]?.chargedNanoUsd).toBe(chargedNanoUsd);
    }
    const inForce = await db().select().from(usageRatings).where(eq(usageRatings.inForce, true));
    expect(inForce).toHaveLength(4);
    expect(await checkBooks(db())).toEqual([]);
  });

  /** Rates one request anew, of which nothing changes. @returns what is told of it. */
  async function leftAlone(record: UsageRecord): Promise<string> {
    const { startedAt, requestId, costNanoUsd } = record;
    const { settlement } = running.services;
    settlement.add(record);
    await settlement.flush();
    const own = ['--from', startedAt.toISOString(), '--to', new Date(startedAt.getTime() + 1).toISOString()];
    const before = await balance();
    const told = await typeCommand(['prices', 'rerate', ...own, '--yes'], variables);
    expect(told).toContain('0 of 1 requests come to something else.');
    expect(await balance()).toBe(before);
    const [kept] = await stored(requestId);
    expect([kept?.costNanoUsd, kept?.rerated]).toEqual([costNanoUsd, undefined]);
    return told;
  }

  test.each([
    ['two prices', 1500],
    ['one price', 1501],
  ])('leaves alone what two providers answered at %s, and tells of it', async (prices, minute) => {
    const attempt = { provider: 'azure', credentialId: null, status: 200, latencyMs: 1, errorCode: null };
    const rescued: UsageRecord = {
      ...at(minute),
      ...(prices === 'two prices' ? { priceVersionId: null } : {}),
      attempts: [
        { ...attempt, provider: 'other', errorCode: 'upstream_failed' },
        { ...attempt, why: 'rescued' },
      ],
      ...{ costNanoUsd: 2_500_000n, chargedNanoUsd: 2_500_000n },
    };
    expect(await leftAlone(rescued)).toContain('1 broke off at one provider and ended at another');
  });

  test('gives nothing back where the price asks for what was not counted, and tells of it', async () => {
    const spoken: UsageRecord = {
      ...at(1600),
      ...{ inputTokens: 0, outputTokens: 0, characters: 1000 },
      ...{ costNanoUsd: 15_000n, chargedNanoUsd: 15_000n },
    };
    expect(await leftAlone(spoken)).toContain('1 were paid by another unit than the price asks now');
  });

  test('goes by pages, each whole or not at all, and goes on where it was broken off', async () => {
    const many = Array.from({ length: 2_100 }, (_, place) => ({
      ...at(100),
      requestId: requestIdAt(new Date(from.getTime() + 6_000_000 + place)),
    }));
    const { settlement } = running.services;
    for (const record of many) settlement.add(record);
    await settlement.flush();
    const before = await balance();
    await setPrices('input=2');
    const asked = { from, to };
    const page = await ratePageAnew(parts(), asked);
    expect(page.next).not.toBeNull();
    expect(await balance()).toBe(
      before - page.payers.reduce((sum, each) => sum + each.chargedNanoUsd - each.chargedBeforeNanoUsd, 0n),
    );
    const done = page.payers.reduce((sum, each) => sum + each.requests, 0);
    expect(await rerate('--yes')).toContain(`${2_104 - done} of 2106 requests`);
    expect(await balance()).toBe(before - 2_103n * 1_000_000n);
    expect(await db().$count(usageRatings, eq(usageRatings.inForce, true))).toBe(2_104);
    expect(await checkBooks(db())).toEqual([]);
  });

  test.each([
    [['--from', 'soon'], '--from must be a date such as 2027-01-31'],
    [[...span.slice(0, 2), '--to', 'later'], '--to must be a date'],
    [['--from', '2025-01-03', '--to', '2025-01-02'], 'The span of a rating must end after it begins'],
  ])('%j is refused in plain words', async (asked, complaint) => {
    expect(await typeCommand(['prices', 'rerate', ...asked], variables)).toContain(complaint);
  });
});
