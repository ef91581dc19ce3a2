/** What the books, the usage rows and the providers' own count say at the end, and where they do not agree. */
import { z } from 'zod';
import { checkBooks, listHolders } from '../../src/ledger/index.ts';
import { readMoney } from '../../src/ledger/testing/read-money.ts';
import type { Storage } from '../../src/storage/index.ts';
import { usageRecords } from '../../src/storage/schema/usage.ts';
import type { ReceivedRequest } from '../support/upstream/exchange.ts';
import type { Heard } from './clients.ts';

/** Nano-USD for a token. */
export interface TokenPrices {
  readonly input: bigint;
  readonly cached: bigint;
  readonly output: bigint;
}

export interface Evidence {
  readonly heard: readonly Heard[];
  readonly received: readonly ReceivedRequest[];
  readonly prices: ReadonlyMap<string, TokenPrices>;
  readonly poorId: number;
}

export interface Reckoning {
  readonly rows: number;
  readonly byOutcome: Readonly<Record<string, number>>;
  readonly depositsNanoUsd: bigint;
  readonly balanceNanoUsd: bigint;
  readonly chargedNanoUsd: bigint;
  readonly costNanoUsd: bigint;
  readonly poorBalanceNanoUsd: bigint;
  /** Empty when everything agrees. */
  readonly complaints: readonly string[];
}

export async function settleUp({ db }: Storage, evidence: Evidence): Promise<Reckoning> {
  const rows = await db.select().from(usageRecords);
  const money = await readMoney(db);
  const poor = await readMoney(db, evidence.poorId);
  const charged = sum(rows.map((row) => row.chargedNanoUsd));
  const poorCharged = sum(
    rows.filter((row) => row.payerId === evidence.poorId).map((row) => row.chargedNanoUsd),
  );
  const complaints = [
    ...compareRows(rows, evidence),
    ...differ('all wallets', money.depositsNanoUsd - money.balanceNanoUsd, charged),
    ...differ('the small wallet', poor.depositsNanoUsd - poor.balanceNanoUsd, poorCharged),
    ...differ('leased at the end', money.leasedNanoUsd, 0n),
    ...(poor.balanceNanoUsd < 0n ? [`the small wallet has ${poor.balanceNanoUsd}`] : []),
    ...(await checkBooks(db)).map(({ rule, where }) => `not so: ${rule}: ${where.join(', ')}`),
    ...(await listHolders(db)).map(({ id, leasedNanoUsd }) => `process ${id} still has ${leasedNanoUsd}`),
  ];
  return {
    rows: rows.length,
    byOutcome: countBy(rows.map(({ outcome }) => outcome)),
    depositsNanoUsd: money.depositsNanoUsd,
    balanceNanoUsd: money.balanceNanoUsd,
    chargedNanoUsd: charged,
    costNanoUsd: sum(rows.map((row) => row.costNanoUsd)),
    poorBalanceNanoUsd: poor.balanceNanoUsd,
    complaints,
  };
}

type Row = typeof usageRecords.$inferSelect;

/** Row by row: the mark that a client gave its request stands in the row and in what the provider received. */
function compareRows(rows: readonly Row[], { heard, received, prices, poorId }: Evidence): readonly string[] {
  const byMark = new Map<string, Row[]>();
  for (const row of rows) byMark.set(row.endUser ?? '', [...(byMark.get(row.endUser ?? '') ?? []), row]);
  const asked = new Map<string, ReceivedRequest>();
  for (const request of received) asked.set(markOf(request), request);
  const complaints: string[] = [];
  for (const [mark, own] of byMark) {
    if (own.length > 1) complaints.push(`${mark} has ${own.length} rows`);
    for (const row of own) {
      // Killed between the spool and the provider, or left by its client there.
      if (!asked.has(mark) && row.chargedNanoUsd > 0n) complaints.push(`${mark} was charged and never sent`);
      if (row.chargedNanoUsd > row.costNanoUsd) complaints.push(`${mark} was charged more than it cost`);
    }
  }
  for (const mark of asked.keys()) if (!byMark.has(mark)) complaints.push(`${mark} was sent and has no row`);
  for (const { mark } of heard) {
    const row = byMark.get(mark)?.[0];
    const usage = asked.get(mark)?.usage;
    if (row?.outcome !== 'complete') complaints.push(`${mark} was answered whole and is ${row?.outcome}`);
    else {
      const isPoor = row.payerId === poorId;
      complaints.push(...compareUsage(mark, { row, usage, prices: prices.get(row.model), isPoor }));
    }
  }
  return complaints;
}

interface Compared {
  readonly row: Row;
  readonly usage: ReceivedRequest['usage'];
  readonly prices: TokenPrices | undefined;
  readonly isPoor: boolean;
}

function compareUsage(mark: string, { row, usage, prices, isPoor }: Compared): readonly string[] {
  if (usage === undefined || prices === undefined) return [`${mark} has no count of its provider`];
  const { promptTokens, cachedTokens, completionTokens } = usage;
  const cost =
    BigInt(promptTokens - cachedTokens) * prices.input +
    BigInt(cachedTokens) * prices.cached +
    BigInt(completionTokens) * prices.output;
  return [
    ...differ(`the cost of ${mark}`, row.costNanoUsd, cost),
    // At its floor the small wallet pays what it has, which the row says.
    ...(isPoor ? [] : differ(`the charge of ${mark}`, row.chargedNanoUsd, cost)),
  ];
}

const asked = z.object({ user: z.string() });
const markOf = ({ body }: ReceivedRequest): string => asked.safeParse(body).data?.user ?? '';

const differ = (what: string, is: bigint, expected: bigint): readonly string[] =>
  is === expected ? [] : [`${what}: ${is} in place of ${expected}`];

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

function countBy(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
