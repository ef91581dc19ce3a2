/** What tells requests apart whose made-up answers may share their bytes. */
import type { Wish } from './compose-turn.ts';

/** Undefined for requests that differ in more than a short key can tell. */
export function planKeyOf(wish: Wish, ...others: readonly (string | boolean)[]): string | undefined {
  const { tools, schema, stopSequences, limit, choices, bodyBytes } = wish;
  if (tools.length > 0 || schema !== undefined || stopSequences.length > 0) return undefined;
  return JSON.stringify([...others, limit, choices, bodyBytes]);
}
