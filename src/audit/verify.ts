/** Goes through the audit trail and says where it is not what was written. */
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { chainStart, hashOfEntry, hashOfPersonal } from '../storage/audit-trail.ts';
import type { Executor } from '../storage/database.ts';
import { longStatement } from '../storage/long-statement.ts';
import { auditChains, auditEntries } from '../storage/schema/audit.ts';

export interface TrailBreach {
  readonly chain: string;
  /** Of the entry where it shows. */
  readonly sequence: number;
  /** `end`: entries behind the last one are missing, or are too many. */
  readonly kind: 'missing' | 'changed' | 'personal_changed' | 'end';
}

export interface TrailReport {
  readonly chains: number;
  readonly entries: number;
  /** The first of each chain: what comes behind it proves nothing. */
  readonly breaches: readonly TrailBreach[];
  /** Where each chain ends: who keeps these elsewhere can tell later that nothing before was rewritten as a whole. */
  readonly heads: readonly { readonly chain: string; readonly length: number; readonly head: string }[];
}

const pageEntries = 2000;

/** In pages, so that memory does not grow with the trail. Entries that come meanwhile are left for the next time. */
export async function verifyTrail(executor: Executor): Promise<TrailReport> {
  const heads = await executor.select().from(auditChains).orderBy(asc(auditChains.chain));
  const breaches: TrailBreach[] = [];
  let entries = 0;
  for (const end of heads) {
    const checked = await verifyChain(executor, end);
    entries += checked.entries;
    if (checked.breach !== null) breaches.push(checked.breach);
  }
  const broken = new Set(breaches.map(({ chain }) => chain));
  for (const beyond of await findBeyond(executor)) if (!broken.has(beyond.chain)) breaches.push(beyond);
  return { chains: heads.length, entries, breaches, heads };
}

/**
 * The first entry of each chain that its end does not know of: one that was added behind it, or of a chain whose end is
 * gone. In one statement, which sees an entry that comes meanwhile with its end, or neither.
 */
async function findBeyond(executor: Executor): Promise<readonly TrailBreach[]> {
  const { rows } = await executor.execute<{ chain: string; sequence: string }>(sql`${longStatement}
    SELECT entry.chain, min(entry.sequence)::text AS sequence
    FROM ${auditEntries} AS entry LEFT JOIN ${auditChains} AS known ON known.chain = entry.chain
    WHERE entry.sequence > coalesce(known.length, 0) GROUP BY entry.chain ORDER BY entry.chain`);
  return rows.map(({ chain, sequence }) => ({ chain, sequence: Number(sequence), kind: 'end' }));
}

async function verifyChain(
  executor: Executor,
  { chain, length, head }: typeof auditChains.$inferSelect,
): Promise<{ readonly entries: number; readonly breach: TrailBreach | null }> {
  let sequence = 0;
  let hash = chainStart;
  while (sequence < length) {
    const rows = await executor
      .select()
      .from(auditEntries)
      .where(and(eq(auditEntries.chain, chain), gt(auditEntries.sequence, sequence)))
      .orderBy(asc(auditEntries.sequence))
      .limit(Math.min(pageEntries, length - sequence));
    if (rows.length === 0)
      return { entries: sequence, breach: { chain, sequence: sequence + 1, kind: 'end' } };
    for (const row of rows) {
      const kind = breachOf(row, hash, sequence + 1);
      if (kind !== null) return { entries: sequence, breach: { chain, sequence: sequence + 1, kind } };
      ({ hash, sequence } = row);
    }
  }
  const isWhole = hash === head;
  return { entries: sequence, breach: isWhole ? null : { chain, sequence, kind: 'end' } };
}

function breachOf(
  row: typeof auditEntries.$inferSelect,
  previousHash: string,
  sequence: number,
): TrailBreach['kind'] | null {
  if (row.sequence !== sequence) return 'missing';
  if (hashOfEntry(previousHash, row) !== row.hash) return 'changed';
  const { personal, personalSalt, personalHash } = row;
  if (personal === null && personalSalt === null) return null;
  const isPersonal = hashOfPersonal(personalSalt ?? '', personal ?? {}) === personalHash;
  return isPersonal ? null : 'personal_changed';
}
