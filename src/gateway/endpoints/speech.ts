/** POST /v1/audio/speech */
import { noUsage } from '../../base/token-usage.ts';
import { chatErrors } from '../../protocols/chat-completions/errors.ts';
import { readSpeechRequest } from '../../protocols/speech/request.ts';
import {
  estimateSpeechBytes,
  estimateSpokenTokens,
  isOtherFormat,
  type SpeechFormat,
  type SpeechRequest,
} from '../../protocols/speech/speech.ts';
import { guessTokens } from '../../protocols/token-count/guess-tokens.ts';
import { askUpstream, openBytes } from '../../upstream/index.ts';
import { type Asked, type Asking, inferenceScopes, type PaidEndpoint, type Served } from '../endpoint.ts';
import { type ChargedUsage, uncountedTexts } from '../estimate.ts';
import { readBody, requireOpenMembers } from '../request-body.ts';

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
  readRequest: (reading, services) =>
    readBody(reading, services, (text) => ({ ...readSpeechRequest(text), stream: true })),
  canServe: ({ speech: support }) => support !== undefined,
  expectedTokens: (request) => guessTokens(request.text) + estimateSpokenTokens(request),
  // What is charged follows from the text alone.
  mostUsage: (request) => ({
    usage: {
      inputTokens: Buffer.byteLength(request.input) + Buffer.byteLength(request.instructions ?? ''),
      outputTokens: estimateSpokenTokens(request),
      characters: [...request.input].length,
    },
    answer: null,
  }),
  ask: speak,
};

async function speak(asking: Asking<Ask>): Promise<Served> {
  const { request, call } = asking;
  const { speech: support } = call.candidate.supports;
  if (support === undefined) throw new Error('a provider without speech was taken for one');
  const { protocol } = support;
  requireOpenMembers(request.json, call);
  const { body, path } = protocol.writeRequest(request, call.candidate.deployment.upstreamId);
  asking.owes(() => usageOf(asking, { heard: 0 }));
  const response = await askUpstream(call, { support, stream: true, body, path });
  const bytes = await openBytes(response, {
    call,
    contentType: contentTypes[request.format],
    isOther: (type) => isOtherFormat(type, request.format),
    readComplaint: protocol.readComplaint,
  });
  return {
    kind: 'bytes',
    bytes,
    usage: usageOf(asking),
    usageOfPart: (delivered) => partOf(asking, delivered / estimateSpeechBytes(request)),
  };
}

/** Shares of what was asked for: of the text, and of its sound. The whole where they are left out. */
interface Shares {
  readonly read?: number;
  readonly heard?: number;
  /** Nobody knows how much of it the upstream did. */
  readonly isPart?: boolean;
}

function usageOf(
  { request, prices, call }: Asking<Ask>,
  { read = 1, heard = 1, isPart = false }: Shares = {},
): ChargedUsage {
  const { input, instructions = '' } = request;
  const characters = Math.round([...input].length * read);
  const isCounted = prices?.input || prices?.output;
  if (!isCounted) return { ...noUsage, characters, estimated: isPart };
  const outputTokens = Math.round(estimateSpokenTokens(request) * heard);
  return uncountedTexts(call.candidate.deployment.upstreamId, [input, instructions], (tokens) => {
    const inputTokens = Math.round(tokens * read);
    return { ...noUsage, inputTokens, outputTokens, characters, estimated: true };
  });
}

/** Of an answer that its upstream broke off; never more than the whole. */
function partOf(asking: Asking<Ask>, share: number): ChargedUsage {
  const part = Math.min(1, share);
  return usageOf(asking, { read: part, heard: part, isPart: true });
}
