/**
 * One batch of settled requests to the database. Usage rows, what waits for its sums, wallet charges and key use are one statement, put
 * together here from the rooms' parts: it is as whole as a transaction, and costs one trip in place of five.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { WriteBatch } from '../gateway/index.ts';
import { touchKeys } from '../identity/index.ts';
import { newJournalId, settleCharges, type Wallets } from '../ledger/index.ts';
import type { Database, Storage } from '../storage/index.ts';
import { plannedOnce } from '../storage/planned-once.ts';
import { databaseErrorCode } from '../storage/storage-error.ts';
import { noteUnsummed, storeUsage, type UsageRecord } from '../usage/index.ts';

/**
 * Idempotent by request id: a batch whose commit was not heard of can be written again, and rows that are already
 * there are charged to nobody twice.
 */
export function batchWriter({ db }: Pick<Storage, 'db'>, wallets: Wallets): WriteBatch {
  return async (records) => {
    if (records.length === 0) return;
    await writeBatch(db, records, wallets.holderId ?? null);
    wallets.written(chargesOf(records), leasedOfBudgets(records));
  };
}

/** @param holderId of the process that is gone and made the records: what they cost was held against its leases. */
export function replayWriter({ db }: Pick<Storage, 'db'>, holderId: number): WriteBatch {
  return async (records) => {
    if (records.length > 0) await writeBatch(db, records, holderId);
  };
}

/**
 * SQLSTATE classes 22 (a value that cannot be) and 23 (a constraint): the same records would be refused again,
 * where a lost connection, a full disk or a deadlock passes.
 */
export function isAboutRecords(thrown: unknown): boolean {
  return /^2[23][0-9A-Z]{3}$/.test(databaseErrorCode(thrown) ?? '');
}

/** What a wallet loses is what its new usage rows say, also where a row could not hold the whole charge. */
async function writeBatch(
  db: Database,
  records: readonly UsageRecord[],
  holderId: number | null,
): Promise<void> {
  const spending = spendingOf(records);
  const journalId = sql`(SELECT id FROM new_journal)`;
  const parts = {
    ...{ charges: sql`charges`, spending: spending === null ? null : sql`spending` },
    // Keys before funds, as whoever changes a key and its budgets locks them.
    after: sql`touched`,
  };
  await db.execute(sql`${plannedOnce}
    WITH new_journal AS MATERIALIZED (${newJournalId}),
    stored AS (${storeUsage(records, journalId)} RETURNING *),
    ${noteUnsummed('stored')},
    touched AS (${touchKeys(usedKeys(records))}),
    charges AS (
      SELECT payer_id, sum(charged_nano_usd)::bigint AS amount_nano_usd, count(*)::integer AS requests
      FROM stored WHERE charged_nano_usd > 0 GROUP BY payer_id
    ),
    ${spending === null ? sql`` : sql`spending AS (${spending}),`}
    ${settleCharges({ ...parts, journalId }, holderId)}
    SELECT 1`);
}

/** When the keys of the rows that are stored now were used, by which secret where that is known. */
function usedKeys(records: readonly UsageRecord[]): SQL {
  const told = records.flatMap(({ requestId, secretNumber }) =>
    secretNumber === undefined ? [] : [[requestId, secretNumber]],
  );
  if (told.length === 0) {
    return sql`(SELECT key_id, NULL::integer AS secret, max(started_at) AS used_at FROM stored GROUP BY key_id)`;
  }
  return sql`(
    SELECT key_id, (told->>1)::integer AS secret, max(started_at) AS used_at
    FROM stored LEFT JOIN json_array_elements(${JSON.stringify(told)}::text::json) AS list (told)
      ON stored.request_id = (told->>0)::uuid
    GROUP BY 1, 2)`;
}

/** What the rows that are stored now took off budgets; null where none of the records has any. */
function spendingOf(records: readonly UsageRecord[]): SQL | null {
  const shares = records.flatMap(({ requestId, budgets = [] }) =>
    budgets.map((share) => [
      requestId,
      share.fundId,
      String(share.amountNanoUsd),
      String(share.leasedNanoUsd),
    ]),
  );
  if (shares.length === 0) return null;
  return sql`
    SELECT (share->>1)::bigint AS fund_id, sum((share->>2)::bigint)::bigint AS amount_nano_usd,
      sum((share->>3)::bigint)::bigint AS leased_nano_usd
    FROM json_array_elements(${JSON.stringify(shares)}::text::json) AS list (share)
    JOIN stored ON stored.request_id = (share->>0)::uuid GROUP BY 1`;
}

/** What it took of this process's leases, by fund. */
export function leasedOfBudgets(records: readonly Pick<UsageRecord, 'budgets'>[]): Map<number, bigint> {
  const leased = new Map<number, bigint>();
  for (const { budgets } of records) {
    if (budgets === undefined) continue;
    for (const { fundId, leasedNanoUsd } of budgets) {
      leased.set(fundId, (leased.get(fundId) ?? 0n) + leasedNanoUsd);
    }
  }
  return leased;
}

function chargesOf(records: readonly UsageRecord[]): Map<number, bigint> {
  const charges = new Map<number, bigint>();
  for (const { payerId, chargedNanoUsd } of records) {
    if (chargedNanoUsd > 0n) charges.set(payerId, (charges.get(payerId) ?? 0n) + chargedNanoUsd);
  }
  return charges;
}
