/** POST /v1/audio/speech */
import { noUsage, type Usage } from '../../base/token-usage.ts';
import type { Model } from '../../catalogue/index.ts';
import { chatErrors } from '../../protocols/chat-completions/errors.ts';
import { readSpeechRequest } from '../../protocols/speech/request.ts';
import {
  estimateSpeechBytes,
  estimateSpeechTokens,
  isOtherFormat,
  type SpeechFormat,
  type SpeechRequest,
} from '../../protocols/speech/speech.ts';
import { askUpstream, openBytes } from '../../upstream/index.ts';
import { type Asked, type Asking, inferenceScopes, type PaidEndpoint, type Served } from '../endpoint.ts';
import { readBodyText, requireOpenMembers } from '../request-body.ts';

type Ask = SpeechRequest & Asked;

/** The two formats that are promised. */
const contentTypes: Readonly<Record<SpeechFormat, string>> = { mp3: 'audio/mpeg', wav: 'audio/wav' };

export const speech: PaidEndpoint<Ask> = {
  kind: 'paid',
  method: 'POST',
  path: '/v1/audio/speech',
  scopes: inferenceScopes,
  modelType: 'speech',
  errors: chatErrors,
  // Bytes come as they are made, so the time until the first one is what counts.
  readRequest: async ({ http }, services) => ({
    ...readSpeechRequest(await readBodyText(http, services)),
    stream: true,
  }),
  canServe: ({ speech: support }) => support !== undefined,
  ask: speak,
};

async function speak(asking: Asking<Ask>): Promise<Served> {
  const { request, model, call } = asking;
  const { speech: support } = call.candidate.supports;
  if (support === undefined) throw new Error('a provider without speech was taken for one');
  const { protocol } = support;
  requireOpenMembers(request.json, call);
  const { body, path } = protocol.writeRequest(request, call.candidate.deployment.upstreamId);
  const response = await askUpstream(call, { support, stream: true, body, path });
  const usage = usageOf(request, model);
  return openBytes(response, {
    call,
    contentType: contentTypes[request.format],
    isOther: (type) => isOtherFormat(type, request.format),
    usage,
    usageOfPart: (bytes) => partOf(usage, bytes / estimateSpeechBytes(request)),
    readComplaint: protocol.readComplaint,
  });
}

function usageOf(request: SpeechRequest, { prices }: Model): Usage & { readonly characters: number } {
  const characters = [...request.input].length;
  if (!prices?.input && !prices?.output) return { ...noUsage, characters };
  return { ...noUsage, ...estimateSpeechTokens(request), characters, estimated: true };
}

/** Of an answer that its upstream broke off; never more than the whole. */
function partOf(usage: ReturnType<typeof usageOf>, share: number): Usage {
  const part = (count: number) => Math.round(count * Math.min(1, share));
  return {
    ...usage,
    characters: part(usage.characters),
    inputTokens: part(usage.inputTokens),
    outputTokens: part(usage.outputTokens),
    estimated: true,
  };
}
