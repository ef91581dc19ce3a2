/** One translator for each pair of protocols that has met; they hold no state. */
import type { ClientProtocol, UpstreamProtocol } from '../protocols/protocol.ts';
import { translate } from '../protocols/translate/translate.ts';
import type { Translator } from '../protocols/translator.ts';

const known = new Map<ClientProtocol, WeakMap<UpstreamProtocol, Translator>>();

export function translatorBetween(client: ClientProtocol, upstream: UpstreamProtocol): Translator {
  const ofClient = known.get(client) ?? new WeakMap<UpstreamProtocol, Translator>();
  known.set(client, ofClient);
  const translator = ofClient.get(upstream) ?? translate({ client, upstream });
  ofClient.set(upstream, translator);
  return translator;
}
