/** Fills a database that has nobody in it with the demonstration: the same for the same seed and the same moment. */
import { sql } from 'drizzle-orm';
import type { Envelope } from '../../src/base/envelope.ts';
import { type Catalogue, listedModels } from '../../src/catalogue/index.ts';
import type { EnvironmentDeclaration } from '../../src/configuration/index.ts';
import { applyConfiguration } from '../../src/configuration/index.ts';
import { touchKeys } from '../../src/identity/index.ts';
import type { Wallets } from '../../src/ledger/index.ts';
import type { Storage } from '../../src/storage/index.ts';
import { transact, type WorkParts } from '../../src/storage/work.ts';
import { storeUsage, type UsageRecord } from '../../src/usage/index.ts';
import { addToRollups } from '../../src/usage/rollups.ts';
import { settleUsage } from '../../src/usage/unsummed.ts';
import { Tallies, type WantedBudget, writeBooks, writeBudgets } from './books.ts';
import { draftRequests } from './calendar.ts';
import { makeRequest } from './requests.ts';
import { personCalled, type Settled, settlePeople } from './settle-people.ts';

/** Those of the shipped price list, served by simulators under the names of their providers: every request in the demonstration works and reaches nobody. */
const listed = ['openai', 'anthropic', 'gemini', 'groq', 'deepseek'] as const;
/** Who is asked when the first one fails. */
const backups: Readonly<Record<string, string>> = { openai: 'azure', anthropic: 'bedrock' };
const regions: Readonly<Record<string, string>> = { azure: 'swedencentral', bedrock: 'eu-west-1' };

export const demoDeclaration: EnvironmentDeclaration = {
  providers: [...listed, ...Object.values(backups)].map((name) => ({
    ...{ name, kind: 'simulator', baseUrl: null, region: regions[name] ?? null, timeoutsMs: {} },
    credentials: [{ name: 'production', secret: `a secret of nobody for ${name}` }],
  })),
  models: listed.flatMap(listedModels).map((model, displayOrder) => ({
    ...model,
    displayOrder,
    deployments: model.deployments.flatMap((deployment) => {
      const backup = backups[deployment.provider];
      return backup === undefined ? [deployment] : [deployment, { ...deployment, provider: backup }];
    }),
  })),
};

export interface Filling extends WorkParts {
  readonly storage: Storage;
  readonly envelope: Envelope;
  readonly catalogue: Catalogue;
  readonly wallets: Wallets;
  /** Those of the demonstration, and perhaps others. */
  readonly declared: EnvironmentDeclaration;
  readonly tokenPrefix: string;
  readonly legalVersion: string;
  readonly seed: number;
  readonly rows: number;
  readonly days: number;
  readonly told?: (rows: number) => void;
}

/** A statement must not take as long as the database is waited for, on a slow machine either. */
const chunk = 1_000;
const dayMs = 86_400_000;

/** The tables are there already. */
export async function fillDemonstration(filling: Filling): Promise<Settled> {
  const { storage, clock, catalogue, seed, rows, days, told = () => undefined } = filling;
  await applyConfiguration({ file: null, declared: filling.declared }, filling);
  await catalogue.reload();
  const nowMs = clock.nowMs();
  const beganAt = new Date(nowMs - days * dayMs);
  // Made then, so that the activity tells of it then; all who use it came before its first request.
  const then = { ...filling, clock: { ...clock, nowMs: () => beganAt.getTime() } };
  const settled = await transact(then, (work) => settlePeople(work, { ...filling, beganAt, nowMs }));
  const snapshot = catalogue.current();
  const findModel = (name: string) => {
    const model = snapshot.byName.get(name);
    if (model === undefined) throw new Error(`the price list has no ${name}`);
    return model;
  };
  const tallies = new Tallies();
  const drafts = draftRequests(settled.keys, { seed, rows, days, nowMs });
  for (let from = 0; from < drafts.length; from += chunk) {
    const records = drafts.slice(from, from + chunk).flatMap((draft) => {
      const key = settled.keys[draft.key];
      return key === undefined ? [] : makeRequest(key, draft, { seed, nowMs, findModel });
    });
    for (const record of records) tallies.add(record);
    await store(storage, records);
    told(from + records.length);
  }
  await tidy(storage, nowMs);
  await transact(filling, (work) => writeBooks(work, tallies, (payerId) => topUpOf(settled, payerId)));
  await writeBudgets(filling, tallies, budgetsOf(settled));
  return settled;
}

/** Oldest first, so that most sums are written by one statement alone. */
function store({ db }: Storage, records: readonly UsageRecord[]): Promise<unknown> {
  return db.transaction(async (transaction) => {
    // Compiling such a statement takes longer than it runs.
    await transaction.execute(sql`SET LOCAL jit = off`);
    await transaction.execute(
      sql`WITH stored AS (${storeUsage(records)} RETURNING *),
        fresh AS (SELECT *, NULL::boolean AS corrects FROM stored), ${addToRollups({ stored: 'fresh', mayBeLate: true })} SELECT 1`,
    );
  });
}

async function tidy({ db }: Storage, nowMs: number): Promise<void> {
  // None of its keys was ever rotated: all use is of their first secret.
  const used = sql`(SELECT key_id, 1 AS secret, max(started_at) AS used_at FROM usage_records GROUP BY key_id)`;
  await db.execute(touchKeys(used));
  for (let hasMore = true; hasMore; ) ({ hasMore } = await settleUsage(db, nowMs));
  await db.execute(sql`VACUUM (ANALYZE) usage_records, usage_hourly, usage_daily, usage_weekly`);
}

/** In USD. */
function topUpOf({ people }: Settled, payerId: number): bigint {
  if (payerId === personCalled(people, 'agnes').id) return 100n;
  return payerId === personCalled(people, 'vera').id ? 5n : 25n;
}

function budgetsOf({ people, keys, organisationIds, departmentIds }: Settled): readonly WantedBudget[] {
  const key = (name: string) => keys.find((each) => each.name === name)?.keyId ?? 0;
  return [
    { kind: 'organisation', id: organisationIds.get('Halden Robotics') ?? 0, period: 'monthly', spent: 0.8 },
    { kind: 'department', id: departmentIds.get('Research') ?? 0, period: 'monthly', spent: 0.55 },
    { kind: 'key', id: key('help-desk-live'), period: 'monthly', spent: 0.8 },
    { kind: 'key', id: key('nightly-evals'), period: 'weekly', spent: 1 },
    { kind: 'user', id: personCalled(people, 'felix').id, period: 'weekly', spent: 0.9 },
  ];
}
