/**
 * Money that was granted and not paid in: spent before what was paid, those that end first before the others, and gone
 * at their ends. Requests only move a sum (`promo` of the wallet, and what was spent of it); which grant it came from is
 * allotted here, whenever somebody looks or a grant begins or ends.
 */
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { AppError } from '../base/errors.ts';
import { Keeper } from '../base/keeper.ts';
import type { Log } from '../base/log.ts';
import { smaller, writeUsd } from '../base/money.ts';
import { type AgreeingParts, withAgreedTime } from '../storage/agreed-time.ts';
import { raiseEvent, wasRaised } from '../storage/events.ts';
import { entries, funds, journals, promotionGrants, wallets } from '../storage/schema/ledger.ts';
import { transact, type Work } from '../storage/work.ts';
import { aboutWallet, openWallet, postJournal } from './books.ts';

export interface Promotion {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  readonly grantedNanoUsd: bigint;
  readonly remainingNanoUsd: bigint;
  /** Null for one that never ends. */
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
}

export interface Grant {
  readonly userId: number;
  readonly name: string;
  readonly amountNanoUsd: bigint;
  readonly expiresAt: Date | null;
  /** A grant happens once for each. */
  readonly businessKey: string;
  readonly createdBy?: number;
}

/**
 * @returns whether it happened now.
 * @throws RangeError when the amount is not more than nothing; AppError `validation_failed` for an end that is over,
 *   `conflict` for the business key of something else or of another amount.
 */
export async function grantPromotion(work: Work, grant: Grant): Promise<boolean> {
  const { userId, name, amountNanoUsd, expiresAt, ...rest } = grant;
  if (amountNanoUsd <= 0n) throw new RangeError('a promotion must be more than nothing');
  requireFuture(work, expiresAt);
  // What was spent until now was spent of the grants that there were.
  await allot(work, userId);
  const { id: journalId, isNew } = await postJournal(work, {
    kind: 'grant',
    note: name,
    ...rest,
    entries: [
      { account: { userId, part: 'promo' }, amountNanoUsd },
      { account: 'promotions', amountNanoUsd: -amountNanoUsd },
    ],
  });
  if (!isNew) return false;
  await work.executor.insert(promotionGrants).values({
    ...{ userId, journalId, name, expiresAt },
    grantedNanoUsd: amountNanoUsd,
    remainingNanoUsd: amountNanoUsd,
    createdAt: new Date(work.clock.nowMs()),
  });
  work.note(
    aboutWallet(userId, 'promotion.granted', { name, usd: writeUsd(amountNanoUsd), until: dayOf(expiresAt) }),
  );
  return true;
}

/**
 * Gives it another end; one that is moved into the past ends with the next round.
 * @throws AppError `not_found`; `conflict` for one of which nothing is left.
 */
export async function movePromotion(work: Work, id: number, expiresAt: Date | null): Promise<Promotion> {
  const [found] = await work.executor.select().from(promotionGrants).where(eq(promotionGrants.id, id));
  if (found === undefined) throw new AppError({ code: 'not_found', public: `There is no promotion ${id}.` });
  await allot(work, found.userId);
  const [moved] = await work.executor
    .update(promotionGrants)
    .set({ expiresAt })
    .where(and(eq(promotionGrants.id, id), gt(promotionGrants.remainingNanoUsd, 0n)))
    .returning();
  if (moved === undefined) throw nothingLeft(id);
  const until = { from: dayOf(found.expiresAt), to: dayOf(expiresAt) };
  work.note(aboutWallet(found.userId, 'promotion.changed', { name: found.name, until }));
  return moved;
}

/** Another end would bring none of its money back. */
const nothingLeft = (id: number): AppError =>
  new AppError({
    code: 'conflict',
    public: `Nothing is left of promotion ${id}: it is spent, or has ended. Grant another one.`,
  });

const dayOf = (at: Date | null): string | null => at?.toISOString() ?? null;

/** The newest last; what is spent is allotted first. */
export async function listPromotions(work: Work, userId: number): Promise<readonly Promotion[]> {
  await allot(work, userId);
  return await work.executor
    .select()
    .from(promotionGrants)
    .where(eq(promotionGrants.userId, userId))
    .orderBy(asc(promotionGrants.id));
}

/** At most so many wallets or grants in one work, so that none is long. */
const atOnce = 100;

/**
 * Ends what is over. What a process has leased of it may still be spent, and ends with a later round.
 * @returns of how many wallets it looked at grants, where as many as it takes means that there may be more; and how many
 *   grants ended, whole or in part.
 */
export async function endPromotions(
  work: Work,
  atMost = atOnce,
): Promise<{ readonly wallets: number; readonly ended: number }> {
  const { executor } = work;
  const now = new Date(work.clock.nowMs()).toISOString();
  // Only those of which something can end or was spent, so that a round never has others alone; and in the order in
  // which whoever settles usage locks them, so that nobody waits for each other.
  const { rows } = await executor.execute<{ user_id: string }>(sql`
    SELECT DISTINCT fund.id, own.user_id::text AS user_id
    FROM ${promotionGrants} AS promo JOIN ${wallets} AS own ON own.user_id = promo.user_id
      JOIN ${funds} AS fund ON fund.id = own.fund_id
    WHERE promo.remaining_nano_usd > 0 AND promo.expires_at <= ${now}::timestamptz
      AND (fund.balance_nano_usd - fund.floor_nano_usd - fund.leased_nano_usd > 0 OR own.promo_spent_nano_usd > 0)
    ORDER BY fund.id LIMIT ${atMost}`);
  let ended = 0;
  for (const { user_id: userId } of rows) ended += await endOf(work, Number(userId), now);
  return { wallets: rows.length, ended };
}

async function endOf(work: Work, userId: number, now: string): Promise<number> {
  const { executor } = work;
  await allot(work, userId);
  const over = await executor
    .select()
    .from(promotionGrants)
    .where(
      sql`${promotionGrants.userId} = ${userId} AND ${promotionGrants.remainingNanoUsd} > 0 AND ${promotionGrants.expiresAt} <= ${now}::timestamptz`,
    )
    .orderBy(asc(promotionGrants.expiresAt), asc(promotionGrants.id));
  let ended = 0;
  for (const grant of over) {
    const [fund] = await executor
      .select({ free: sql<string>`(balance_nano_usd - floor_nano_usd - leased_nano_usd)::text` })
      .from(funds)
      .innerJoin(wallets, eq(wallets.fundId, funds.id))
      .where(eq(wallets.userId, userId));
    const free = BigInt(fund?.free ?? 0);
    const amount = smaller(grant.remainingNanoUsd, free);
    if (amount <= 0n) continue;
    const left = grant.remainingNanoUsd - amount;
    await postJournal(work, {
      kind: 'expiry',
      note: grant.name,
      businessKey: `${expiryOf(grant.id)}${left}`,
      entries: [
        { account: { userId, part: 'promo' }, amountNanoUsd: -amount },
        { account: 'promotions', amountNanoUsd: amount },
      ],
    });
    await executor
      .update(promotionGrants)
      .set({ remainingNanoUsd: left })
      .where(eq(promotionGrants.id, grant.id));
    if (left === 0n) await tellOfEnd(work, grant.id);
    ended += 1;
  }
  return ended;
}

const expiryOf = (id: number): string => `expiry of promotion ${id} down to `;

/**
 * Of one of which nothing is left, all that ended of it: that can have been in parts, as processes gave back what they had
 * leased, and before it was given another end. One that was spent as a whole is none that ended.
 */
async function tellOfEnd(work: Work, id: number): Promise<void> {
  const { rows } = await work.executor.execute<Record<'user_id' | 'name' | 'once' | 'ended', string>>(sql`
    SELECT promo.user_id::text AS user_id, promo.name, ${endOfGrant} AS once, (-sum(entry.amount_nano_usd))::text AS ended
    FROM ${promotionGrants} AS promo JOIN ${wallets} AS own ON own.user_id = promo.user_id
      JOIN ${entries} AS entry ON entry.account_id = own.promo_account_id AND entry.requests IS NULL
      JOIN ${journals} AS journal ON journal.id = entry.journal_id AND journal.kind = 'expiry'
        AND starts_with(journal.business_key, ${expiryOf(id)}::text)
    WHERE promo.id = ${id} GROUP BY promo.id`);
  for (const { user_id: userId, name, once, ended } of rows) {
    await raiseEvent(work, {
      kind: 'promotion.expired',
      facts: { name, expired_usd: writeUsd(BigInt(ended)) },
      audience: { of: 'account', id: Number(userId) },
      once,
    });
  }
}

/** Of a row `promo`: each end that it is given is another. */
const endOfGrant = sql`concat(promo.id, ':', extract(epoch FROM promo.expires_at)::bigint)`;

/** Takes what was spent of promotions off the grants, those that end first before the others. */
async function allot(work: Work, userId: number): Promise<void> {
  const { executor } = work;
  const { fundId } = await openWallet(executor, userId);
  const { rows } = await executor.execute<{ id: string; is_spent: boolean }>(sql`
    WITH open AS (
      SELECT id, remaining_nano_usd AS remaining,
        sum(remaining_nano_usd) OVER (ORDER BY expires_at NULLS LAST, id) - remaining_nano_usd AS before
      FROM ${promotionGrants} WHERE user_id = ${userId} AND remaining_nano_usd > 0
    ),
    spent AS (SELECT promo_spent_nano_usd AS amount FROM ${wallets} WHERE fund_id = ${fundId})
    UPDATE ${promotionGrants} AS promo
    SET remaining_nano_usd = open.remaining - greatest(0, least(open.remaining, spent.amount - open.before))
    FROM open, spent WHERE promo.id = open.id AND spent.amount > open.before
    RETURNING promo.id::text AS id, promo.remaining_nano_usd = 0 AS is_spent`);
  await executor.update(wallets).set({ promoSpentNanoUsd: 0n }).where(eq(wallets.userId, userId));
  for (const { id, is_spent } of rows) if (is_spent) await tellOfEnd(work, Number(id));
}

function requireFuture(work: Work, expiresAt: Date | null): void {
  if (expiresAt === null || expiresAt.getTime() > work.clock.nowMs()) return;
  throw new AppError({
    code: 'validation_failed',
    public: 'A promotion must end in the future.',
    fields: [{ loc: ['expiresAt'], msg: 'must be in the future', type: 'too_early' }],
  });
}

const roundMs = 60_000;
/** How long before its end people are told of one. */
const toldBeforeMs = 3 * 86_400_000;

/** Once for each end that one is given. @returns of how many; as many as a work takes means that there may be more. */
export async function tellOfEnds(work: Work, atMost = atOnce): Promise<number> {
  const { executor, clock } = work;
  const now = new Date(clock.nowMs());
  const until = new Date(now.getTime() + toldBeforeMs);
  const { rows } = await executor.execute<{ id: string; once: string }>(sql`
    SELECT promo.id::text AS id, ${endOfGrant} AS once
    FROM ${promotionGrants} AS promo JOIN ${wallets} AS own ON own.user_id = promo.user_id
    WHERE promo.remaining_nano_usd > 0 AND promo.expires_at > ${now.toISOString()}::timestamptz
      AND promo.expires_at <= ${until.toISOString()}::timestamptz
      AND NOT ${wasRaised('promotion.expires_soon', endOfGrant)}
    ORDER BY own.fund_id, promo.id LIMIT ${atMost}`);
  for (const { id, once } of rows) {
    const [named] = await executor
      .select()
      .from(promotionGrants)
      .where(eq(promotionGrants.id, Number(id)));
    if (named === undefined) continue;
    await allot(work, named.userId);
    const [grant] = await executor.select().from(promotionGrants).where(eq(promotionGrants.id, named.id));
    if (grant?.expiresAt == null || grant.remainingNanoUsd === 0n) continue;
    const { userId, name, remainingNanoUsd, expiresAt } = grant;
    await raiseEvent(work, {
      kind: 'promotion.expires_soon',
      facts: { name, remaining_usd: writeUsd(remainingNanoUsd), expires_at: expiresAt.toISOString() },
      audience: { of: 'account', id: userId },
      once,
    });
  }
  return rows.length;
}

/**
 * Ends promotions while a server runs, in whichever of several comes first.
 * @param atMost of how many wallets or grants in one work; a hundred when not given.
 */
export function promotionKeeper({
  log,
  atMost = atOnce,
  ...parts
}: AgreeingParts & { readonly log: Log; readonly atMost?: number }): Keeper {
  return new Keeper({
    clock: parts.clock,
    log,
    pauseMs: roundMs,
    failure: 'promotions could not be ended; it is tried again in a minute',
    async round(closing) {
      const agreed = await withAgreedTime(parts);
      for (let told = atMost; told === atMost && !closing.aborted; ) {
        told = await transact(agreed, (work) => tellOfEnds(work, atMost));
      }
      let count = 0;
      for (let wallets = atMost; wallets === atMost && !closing.aborted; ) {
        const round = await transact(agreed, (work) => endPromotions(work, atMost));
        wallets = round.wallets;
        count += round.ended;
      }
      if (count > 0) log.info('promotions ended', { count });
    },
  });
}
