/** Cache marks in chat completions: not of the protocol, but several hosts take Anthropic's spelling, and OpenAI its own. */
import { asObject, type JsonObject } from '../json/fields.ts';
import type { CacheMark } from '../turn/blocks.ts';

export function readCacheMark(from: JsonObject): CacheMark | undefined {
  const control = asObject(from['cache_control']);
  if (control?.['type'] === 'ephemeral') {
    const ttl = control['ttl'];
    return ttl === '5m' || ttl === '1h' ? { ttl } : {};
  }
  return asObject(from['prompt_cache_breakpoint']) === undefined ? undefined : {};
}

export function writeCacheMark(cache: CacheMark | undefined): JsonObject | undefined {
  return cache === undefined ? undefined : { type: 'ephemeral', ttl: cache.ttl };
}
