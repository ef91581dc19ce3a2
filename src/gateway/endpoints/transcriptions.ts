/** POST /v1/audio/transcriptions, and /v1/audio/translations, which writes down in English what was spoken. */
import { filledExtras, noUsage } from '../../base/token-usage.ts';
import { chatErrors } from '../../protocols/chat-completions/errors.ts';
import { tryParseJson } from '../../protocols/json/fields.ts';
import { countTextsFor } from '../../protocols/token-count/count-texts.ts';
import { guessTokens } from '../../protocols/token-count/guess-tokens.ts';
import { readTranscriptionRequest } from '../../protocols/transcription/request.ts';
import { TranscriptStream } from '../../protocols/transcription/transcript-stream.ts';
import type {
  TranscriptionAnswer,
  TranscriptionRequest,
  TranscriptionTask,
} from '../../protocols/transcription/transcription.ts';
import { writeTranscription } from '../../protocols/transcription/write-transcription.ts';
import { askUpstream, openStream, readAnswerText } from '../../upstream/index.ts';
import {
  type Asked,
  type Asking,
  inferenceScopes,
  type PaidEndpoint,
  type RequestBound,
  type Served,
} from '../endpoint.ts';
import { type ChargedUsage, UncountedUsage } from '../estimate.ts';

type Ask = TranscriptionRequest & Asked;
type Heard = Pick<TranscriptionAnswer, 'text' | 'billedMs' | 'durationMs' | 'tokens'>;

/** What OpenAI's own endpoint takes. */
const maxFileBytes = 25 * 1_048_576;
/** For sound whose length nobody knows: that of 64 kbit/s, which is low enough to seldom charge too little. */
const bytesPerSecond = 8000;
/** OpenAI's, whose models are those that are priced by the token. */
const audioTokensPerSecond = 10;
/** Fast speech: three words. */
const writtenTokensPerSecond = 4;

/** Where each task is done at a provider. */
const supportFor = { transcribe: 'transcription', translate: 'translation' } as const;

const endpointFor = (task: TranscriptionTask, path: string): PaidEndpoint<Ask> => ({
  kind: 'paid',
  method: 'POST',
  path,
  scopes: inferenceScopes,
  modelType: 'transcription',
  errors: chatErrors,
  async readRequest({ http, held }, { deadlines }) {
    const bounds = { maxFileBytes, deadlines, held };
    // Events too are waited for as whole answers are: not every provider has them, and most work through the file first.
    return { ...(await readTranscriptionRequest(http, bounds, task)), stream: false };
  },
  canServe: (supports) => supports[supportFor[task]] !== undefined,
  expectedTokens: ({ file }) =>
    Math.ceil((msOf(file) / 1000) * (audioTokensPerSecond + writtenTokensPerSecond)),
  mostUsage: ({ file, prompt }) => boundOf(mostMsOf(file), { prompt, paces: mostPaces }),
  countedUsage: ({ file, prompt }) => boundOf(msOf(file), { prompt, paces: usualPaces }),
  ask: transcribe,
});

export const transcriptions = endpointFor('transcribe', '/v1/audio/transcriptions');
export const translations = endpointFor('translate', '/v1/audio/translations');

async function transcribe(asking: Asking<Ask>): Promise<Served> {
  const { request, call } = asking;
  const support = call.candidate.supports[supportFor[request.task]];
  if (support === undefined) throw new Error('a provider without transcription was taken for one');
  const { protocol } = support;
  const { query, ...upload } = protocol.writeRequest(request, call.candidate.deployment.upstreamId);
  const path = query === '' ? '' : `?${query}`;
  asking.owes(() => usageOf(nothingHeard, asking));
  const response = await askUpstream(call, { support, stream: false, body: '', upload, path });
  if (
    request.wantsEvents &&
    response.headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true
  ) {
    const translator = new TranscriptStream();
    const stream = await openStream(response, { call, translator, readComplaint: protocol.readComplaint });
    return { kind: 'stream', stream, estimate: { of: () => usageOf(translator.answer, asking) } };
  }
  const answer = protocol.readAnswer(tryParseJson(await readAnswerText(response, call)));
  return { kind: 'whole', ...writeTranscription(answer, request), usage: usageOf(answer, asking) };
}

const msOf = ({ durationMs, bytes }: Ask['file']): number =>
  durationMs ?? Math.ceil((bytes.byteLength / bytesPerSecond) * 1000);

/** Hosts round up, to as many seconds at least. */
const leastBilledMs = 10_000;
const roundingMs = 1000;
/** Speech that is packed as tightly as it can be. */
const leastBytesPerSecond = 750;

/** Tokens a second of what is heard, and of what is written down of it. */
interface Paces {
  readonly heard: number;
  readonly written: number;
}

/** Gemini's tokens of sound, and a small vocabulary on fast speech with marks of time. */
const mostPaces: Paces = { heard: 32, written: 25 };
const usualPaces: Paces = { heard: audioTokensPerSecond, written: 2 * writtenTokensPerSecond };
/** What models are told beside the sound. */
const framingTokens = 200;

function mostMsOf({ durationMs, isDurationEstimated, bytes }: Ask['file']): number {
  if (durationMs === null) return Math.ceil(bytes.byteLength / leastBytesPerSecond) * 1000;
  return isDurationEstimated === true ? durationMs * 2 : durationMs;
}

function boundOf(
  heardMs: number,
  { prompt = '', paces }: { readonly prompt: Ask['prompt']; readonly paces: Paces },
): RequestBound {
  const audioMs = Math.max(leastBilledMs, Math.ceil(heardMs) + roundingMs);
  const tokensOf = (pace: number) => Math.ceil((audioMs / 1000) * pace);
  const audioInputTokens = tokensOf(paces.heard);
  return {
    usage: {
      inputTokens: audioInputTokens + Buffer.byteLength(prompt) + framingTokens,
      audioInputTokens,
      outputTokens: tokensOf(paces.written),
      audioMs,
    },
    answer: null,
  };
}

const nothingHeard: Heard = { text: '', durationMs: null, tokens: null };

/** The upstream's own count of seconds, else the container's; tokens that it did not count follow from them. */
function usageOf(answer: Heard, { request, prices, call }: Asking<Ask>): ChargedUsage {
  const { file } = request;
  const told = answer.billedMs ?? answer.durationMs;
  const ownMs = msOf(file);
  // No model makes more tokens of a second: a file that says that it is shorter than what was heard is not believed.
  const heardMs = Math.floor(((answer.tokens?.audio ?? 0) / mostPaces.heard) * 1000);
  const audioMs = told ?? Math.max(ownMs, heardMs);
  const isGuessed = heardMs > ownMs || file.durationMs === null || file.isDurationEstimated === true;
  const isEstimated = told === null && isGuessed;
  if (answer.tokens === null && (prices?.input || prices?.output)) {
    return countTokensOf(answer, { request, audioMs, upstreamId: call.candidate.deployment.upstreamId });
  }
  return {
    ...noUsage,
    inputTokens: answer.tokens?.input ?? 0,
    outputTokens: answer.tokens?.output ?? 0,
    audioMs,
    estimated: isEstimated,
    extras: filledExtras({ audio_input: answer.tokens?.audio }),
  };
}

/** What a model read or heard, and what it wrote, are counted apart. */
function countTokensOf(
  { text }: Heard,
  { request, audioMs, upstreamId }: { request: Ask; audioMs: number; upstreamId: string },
): UncountedUsage {
  const { prompt = '' } = request;
  const heard = Math.ceil((audioMs / 1000) * audioTokensPerSecond);
  const extras = filledExtras({ audio_input: heard });
  const usageOfCounts = (read: number, outputTokens: number) => {
    return { ...noUsage, inputTokens: heard + read, outputTokens, audioMs, estimated: true, extras };
  };
  return new UncountedUsage({
    count: async () =>
      usageOfCounts(await countTextsFor(upstreamId, [prompt]), await countTextsFor(upstreamId, [text])),
    guess: () => usageOfCounts(guessTokens(prompt), guessTokens(text)),
  });
}
