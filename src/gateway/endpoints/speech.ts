/** POST /v1/audio/speech */
import { noUsage, type Usage } from '../../base/token-usage.ts';
import type { Model } from '../../catalogue/index.ts';
import { chatErrors } from '../../protocols/chat-completions/errors.ts';
import { readSpeechRequest } from '../../protocols/speech/request.ts';
import type { SpeechFormat, SpeechRequest } from '../../protocols/speech/speech.ts';
import { askUpstream } from '../ask-upstream.ts';
import type { Asked, Attempt, Endpoint, Served } from '../endpoint.ts';
import { openBytes } from '../open-bytes.ts';
import { readBodyText } from '../request-body.ts';

type Ask = SpeechRequest & Asked;

/** Document 1. */
const contentTypes: Readonly<Record<SpeechFormat, string>> = { mp3: 'audio/mpeg', wav: 'audio/wav' };

/**
 * Answers of audio carry no counts, so that models with a price for tokens are charged by the text: a token of text is
 * about four characters, and a second of speech, some fifteen characters long, about twenty tokens of audio.
 */
const charactersPerInputToken = 4;
const audioTokensPerCharacter = 1.4;

export const speech: Endpoint<Ask> = {
  path: '/v1/audio/speech',
  modelType: 'speech',
  errors: chatErrors,
  // Bytes come as they are made, so the time until the first one is what counts.
  readRequest: async (http, services) => ({
    ...readSpeechRequest(await readBodyText(http, services)),
    stream: true,
  }),
  canServe: ({ speech: support }) => support !== undefined,
  attempt: speak,
};

async function speak(attempt: Attempt<Ask>): Promise<Served> {
  const { request, model, candidate, call } = attempt;
  const { speech: support } = candidate.supports;
  if (support === undefined) throw new Error('a provider without speech was taken for one');
  const { protocol } = support;
  const { body, path } = protocol.writeRequest(request, candidate.deployment.upstreamId);
  const response = await askUpstream(attempt, { support, stream: true, body, path });
  return openBytes(response, {
    call,
    contentType: contentTypes[request.format],
    usage: usageOf(request, model),
    secret: candidate.secret,
    readComplaint: protocol.readComplaint,
  });
}

function usageOf({ input }: SpeechRequest, { prices }: Model): Usage {
  const characters = [...input].length;
  if (prices?.input === undefined && prices?.output === undefined) return { ...noUsage, characters };
  return {
    ...noUsage,
    characters,
    inputTokens: Math.ceil(characters / charactersPerInputToken),
    outputTokens: Math.ceil(characters * audioTokensPerCharacter),
    estimated: true,
  };
}
