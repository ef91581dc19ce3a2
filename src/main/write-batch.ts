/** One batch of settled requests to the database: usage rows, wallet charges and key use in one transaction. */
import type { WriteBatch } from '../gateway/index.ts';
import { touchKeys } from '../identity/index.ts';
import type { Wallets } from '../ledger/index.ts';
import { inTransaction, type Storage } from '../storage/index.ts';
import { insertUsage, type UsageRecord } from '../usage/index.ts';

/**
 * Idempotent by request id: a batch whose commit was not heard of can be written again, and rows that are already
 * there are charged to nobody twice.
 */
export function batchWriter(storage: Storage, wallets: Wallets): WriteBatch {
  return async (records) => {
    const posting = await inTransaction(storage, async (transaction) => {
      const inserted = new Set(await insertUsage(transaction, records));
      await touchKeys(transaction, lastUsedByKey(records));
      return wallets.post(transaction, chargesOf(records.filter(({ requestId }) => inserted.has(requestId))));
    });
    wallets.posted(posting, chargesOf(records));
  };
}

function chargesOf(records: readonly UsageRecord[]): Map<number, bigint> {
  const charges = new Map<number, bigint>();
  for (const { payerId, chargedNanoUsd } of records) {
    if (chargedNanoUsd > 0n) charges.set(payerId, (charges.get(payerId) ?? 0n) + chargedNanoUsd);
  }
  return charges;
}

function lastUsedByKey(records: readonly UsageRecord[]): Map<number, Date> {
  const lastUsed = new Map<number, Date>();
  for (const { keyId, startedAt } of records) {
    const known = lastUsed.get(keyId);
    if (known === undefined || known < startedAt) lastUsed.set(keyId, startedAt);
  }
  return lastUsed;
}
