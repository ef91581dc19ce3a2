/** Work that an upstream takes only so much of at once, done batch after batch. */

/**
 * One after the other, since the first failure ends the attempt and whatever ran beside it would be paid for in vain.
 * @returns one result for each batch, in order.
 */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  maxItems: number,
  work: (batch: readonly Item[]) => Promise<Result>,
): Promise<Result[]> {
  if (items.length <= maxItems) return [await work(items)];
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += maxItems)
    results.push(await work(items.slice(at, at + maxItems)));
  return results;
}
