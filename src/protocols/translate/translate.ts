/** The way from any client protocol to any upstream protocol: equal ones pass their bytes through. */

import type { Translator } from '../translator.ts';
import { convert, type ProtocolPair } from './convert.ts';
import { withShortToolNames } from './short-tool-names.ts';

/** Has no state: one translator serves all requests of its pair. */
export function translate(pair: ProtocolPair): Translator {
  const { client, upstream } = pair;
  if (client.name === upstream.name) return upstream.passthrough;
  return convert(upstream.longToolNames ? pair : { client: withShortToolNames(client), upstream });
}
