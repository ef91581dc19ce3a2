/** Work that an upstream takes only so much of at once, done batch after batch. */
import { UpstreamFailedError } from './ask.ts';
import type { UpstreamCall } from './call.ts';

const mostTries = 3;
const usualWaitMs = 300;
const mostWaitMs = 2000;

interface Batching {
  /** In one batch. */
  readonly maxItems: number;
  readonly call: Pick<UpstreamCall, 'pause' | 'hasWholeAnswer'>;
  /** Kept up to date while the work goes on. */
  readonly progress?: BatchProgress;
}

/** In items. */
export interface BatchProgress {
  /** In batches that have their result, and have been paid for. */
  done: number;
  /** Those, and the ones in the batch under way. */
  begun: number;
}

/**
 * One after the other, since the first failure ends the attempt and whatever ran beside it would be paid for in vain.
 * For the same reason a failure that passes is waited for once some batches are done, and have been paid for.
 * @returns one result for each batch, in order.
 */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  { maxItems, call, progress = { done: 0, begun: 0 } }: Batching,
  work: (batch: readonly Item[]) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += maxItems) {
    const batch = items.length <= maxItems ? items : items.slice(at, at + maxItems);
    progress.begun = at + batch.length;
    results.push(at === 0 ? await work(batch) : await tryAgain(() => work(batch), call));
    progress.done = progress.begun;
    call.hasWholeAnswer();
  }
  return results;
}

async function tryAgain<Result>(work: () => Promise<Result>, call: Batching['call']): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (thrown) {
      const waitMs = waitMsAfter(thrown);
      if (waitMs === null || tries === mostTries) throw lastWord(thrown);
      await call.pause(waitMs);
    }
  }
}

/** Another try of the whole would do again, and pay again, what the batches before have done. */
function lastWord(thrown: unknown): unknown {
  if (!(thrown instanceof UpstreamFailedError)) return thrown;
  return new UpstreamFailedError({ ...thrown.failure, retry: null });
}

/** Null for what will not pass by itself. */
function waitMsAfter(thrown: unknown): number | null {
  if (!(thrown instanceof UpstreamFailedError)) return null;
  const { canFailOver, error } = thrown.failure;
  if (!canFailOver || !error.retryable) return null;
  const { retryAfterSeconds } = error;
  return retryAfterSeconds === undefined ? usualWaitMs : Math.min(mostWaitMs, retryAfterSeconds * 1000);
}
