/** A cache mark in Anthropic's spelling, which several hosts of chat completions take too. */
import { asObject, type JsonObject } from '../json/fields.ts';
import type { CacheMark } from './blocks.ts';

export function readCacheMark(from: JsonObject): CacheMark | undefined {
  const control = asObject(from['cache_control']);
  if (control?.['type'] !== 'ephemeral') return undefined;
  const ttl = control['ttl'];
  return ttl === '5m' || ttl === '1h' ? { ttl } : {};
}

export function writeCacheMark(cache: CacheMark | undefined): JsonObject | undefined {
  return cache === undefined ? undefined : { type: 'ephemeral', ttl: cache.ttl };
}
