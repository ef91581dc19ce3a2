/** The way from any client protocol to any upstream protocol: equal ones pass their bytes through. */
import { convert, type ProtocolPair } from './convert.ts';
import type { Translator } from './exchange.ts';

/** Has no state: one translator serves all requests of its pair. */
export function translate(pair: ProtocolPair): Translator {
  return pair.client.name === pair.upstream.name ? pair.upstream.passthrough : convert(pair);
}
