/** Cache points of the Converse API: blocks of their own, behind what they mark. */
import { asObject, type JsonObject } from '../json/fields.ts';
import type { CacheMark } from '../turn/blocks.ts';
import type { ModelTraits } from './model-traits.ts';

/** The blocks with the point behind them that their mark asks for, where the model takes one. */
export function withCachePoint(
  blocks: readonly JsonObject[],
  cache: CacheMark | undefined,
  { cachePoints }: ModelTraits,
): readonly JsonObject[] {
  if (cache === undefined || blocks.length === 0 || !cachePoints.messages) return blocks;
  const ttl = cachePoints.lifetimes ? cache.ttl : undefined;
  return [...blocks, { cachePoint: { type: 'default', ttl } }];
}

/** Undefined for a block that is no cache point. */
function readCachePoint(block: JsonObject): CacheMark | undefined {
  const point = asObject(block['cachePoint']);
  if (point === undefined) return undefined;
  const { ttl } = point;
  return ttl === '5m' || ttl === '1h' ? { ttl } : {};
}

/** Reads blocks in order; a cache point marks the one in front of it. */
export function readMarked<Block extends object>(
  blocks: readonly JsonObject[],
  read: (block: JsonObject) => Block | undefined,
): readonly Block[] {
  const marked: Block[] = [];
  for (const block of blocks) {
    const cache = readCachePoint(block);
    const last = marked.at(-1);
    if (cache === undefined) {
      const one = read(block);
      if (one !== undefined) marked.push(one);
    } else if (last !== undefined) marked[marked.length - 1] = { ...last, cache };
  }
  return marked;
}
