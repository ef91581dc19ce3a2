/** The way from any client protocol to any upstream protocol: equal ones pass their bytes through. */
import type { InferenceRequest, Translator } from '../translator.ts';
import { convert, type ProtocolPair } from './convert.ts';
import { withFittingToolNames } from './tool-names.ts';

/** Has no state: one translator serves all requests of its pair. */
export function translate(pair: ProtocolPair): Translator {
  const { client, upstream } = pair;
  if (client.name === upstream.name) return passOrConvert(pair);
  return convert({ client: withFittingToolNames(client, upstream), upstream });
}

function passOrConvert(pair: ProtocolPair): Translator {
  const { passthrough, mustConvert } = pair.upstream;
  if (passthrough === null) return convert(pair);
  if (mustConvert === undefined) return passthrough;
  const converting = convert(pair);
  const fitting = (request: InferenceRequest) => (mustConvert(request) ? converting : passthrough);
  return {
    writeRequest: (request, upstreamId, facts) => fitting(request).writeRequest(request, upstreamId, facts),
    readAnswer: (body, request) => fitting(request).readAnswer(body, request),
    openStream: (request) => fitting(request).openStream(request),
    readComplaint: passthrough.readComplaint,
  };
}
