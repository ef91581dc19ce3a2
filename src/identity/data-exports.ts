/** Exports of all that an account has: asked for, made by whichever process claims them, and kept in parts for a day. */
import { and, asc, eq, gt, isNull, lt, or, sql } from 'drizzle-orm';
import type { PersonScope } from '../base/scope.ts';
import { type AgreeingParts, withDatabaseTime } from '../storage/agreed-time.ts';
import type { Executor } from '../storage/database.ts';
import { dataExportParts, dataExports } from '../storage/schema/exports.ts';
import { transact, type Work } from '../storage/work.ts';
import { holdOneself } from './hold-person.ts';
import { aboutPerson } from './user.ts';

const lifetimeMs = 24 * 3_600_000;
/** A process that makes one says more often than this that it lives. */
const claimMs = 60_000;
const mostTries = 3;

export interface DataExport {
  readonly status: 'waiting' | 'ready' | 'failed';
  /** How many requests are in it so far. */
  readonly requests: number;
  readonly sizeBytes: number;
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
}

/** What a process holds that makes one. */
export interface ExportClaim {
  readonly userId: number;
  readonly claim: string;
}

/** Begins another one in place of a finished one; one that is under way goes on. */
export async function requestDataExport(scope: PersonScope, work: Work): Promise<DataExport> {
  const { executor, clock } = work;
  const { id: userId } = await holdOneself(scope, executor);
  const [kept] = await executor
    .select()
    .from(dataExports)
    .where(eq(dataExports.userId, userId))
    .for('update');
  if (kept?.status === 'waiting') return toExport(kept);
  await executor.delete(dataExports).where(eq(dataExports.userId, userId));
  const [row] = await executor
    .insert(dataExports)
    .values({ userId, status: 'waiting', createdAt: new Date(clock.nowMs()) })
    // Asked for twice at once: the other one is as good.
    .onConflictDoUpdate({ target: dataExports.userId, set: { userId } })
    .returning();
  if (row === undefined) throw new Error('the insert of an export returned nothing');
  work.note(aboutPerson(userId, 'export.requested'));
  return toExport(row);
}

/** Undefined where there is none, or none any more. */
export async function findDataExport(
  { userId }: PersonScope,
  executor: Executor,
  nowMs: number,
): Promise<DataExport | undefined> {
  const [row] = await executor
    .select()
    .from(dataExports)
    .where(
      and(
        eq(dataExports.userId, userId),
        or(isNull(dataExports.expiresAt), gt(dataExports.expiresAt, new Date(nowMs))),
      ),
    );
  return row && toExport(row);
}

/** A part of one that is ready; undefined behind the last, and once another export is in its place. */
export async function readExportPart(
  { userId }: PersonScope,
  executor: Executor,
  { createdAt, number }: Pick<DataExport, 'createdAt'> & { readonly number: number },
): Promise<Uint8Array | undefined> {
  const [row] = await executor
    .select({ bytes: dataExportParts.bytes })
    .from(dataExportParts)
    .innerJoin(dataExports, eq(dataExports.userId, dataExportParts.userId))
    .where(
      and(
        eq(dataExportParts.userId, userId),
        eq(dataExportParts.number, number),
        eq(dataExports.status, 'ready'),
        eq(dataExports.createdAt, createdAt),
      ),
    );
  return row?.bytes;
}

/** Whoever fetches it, the trail has it. */
export async function noteExportDownloaded({ userId }: PersonScope, { note }: Work): Promise<void> {
  note(aboutPerson(userId, 'export.downloaded'));
}

/** Those of a day ago are removed, with their parts. */
export async function removeOldExports({ executor, clock }: Work): Promise<void> {
  await executor.delete(dataExports).where(lt(dataExports.expiresAt, new Date(clock.nowMs())));
}

/**
 * The one that has waited longest, and what somebody who died had made of it is gone. Those that failed too often are
 * given up on the way: whoever still makes one of them has no claim to it any more. Until when it is held is told by the
 * database's time: processes whose clocks are apart would take it from each other until its tries are used up.
 */
export async function claimDataExport(parts: AgreeingParts): Promise<ExportClaim | undefined> {
  return transact(await withDatabaseTime(parts), async ({ executor, clock, ids }) => {
    const now = new Date(clock.nowMs());
    for (;;) {
      const due = await findWaiting(executor, now);
      if (due === undefined) return undefined;
      const { userId, tries } = due;
      await executor.delete(dataExportParts).where(eq(dataExportParts.userId, userId));
      const claim = tries < mostTries ? Buffer.from(ids.randomBytes(16)).toString('hex') : null;
      const state =
        claim === null
          ? { status: 'failed', claimedUntil: null, expiresAt: new Date(now.getTime() + lifetimeMs) }
          : { claimedUntil: new Date(now.getTime() + claimMs), tries: tries + 1 };
      await executor
        .update(dataExports)
        .set({ ...state, claim, requests: 0, sizeBytes: 0 })
        .where(eq(dataExports.userId, userId));
      if (claim !== null) return { userId, claim };
    }
  });
}

/** One that nobody is making, locked; the others of this moment are left to those who lock them. */
async function findWaiting(executor: Executor, now: Date) {
  const [due] = await executor
    .select({ userId: dataExports.userId, tries: dataExports.tries })
    .from(dataExports)
    .where(
      and(
        eq(dataExports.status, 'waiting'),
        or(isNull(dataExports.claimedUntil), lt(dataExports.claimedUntil, now)),
      ),
    )
    .orderBy(asc(dataExports.createdAt))
    .limit(1)
    .for('update', { skipLocked: true });
  return due;
}

/** @returns false once it is another process's, or the account is gone: then there is nothing more to do. */
export async function addExportPart(
  parts: AgreeingParts,
  { userId, claim }: ExportClaim,
  part: { readonly number: number; readonly bytes: Uint8Array; readonly requests: number },
): Promise<boolean> {
  return transact(await withDatabaseTime(parts), async ({ executor, clock }) => {
    const { number, bytes, requests } = part;
    const kept = await executor
      .update(dataExports)
      .set({
        claimedUntil: new Date(clock.nowMs() + claimMs),
        requests,
        sizeBytes: sql`${dataExports.sizeBytes} + ${bytes.length}`,
      })
      .where(and(eq(dataExports.userId, userId), eq(dataExports.claim, claim)))
      .returning({ userId: dataExports.userId });
    if (kept.length === 0) return false;
    await executor.insert(dataExportParts).values({ userId, number, bytes });
    return true;
  });
}

/** It can be fetched from then on. */
export async function finishDataExport(
  { executor, clock }: Work,
  { userId, claim }: ExportClaim,
): Promise<void> {
  await executor
    .update(dataExports)
    .set({
      ...{ status: 'ready', claim: null, claimedUntil: null },
      expiresAt: new Date(clock.nowMs() + lifetimeMs),
    })
    .where(and(eq(dataExports.userId, userId), eq(dataExports.claim, claim)));
}

/** Leaves it to whoever claims it next, at once. A process that ends in order has not failed: its try does not count. */
export async function leaveDataExport({ executor }: Work, { userId, claim }: ExportClaim): Promise<void> {
  await executor
    .update(dataExports)
    .set({ claim: null, claimedUntil: null, tries: sql`${dataExports.tries} - 1` })
    .where(and(eq(dataExports.userId, userId), eq(dataExports.claim, claim)));
}

function toExport({ status, requests, sizeBytes, expiresAt, createdAt }: typeof dataExports.$inferSelect) {
  const known = status === 'ready' || status === 'failed' ? status : 'waiting';
  return { status: known, requests, sizeBytes, expiresAt, createdAt } as const;
}
