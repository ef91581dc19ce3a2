/** A desk of leases on books in memory: a test sees which statements it sends, loses them, and says what other processes do. */
import { ManualClock } from '../../base/testing/manual-clock.ts';
import { Fund } from '../fund.ts';
import { LeaseDesk } from '../lease-desk.ts';
import type { LeaseRows } from '../lease-rows.ts';
import { MemoryBooks } from './memory-books.ts';
import { SilentFeed } from './silent-feed.ts';

export type Statement = keyof LeaseRows;

/** @param balances of funds 0, 1 and so on, the first of which is a wallet. */
export function memoryDesk(...balances: readonly bigint[]) {
  const books = new MemoryBooks();
  const clock = new ManualClock();
  const recalled: number[] = [];
  const sent: Statement[] = [];
  const asked: number[] = [];
  const holders: number[] = [];
  let isAway = false;
  /** Whose next answer is lost once it was carried out. */
  let isNextLost: Statement | undefined;
  /** What an answer waits for, once the statement was carried out. */
  let isAnswered: Promise<void> | undefined;
  async function there<Result>(statement: Statement, carryOut: () => Result): Promise<Result> {
    sent.push(statement);
    if (isAway) throw new Error('the database is away');
    const answer = carryOut();
    if (isAnswered !== undefined) await isAnswered;
    if (isNextLost !== statement) return answer;
    isNextLost = undefined;
    throw new Error('the answer was lost');
  }
  const rows: LeaseRows = {
    register: () => there('register', () => books.register()),
    raiseEpoch: (holder) => there('raiseEpoch', () => books.raiseEpoch(holder)),
    noteAlive: () => there('noteAlive', () => undefined),
    take(holder, asks) {
      asked.push(...asks.map(({ fundId }) => fundId));
      return there('take', () => books.take(holder, asks));
    },
    giveBack: (holder, amounts) => there('giveBack', () => books.giveBack(holder, amounts)),
    read: (holder) => there('read', () => books.read(holder)),
    end: (id) => there('end', () => books.end(id)),
    recall: (fundId) => there('recall', () => void recalled.push(fundId)),
  };
  const changes = new SilentFeed();
  const desk = new LeaseDesk({ rows, changes, clock, onHolder: (id) => holders.push(id) });
  const funds = balances.map((balance, at) => {
    books.funds.set(at, { balance, floor: 0n, leased: 0n });
    return new Fund(at, { kind: at === 0 ? 'wallet' : 'budget', title: `fund ${at}` });
  });
  return {
    ...{ books, clock, changes, desk, funds, recalled, holders },
    /** Of which funds more was asked for since this was asked the last time. */
    asked: (): readonly number[] => asked.splice(0),
    /** Which statements were sent since this was asked the last time. */
    sent: (): readonly Statement[] => sent.splice(0),
    /** So much of the first fund is another process's. */
    lend(amount: bigint) {
      const other = books.register();
      books.take(other, [{ fundId: 0, needNanoUsd: amount, wantNanoUsd: 0n }]);
      return other;
    },
    goAway() {
      isAway = true;
    },
    /** Statements are carried out, and their answers come when what is returned is called. */
    holdAnswers(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      isAnswered = promise;
      return () => {
        isAnswered = undefined;
        resolve();
      };
    },
    loseNext(statement: Statement) {
      isNextLost = statement;
    },
  };
}
