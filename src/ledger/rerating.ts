/** What payers are given back, or charged, for requests that were rated anew. */
import type { Work } from '../storage/work.ts';
import { lockWallets, postJournal } from './books.ts';

export interface Difference {
  readonly userId: number;
  /** What is charged more; below zero for what is given back. */
  readonly amountNanoUsd: bigint;
  readonly businessKey: string;
  readonly note: string;
}

/**
 * A journal for each payer. It moves what was paid alone: which promotion a request was paid from is not known of a single
 * one. A wallet may come below its floor by it: what was used is owed.
 * @returns the journals' ids, by payer; none for who has no difference.
 */
export async function postReratings(
  work: Work,
  differences: readonly Difference[],
): Promise<ReadonlyMap<number, number>> {
  const due = differences.filter(({ amountNanoUsd }) => amountNanoUsd !== 0n);
  await lockWallets(
    work.executor,
    due.map(({ userId }) => userId),
  );
  const journals = new Map<number, number>();
  for (const { userId, amountNanoUsd, ...rest } of due) {
    const { id } = await postJournal(work, {
      kind: 'rerating',
      ...rest,
      entries: [
        { account: { userId, part: 'paid' }, amountNanoUsd: -amountNanoUsd },
        { account: 'revenue', amountNanoUsd },
      ],
    });
    journals.set(userId, id);
  }
  return journals;
}
