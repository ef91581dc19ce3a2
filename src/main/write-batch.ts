/** One batch of settled requests to the database: usage rows, wallet charges and key use in one transaction. */
import type { WriteBatch } from '../gateway/index.ts';
import { touchKeys } from '../identity/index.ts';
import type { Wallets } from '../ledger/index.ts';
import { databaseErrorCode } from '../storage/driver-error.ts';
import { inTransaction, type Storage } from '../storage/index.ts';
import { insertUsage, storableNanoUsd, type UsageRecord } from '../usage/index.ts';

/**
 * Idempotent by request id: a batch whose commit was not heard of can be written again, and rows that are already
 * there are charged to nobody twice.
 */
export function batchWriter(storage: Storage, wallets: Wallets): WriteBatch {
  return async (records) => {
    const posting = await inTransaction(storage, async (transaction) => {
      const inserted = new Set(await insertUsage(transaction, records));
      await touchKeys(transaction, lastUsedByKey(records));
      const isNew = ({ requestId }: UsageRecord) => inserted.has(requestId);
      // What a wallet loses is what its usage rows say, also where a row could not hold the whole charge.
      return wallets.post(transaction, chargesOf(records.filter(isNew), storableNanoUsd));
    });
    wallets.posted(posting, chargesOf(records));
  };
}

/**
 * SQLSTATE classes 22 (a value that cannot be) and 23 (a constraint): the same records would be refused again,
 * where a lost connection, a full disk or a deadlock passes.
 */
export function isAboutRecords(thrown: unknown): boolean {
  return /^2[23][0-9A-Z]{3}$/.test(databaseErrorCode(thrown) ?? '');
}

function chargesOf(
  records: readonly UsageRecord[],
  amountOf = (chargedNanoUsd: bigint) => chargedNanoUsd,
): Map<number, bigint> {
  const charges = new Map<number, bigint>();
  for (const { payerId, chargedNanoUsd } of records) {
    const amount = amountOf(chargedNanoUsd);
    if (amount > 0n) charges.set(payerId, (charges.get(payerId) ?? 0n) + amount);
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
