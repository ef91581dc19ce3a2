/** Leases in the database: who holds them, how they are taken, given back and spent. README.md has the invariant. */
import { eq, type SQL, sql } from 'drizzle-orm';
import { smaller } from '../base/money.ts';
import type { ChangeFeed } from '../storage/change-feed.ts';
import type { Database, Executor } from '../storage/database.ts';
import { plannedOnce } from '../storage/planned-once.ts';
import { funds, leaseHolders, leases } from '../storage/schema/ledger.ts';

/** A process, as it stands behind each of its statements: one with an older epoch does nothing any more. */
export interface Holder {
  readonly id: number;
  readonly epoch: number;
}

/** What a process asks of its leases; each is one statement, but for its end. */
export interface LeaseRows {
  register(host: string): Promise<Holder>;
  raiseEpoch(holder: Holder): Promise<Holder | null>;
  noteAlive(holder: Holder): Promise<void>;
  take(holder: Holder, asks: readonly LeaseAsk[]): Promise<readonly LeaseAnswer[]>;
  giveBack(holder: Holder, amounts: ReadonlyMap<number, bigint>): Promise<readonly number[]>;
  /** By fund. */
  read(holder: Holder): Promise<ReadonlyMap<number, Lease>>;
  end(holderId: number): Promise<void>;
  /** Asks the others for what they have free. */
  recall(fundId: number, holderId: number): Promise<void>;
}

/** Asks who has something free of a fund to give it back; the key names the fund and who asks. */
export const recallTopic = 'lease-recall';
/** Asked by nobody, so that every process gives back. */
export const recallOf = (fundId: number, holderId = 0): string => `${fundId}:${holderId}`;

export const leaseRows = (db: Database, changes: ChangeFeed): LeaseRows => ({
  register: (host) => registerHolder(db, host),
  raiseEpoch: (holder) => raiseEpoch(db, holder),
  noteAlive: (holder) => noteAlive(db, holder),
  take: (holder, asks) => takeLeases(db, holder, asks),
  giveBack: (holder, amounts) => returnLeases(db, holder, amounts),
  read: (holder) => readLeases(db, holder),
  end: (holderId) => endHolder(db, holderId),
  recall: (fundId, holderId) => changes.publish(db, recallTopic, recallOf(fundId, holderId)),
});

async function registerHolder(executor: Executor, host: string): Promise<Holder> {
  const { rows } = await executor.execute<{ id: string; epoch: number }>(sql`
    INSERT INTO ${leaseHolders} (host, seen_at) VALUES (${host}, now())
    RETURNING id::text AS id, epoch`);
  const [row] = rows;
  if (row === undefined) throw new Error('the holder that was just made is not there');
  return { id: Number(row.id), epoch: row.epoch };
}

/**
 * Makes whatever is still on its way under the old epoch worthless; waits for what is being carried out.
 * @returns null when the holder was fenced.
 */
async function raiseEpoch(executor: Executor, { id }: Holder): Promise<Holder | null> {
  const { rows } = await executor.execute<{ epoch: number }>(sql`
    UPDATE ${leaseHolders} SET epoch = epoch + 1 WHERE id = ${id} AND fenced_at IS NULL RETURNING epoch`);
  const [row] = rows;
  return row === undefined ? null : { id, epoch: row.epoch };
}

async function noteAlive(executor: Executor, { id }: Holder): Promise<void> {
  await executor.execute(sql`UPDATE ${leaseHolders} SET seen_at = now() WHERE id = ${id}`);
}

/** From now on the holder takes nothing more. */
export async function fenceHolder(executor: Executor, holderId: number, nowMs: number): Promise<void> {
  await executor.execute(sql`
    UPDATE ${leaseHolders} SET fenced_at = coalesce(fenced_at, ${timeOf(nowMs)}), epoch = epoch + 1
    WHERE id = ${holderId}`);
}

/** A holder that has nothing left is forgotten. */
async function forgetHolder(executor: Executor, holderId: number): Promise<void> {
  await executor.execute(sql`
    WITH done AS (DELETE FROM ${leases} WHERE holder_id = ${holderId} AND granted_nano_usd = settled_nano_usd)
    SELECT 1`);
  await executor.execute(sql`
    DELETE FROM ${leaseHolders} AS holder WHERE id = ${holderId}
      AND NOT EXISTS (SELECT FROM ${leases} AS lease WHERE lease.holder_id = holder.id)`);
}

export interface ListedHolder {
  readonly id: number;
  readonly host: string;
  /** When it was last known to be alive, to half a minute, by the database's clock: those of two machines may differ. */
  readonly seenAt: Date;
  /** When somebody else took over what it left; null while nobody did. */
  readonly fencedAt: Date | null;
  /** What it has not spent yet. */
  readonly leasedNanoUsd: bigint;
}

/** All who hold leases, or may, the first to come first. */
export async function listHolders(executor: Executor): Promise<readonly ListedHolder[]> {
  const { id, host, seenAt, fencedAt } = leaseHolders;
  const rows = await executor
    .select({
      ...{ id, host, seenAt, fencedAt },
      leased: sql<string>`coalesce(sum(${leases.grantedNanoUsd} - ${leases.settledNanoUsd}), 0)::text`,
    })
    .from(leaseHolders)
    .leftJoin(leases, eq(leases.holderId, id))
    .groupBy(id)
    .orderBy(id);
  return rows.map(({ leased, ...holder }) => ({ ...holder, leasedNanoUsd: BigInt(leased) }));
}

/** Gives back whatever the holder has left. */
async function returnAll(executor: Executor, holderId: number): Promise<void> {
  await executor.execute(sql`
    WITH open AS (
      SELECT fund.id, lease.granted_nano_usd - lease.settled_nano_usd AS amount
      FROM ${leases} AS lease JOIN ${funds} AS fund ON fund.id = lease.fund_id
      WHERE lease.holder_id = ${holderId} ORDER BY fund.id FOR UPDATE OF fund, lease
    ),
    given AS (
      UPDATE ${leases} AS lease SET granted_nano_usd = lease.granted_nano_usd - open.amount
      FROM open WHERE lease.holder_id = ${holderId} AND lease.fund_id = open.id
    )
    UPDATE ${funds} AS fund SET leased_nano_usd = fund.leased_nano_usd - open.amount
    FROM open WHERE fund.id = open.id`);
}

/**
 * Ends a holder that is gone: it takes nothing more, and what it had comes back. Whatever it settled must be written
 * before, or be given up.
 */
export async function releaseHolder(executor: Executor, holderId: number, nowMs: number): Promise<void> {
  await fenceHolder(executor, holderId, nowMs);
  await endHolder(executor, holderId);
}

/** The same of one that takes nothing more already. */
export async function endHolder(executor: Executor, holderId: number): Promise<void> {
  await returnAll(executor, holderId);
  await forgetHolder(executor, holderId);
}

export interface LeaseAsk {
  readonly fundId: number;
  /** It takes so much even where that is all there is. */
  readonly needNanoUsd: bigint;
  /** Up to so much, of at most a quarter of what is there. */
  readonly wantNanoUsd: bigint;
}

/** What a lease has been granted in all, and what of it is settled in the database. */
export interface Lease {
  readonly grantedNanoUsd: bigint;
  readonly settledNanoUsd: bigint;
}

export interface LeaseAnswer extends Lease {
  readonly fundId: number;
  /** What others could still lease; below zero for a debt. */
  readonly leftNanoUsd: bigint;
  readonly balanceNanoUsd: bigint;
  /** Whether other processes have something of it that they may not need. */
  readonly othersHave: boolean;
}

/** @returns an answer for each fund that is there; none at all when the holder's epoch is over. */
async function takeLeases(
  executor: Executor,
  holder: Holder,
  asks: readonly LeaseAsk[],
): Promise<readonly LeaseAnswer[]> {
  const list = asks.map((ask) => [ask.fundId, written(ask.needNanoUsd), written(ask.wantNanoUsd)]);
  const { rows } = await executor.execute<Record<string, string> & { others: boolean }>(sql`${plannedOnce}
    WITH holder AS (${currentHolder(holder)}),
    asked AS (
      SELECT (ask->>0)::bigint AS fund_id, (ask->>1)::bigint AS need, (ask->>2)::bigint AS want
      FROM json_array_elements(${JSON.stringify(list)}::text::json) AS list (ask)
    ),
    locked AS (
      SELECT fund.id, fund.balance_nano_usd AS balance, asked.need, asked.want,
        fund.balance_nano_usd - fund.floor_nano_usd - fund.leased_nano_usd AS available
      FROM asked JOIN ${funds} AS fund ON fund.id = asked.fund_id, holder
      ORDER BY fund.id FOR UPDATE OF fund
    ),
    granted AS (
      SELECT id, balance, available,
        greatest(0, least(available, greatest(need, least(want, available / 4)))) AS amount
      FROM locked
    ),
    raised AS (
      UPDATE ${funds} AS fund SET leased_nano_usd = fund.leased_nano_usd + granted.amount
      FROM granted WHERE fund.id = granted.id AND granted.amount > 0
    ),
    noted AS (
      INSERT INTO ${leases} (holder_id, fund_id, granted_nano_usd)
      SELECT holder.id, granted.id, granted.amount FROM granted, holder
      ON CONFLICT (holder_id, fund_id)
      DO UPDATE SET granted_nano_usd = ${leases.grantedNanoUsd} + excluded.granted_nano_usd
      RETURNING fund_id, granted_nano_usd, settled_nano_usd
    )
    SELECT granted.id::text AS id, noted.granted_nano_usd::text AS granted, noted.settled_nano_usd::text AS settled,
      (granted.available - granted.amount)::text AS left, granted.balance::text AS balance,
      EXISTS (
        SELECT FROM ${leases} AS other WHERE other.fund_id = granted.id AND other.holder_id <> ${holder.id}
          AND other.granted_nano_usd > other.settled_nano_usd
      ) AS others
    FROM granted JOIN noted ON noted.fund_id = granted.id`);
  return rows.map((row) => ({
    fundId: Number(row['id']),
    grantedNanoUsd: BigInt(row['granted'] ?? 0),
    settledNanoUsd: BigInt(row['settled'] ?? 0),
    leftNanoUsd: BigInt(row['left'] ?? 0),
    balanceNanoUsd: BigInt(row['balance'] ?? 0),
    othersHave: row.others,
  }));
}

/** More than any fund has. What a client says that its request may use is not bounded, and the column's numbers are. */
const mostAsked = 2n ** 62n;
const written = (amount: bigint): string => String(smaller(amount, mostAsked));

/** @returns the ids of the funds that were given something back; none when the holder's epoch is over. */
async function returnLeases(
  executor: Executor,
  holder: Holder,
  returned: ReadonlyMap<number, bigint>,
): Promise<readonly number[]> {
  const list = [...returned].map(([fundId, amount]) => [fundId, String(amount)]);
  const { rows } = await executor.execute<{ id: string }>(sql`${plannedOnce}
    WITH holder AS (${currentHolder(holder)}),
    asked AS (
      SELECT (ask->>0)::bigint AS fund_id, (ask->>1)::bigint AS amount
      FROM json_array_elements(${JSON.stringify(list)}::text::json) AS list (ask)
    ),
    locked AS (
      SELECT fund.id, asked.amount FROM holder JOIN ${leases} AS lease ON lease.holder_id = holder.id
      JOIN asked ON asked.fund_id = lease.fund_id JOIN ${funds} AS fund ON fund.id = asked.fund_id
      ORDER BY fund.id FOR UPDATE OF fund
    ),
    given AS (
      UPDATE ${leases} AS lease SET granted_nano_usd = lease.granted_nano_usd - locked.amount
      FROM locked WHERE lease.holder_id = ${holder.id} AND lease.fund_id = locked.id
    )
    UPDATE ${funds} AS fund SET leased_nano_usd = fund.leased_nano_usd - locked.amount
    FROM locked WHERE fund.id = locked.id RETURNING fund.id::text AS id`);
  return rows.map(({ id }) => Number(id));
}

async function readLeases(executor: Executor, { id }: Holder): Promise<ReadonlyMap<number, Lease>> {
  const { rows } = await executor.execute<{ fund: string; granted: string; settled: string }>(sql`
    SELECT fund_id::text AS fund, granted_nano_usd::text AS granted, settled_nano_usd::text AS settled
    FROM ${leases} WHERE holder_id = ${id}`);
  return new Map(
    rows.map(({ fund, granted, settled }) => [
      Number(fund),
      { grantedNanoUsd: BigInt(granted), settledNanoUsd: BigInt(settled) },
    ]),
  );
}

/** Locked as long as the statement runs, so that raising the epoch waits for it. */
const currentHolder = ({ id, epoch }: Holder): SQL => sql`
  SELECT id FROM ${leaseHolders} WHERE id = ${id} AND epoch = ${epoch} AND fenced_at IS NULL FOR SHARE`;

const timeOf = (ms: number): SQL => sql`to_timestamp(${ms} / 1000.0)`;
