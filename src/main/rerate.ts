/**
 * Rates requests anew that were served at a wrong price, or at none: a page of the request log at a time, its ratings and
 * the payers' journals in one transaction. A page that is done again finds nothing that differs.
 */
import { areFree, costNanoUsd, lineItems, PriceBook, type Prices } from '../catalogue/index.ts';
import { postReratings } from '../ledger/index.ts';
import type { Executor } from '../storage/database.ts';
import { takeLock, transact, type Work, type WorkParts } from '../storage/work.ts';
import {
  type Rating,
  type RatingSpan,
  readPageToRate,
  type StoredUsageRecord,
  storeRatings,
} from '../usage/index.ts';

/** What a page comes to, and for whom. */
export interface RatedPage {
  /** Requests that fit. */
  readonly requests: number;
  /** Of those, without a price then: they stay as they are. */
  readonly unpriced: number;
  /** Of those, answered in two parts, each at its own provider's price: they stay as they are. */
  readonly rescued: number;
  /** Of those, paid by another unit than the price asks now, of which nothing was counted: they stay as they are. */
  readonly uncounted: number;
  readonly payers: readonly PayerDifference[];
  /** Of the page behind it; null at the end. */
  readonly next: string | null;
}

/** Of the requests of a payer that come to something else. */
export interface PayerDifference {
  readonly payerId: number;
  readonly requests: number;
  readonly costBeforeNanoUsd: bigint;
  readonly costNanoUsd: bigint;
  readonly chargedBeforeNanoUsd: bigint;
  readonly chargedNanoUsd: bigint;
}

/** What a page would come to; nothing is changed. */
export async function tryRating(executor: Executor, span: RatingSpan): Promise<RatedPage> {
  const { told } = await ratePage(executor, span);
  return told;
}

/** Rates a page. One at a time, whoever does it. */
export function ratePageAnew(parts: WorkParts, span: RatingSpan): Promise<RatedPage> {
  return transact(parts, async (work) => {
    await takeLock(work, 'rating of usage');
    const { told, changed } = await ratePage(work.executor, span);
    await book(work, { changed, told });
    return told;
  });
}

type Changed = Omit<Rating, 'journalId'>;

async function book(work: Work, { changed, told }: { changed: readonly Changed[]; told: RatedPage }) {
  const [first] = changed;
  const last = changed.at(-1);
  if (first === undefined || last === undefined) return;
  const ratedAt = new Date(work.clock.nowMs());
  // The versions too, so that the same requests can be rated once more when prices are set once more.
  const versions = changed.reduce((latest, { priceVersionId }) => Math.max(latest, priceVersionId), 0);
  const key = `rerating of ${first.record.requestId} to ${last.record.requestId} by ${versions} at ${ratedAt.getTime()}`;
  const journals = await postReratings(
    work,
    told.payers.map((payer) => ({
      userId: payer.payerId,
      amountNanoUsd: payer.chargedNanoUsd - payer.chargedBeforeNanoUsd,
      businessKey: `${key} for ${payer.payerId}`,
      note: noteOf(changed.filter(({ record }) => record.payerId === payer.payerId)),
    })),
  );
  const ratings = changed.map((each) => ({ ...each, journalId: journals.get(each.record.payerId) ?? null }));
  await storeRatings(work.executor, ratings, ratedAt);
}

const mostNamed = 3;

function noteOf(changed: readonly Changed[]): string {
  const models = [...new Set(changed.map(({ record }) => record.model))];
  const named = models.slice(0, mostNamed).join(', ');
  const more = models.length > mostNamed ? ` and ${models.length - mostNamed} more` : '';
  return `${changed.length} requests of ${named}${more}`;
}

async function ratePage(
  executor: Executor,
  span: RatingSpan,
): Promise<{ readonly told: RatedPage; readonly changed: readonly Changed[] }> {
  const { records, next } = await readPageToRate(executor, span);
  const prices = await PriceBook.read(executor, { model: span.model });
  const changed: Changed[] = [];
  let unpriced = 0;
  let rescued = 0;
  let uncounted = 0;
  for (const record of records) {
    // Nobody was asked: there is nothing to rate.
    if (record.provider === null) continue;
    if (isOfTwoAnswers(record)) {
      rescued += 1;
      continue;
    }
    const version = prices.at(record.model, record.provider, record.startedAt.getTime());
    if (version === null) {
      unpriced += 1;
      continue;
    }
    const cost = costNanoUsd(version.prices, record);
    // Tokens of sound and rankings are counted only where they have a price: without them nobody can tell what it comes to.
    if (cost === 0n && record.costNanoUsd > 0n && isUncounted(version.prices, record)) {
      uncounted += 1;
      continue;
    }
    // What comes to the same stays as it is, unless nothing says why it costs that.
    if (cost === record.costNanoUsd && (record.priceVersionId !== null || cost === 0n)) continue;
    const rated = { record, priceVersionId: version.id, costNanoUsd: cost };
    changed.push({ ...rated, chargedNanoUsd: chargeOf(record, cost) });
  }
  const payers = [...Map.groupBy(changed, ({ record }) => record.payerId)].map(sumOf);
  return { told: { requests: records.length, unpriced, rescued, uncounted, payers, next }, changed };
}

/**
 * An answer that broke off and that another provider went on with costs the sum of both, each at its own price, while its
 * row has the counts of both together, and the last provider alone: from that nobody can tell what it comes to. Where both
 * had one price the row names it, and the next one may be of one of them, or of long prompts, of which neither was one.
 */
const isOfTwoAnswers = ({ costNanoUsd, attemptRecords }: StoredUsageRecord): boolean =>
  costNanoUsd > 0n && attemptRecords.some(({ why }) => why === 'rescued');

/** Nothing that was counted has a price, while something else has one. */
const isUncounted = (prices: Prices, record: StoredUsageRecord): boolean =>
  !areFree(prices) && lineItems(prices, record).every(({ pricedAs }) => pricedAs === null);

/** What a wallet could not pay at the time stays nobody's, however often its request is rated. */
function chargeOf(record: StoredUsageRecord, cost: bigint): bigint {
  if (record.exempt) return 0n;
  const { costNanoUsd: before, chargedNanoUsd: charged } = record.rerated ?? record;
  if (cost > before) return charged + (cost - before);
  return cost < charged ? cost : charged;
}

function sumOf([payerId, changed]: readonly [number, readonly Changed[]]): PayerDifference {
  const sum = (amountOf: (each: Changed) => bigint) =>
    changed.reduce((total, each) => total + amountOf(each), 0n);
  return {
    payerId,
    requests: changed.length,
    costBeforeNanoUsd: sum(({ record }) => record.costNanoUsd),
    costNanoUsd: sum((each) => each.costNanoUsd),
    chargedBeforeNanoUsd: sum(({ record }) => record.chargedNanoUsd),
    chargedNanoUsd: sum((each) => each.chargedNanoUsd),
  };
}
