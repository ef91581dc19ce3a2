/** Sums of days that are settled and of those that are not, held against the log: random requests, random questions. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type SQL, sql } from 'drizzle-orm';
import { Random } from '../../test/fuzz/random.ts';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { everybody, onlyOf, type Scope } from '../base/scope.ts';
import type { Storage } from '../storage/storage.ts';
import { settledFacets } from './facets.ts';
import {
  hasHours,
  readUsageChoices,
  readUsagePage,
  readUsageReport,
  storeRatings,
  type UsageDimension,
  type UsageRecord,
  usageDimensions,
} from './index.ts';
import type { UsageReportAsked } from './report.ts';
import { readSettled } from './settling.ts';
import { insertUsage, requestIdAt } from './testing/insert-usage.ts';
import { sampleRecord } from './testing/sample-record.ts';
import { foldUnsummed, settleUsage } from './unsummed.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A Wednesday, so that the first week begins before it. */
const firstMs = Date.UTC(2021, 3, 28);
const days = 75;

const columns: Readonly<Record<UsageDimension, string>> = {
  ...{ organisation: 'organisation_id', department: 'department_id', project: 'project_id', user: 'user_id' },
  ...{ payer: 'payer_id', key: 'key_id', model: 'model', provider: 'provider', status: 'status' },
  ...{ tag: 'tag', endUser: 'end_user' },
};
const values: Readonly<Record<UsageDimension, readonly (string | number)[]>> = {
  ...{ organisation: [1, 2], department: [11, 12, 21], project: [111, 112], user: [1, 2, 3, 4] },
  ...{
    payer: [1, 3],
    key: [1, 2, 3, 4, 5, 6],
    model: ['a', 'b', 'c'],
    provider: ['x', 'y'],
    status: [200, 429],
  },
  ...{ tag: ['t1', 't2', 't3'], endUser: ['e1', 'e2', 'e3'] },
};

function draw(random: Random, atMs: number): UsageRecord {
  const organisationId = random.pick([null, 1, 1, 2]);
  const departmentId = organisationId === null ? null : random.pick([null, organisationId * 10 + 1]);
  const userId = 1 + random.below(4);
  const isFailed = random.oneIn(6);
  const startedAt = new Date(atMs);
  return sampleRecord('', {
    ...{ requestId: requestIdAt(startedAt), startedAt, organisationId, departmentId, userId },
    ...{ payerId: organisationId ?? userId, keyId: 1 + random.below(6), model: random.pick(['a', 'b', 'c']) },
    ...{ projectId: departmentId === null ? null : random.pick([null, 111, 112]) },
    ...{
      provider: isFailed ? random.pick([null, 'x']) : random.pick(['x', 'y']),
      status: isFailed ? 429 : 200,
    },
    ...{ errorCode: isFailed ? 'rate_limited' : null, outcome: isFailed ? 'upstream_failed' : 'complete' },
    ...{
      inputTokens: random.below(100),
      outputTokens: random.below(50),
      costNanoUsd: BigInt(random.below(1e6)),
    },
    ...{
      chargedNanoUsd: BigInt(random.below(1e6)),
      durationMs: 1 + random.below(1e5),
      firstByteMs: 1 + random.below(1e3),
    },
    labels: {
      sessionId: null,
      endUser: random.pick([null, 'e1', 'e2', 'e3']),
      tags: ['t1', 't2', 't3'].filter(() => random.oneIn(3)),
    },
  });
}

const scopes: readonly Scope[] = [
  everybody,
  { whose: 'organisation', organisationId: 1 },
  { whose: 'department', organisationId: 1, departmentId: 11 },
  onlyOf(2),
];

interface Question {
  readonly scope: Scope;
  readonly asked: UsageReportAsked;
}

function drawQuestion(random: Random, reached: number): Question {
  const scope = random.pick(scopes);
  const by = random.oneIn(6) ? undefined : random.pick(usageDimensions);
  const where: Record<string, string | number> = {};
  for (const name of usageDimensions) {
    const isOtherLabel =
      (name === 'tag' || name === 'endUser') && (by === 'tag' || by === 'endUser') && name !== by;
    const isSecond = name === 'endUser' && where['tag'] !== undefined;
    if (random.oneIn(14) && !isOtherLabel && !isSecond) where[name] = random.pick(values[name]);
  }
  const isOfHours = hasHours(scope, { by, where });
  const stepMs = isOfHours && random.oneIn(3) ? hourMs : dayMs;
  const fromMs =
    firstMs +
    Math.floor(random.below(reached) / dayMs) * dayMs +
    (isOfHours && random.oneIn(2) ? random.below(24) * hourMs : 0);
  const length = random.pick([3, 14, 30, 60]);
  const rest = isOfHours && random.oneIn(2) ? random.below(24) * hourMs : 0;
  const every = random.oneIn(3) ? undefined : random.pick(['day', 'week', 'month', 'hour'] as const);
  const isAllowed = every !== 'hour' || (isOfHours && length <= 30);
  const to = new Date(fromMs + length * stepMs + rest);
  return {
    scope,
    asked: { from: new Date(fromMs), to, by, where, every: isAllowed ? every : undefined, limit: 500 },
  };
}

/** Hours at both ends, days beside them, and weeks between. */
const isOfAllSteps = ({ from, to, every }: UsageReportAsked) =>
  [from, to].every((end) => end.getTime() % dayMs !== 0) &&
  (every === undefined || every === 'week') &&
  to.getTime() - from.getTime() > 15 * dayMs;

/** The same of the log alone, in the words of the report. */
async function askLog({ db }: Storage, { scope, asked }: Question): Promise<readonly unknown[]> {
  const { from, to, by, every, where = {} } = asked;
  const isTagged = by === 'tag' || where.tag !== undefined;
  const isServed = by === 'endUser' || where.endUser !== undefined;
  const conditions: SQL[] = [sql`started_at >= ${from.toISOString()} AND started_at < ${to.toISOString()}`];
  if (isServed) conditions.push(sql`end_user IS NOT NULL`);
  for (const [name, value] of Object.entries(where)) {
    conditions.push(sql`${sql.raw(columns[name as UsageDimension])} = ${value}`);
  }
  if (scope.whose === 'person') conditions.push(sql`user_id = ${scope.userId}`);
  if (scope.whose === 'organisation' || scope.whose === 'department')
    conditions.push(sql`organisation_id = ${scope.organisationId}`);
  if (scope.whose === 'department') conditions.push(sql`department_id = ${scope.departmentId}`);
  const { rows } = await db.execute<{ told: unknown }>(sql`
    SELECT json_build_array(${sql.raw(every === undefined ? 'NULL' : `extract(epoch FROM date_trunc('${every}', started_at, 'UTC'))`)},
      ${sql.raw(by === undefined ? 'NULL' : `${columns[by]}::text`)}, count(*), count(*) FILTER (WHERE status >= 400),
      sum(input_tokens), sum(output_tokens), sum(coalesce(rated.cost_nano_usd, log.cost_nano_usd)),
      sum(coalesce(rated.charged_nano_usd, log.charged_nano_usd)), count(*) FILTER (WHERE status < 400)) AS told
    FROM usage_records AS log LEFT JOIN usage_ratings AS rated ON rated.request_id = log.request_id AND in_force
      ${sql.raw(isTagged ? 'CROSS JOIN LATERAL (SELECT DISTINCT tag FROM unnest(tags) AS tag) AS own' : '')}
    WHERE ${sql.join(conditions, sql` AND `)}
    GROUP BY ${sql.raw(every === undefined ? '()' : `date_trunc('${every}', started_at, 'UTC')`)}
      ${sql.raw(by === undefined ? '' : `, ${columns[by]}`)} HAVING count(*) > 0`);
  return rows.map(({ told }) => told);
}

async function askSums({ db }: Storage, { scope, asked }: Question): Promise<readonly unknown[]> {
  const { rows } = await readUsageReport(scope, db, asked);
  return rows.map((sums) => [
    sums.at === null ? null : sums.at.getTime() / 1000,
    ...[sums.group, sums.requests, sums.errors, sums.inputTokens, sums.outputTokens],
    ...[Number(sums.costNanoUsd), Number(sums.chargedNanoUsd), sums.durationMs?.count ?? 0],
  ]);
}

const inOrder = (told: readonly unknown[]) => told.map((each) => JSON.stringify(each)).toSorted();

describeOnEachDatabase('days of usage that are settled', (openDatabase) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage.close());

  test('say what the log says, also with what comes late and costs otherwise, for any question', async () => {
    const random = new Random(20_210_428);
    const asked = { questions: 0, empty: 0, ofAllSteps: 0 };
    for (let round = 1; round <= 8; round += 1) {
      const nowMs = firstMs + (days * dayMs * round) / 7 + random.below(24) * hourMs;
      const reached = Math.min(nowMs, firstMs + days * dayMs) - firstMs;
      const drawn = Array.from({ length: 80 }, () => draw(random, firstMs + random.below(reached)));
      await insertUsage(storage.db, drawn);
      const { records } = await readUsagePage(everybody, storage.db, { limit: 1000 });
      const rated = records
        .filter(() => random.oneIn(40))
        .map((record) => ({
          ...{ record, priceVersionId: 1, journalId: null },
          ...{ costNanoUsd: BigInt(random.below(1e6)), chargedNanoUsd: BigInt(random.below(1e6)) },
        }));
      await storage.db.transaction((transaction) => storeRatings(transaction, rated, new Date(nowMs)));
      for (let steps = random.below(150); steps > 0; steps -= 1) {
        if (random.oneIn(10)) await foldUnsummed(storage.db, 30);
        await settleUsage(storage.db, nowMs);
      }
      for (let count = 0; count < 25; count += 1) {
        const question = drawQuestion(random, reached);
        const [truth, told] = [await askLog(storage, question), await askSums(storage, question)];
        expect([question, inOrder(told)]).toEqual([question, inOrder(truth)]);
        asked.questions += 1;
        if (truth.length === 0) asked.empty += 1;
        if (isOfAllSteps(question.asked)) asked.ofAllSteps += 1;
      }
    }
    // Of nothing there is nothing to be wrong about.
    expect(asked.empty).toBeLessThan(asked.questions / 2);
    expect(asked.ofAllSteps).toBeGreaterThan(5);
    const settledOf = await readSettled(storage.db);
    for (const facet of Object.values(settledFacets)) {
      expect(settledOf(facet).weeksMs).toBeGreaterThan(firstMs + 21 * dayMs);
    }
  }, 600_000);

  test('are read from the sums that were made of them, and weeks from those of weeks', async () => {
    const asked = { from: new Date(firstMs), to: new Date(firstMs + 21 * dayMs), by: 'model' } as const;
    const ofEndUsers = { ...asked, by: 'endUser', where: { model: 'a', key: 2 } } as const;
    const read = () =>
      Promise.all([asked, ofEndUsers].map((each) => readUsageReport(everybody, storage.db, each)));
    const before = await read();
    expect(before[1]?.rows).not.toEqual([]);
    await storage.db.execute(sql`UPDATE usage_daily SET requests = requests + 1000 WHERE facet IN (0, 1, 2)`);
    await storage.db.execute(sql`UPDATE usage_weekly SET requests = requests + 1000 WHERE facet < 5`);
    expect(await read()).toEqual(before);
    expect((await readUsageChoices(everybody, storage.db, asked.from)).models).toHaveLength(3);
  });
});
