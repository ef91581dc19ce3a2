/** Transcriptions at OpenAI and hosts that offer the same endpoint. */
import { complaintIn, readChatComplaint } from '../chat-completions/errors.ts';
import { asFilledText, asObject, asObjects, asText, asTokenCount } from '../json/fields.ts';
import { ComplaintError, UnreadableAnswerError } from '../translator.ts';
import { refuse } from '../turn/refuse.ts';
import type { TranscriptionAnswer, TranscriptionRequest, TranscriptionUpstream } from './transcription.ts';
import { readSecondsAsMs, readSpans, writeForm } from './wire.ts';

export interface OpenAiTranscriptionHost {
  /** Models that answer at length: with the duration, segments and words. The others give the text and what it cost. */
  readonly verboseModels: RegExp;
  /** Models that send the text as they write it down; the others pass over `stream`, or refuse it. */
  readonly streamingModels?: RegExp;
}

const whisperOnly: OpenAiTranscriptionHost = {
  verboseModels: /whisper/i,
  // https://platform.openai.com/docs/guides/speech-to-text, 2026-11: all but Whisper.
  streamingModels: /^gpt-.*transcribe/i,
};

export function openaiTranscription(host: OpenAiTranscriptionHost = whisperOnly): TranscriptionUpstream {
  return {
    name: 'openai',
    writeRequest: (request, model) => writeRequest(request, model, host),
    readAnswer: readOpenaiTranscription,
    readComplaint: readChatComplaint,
  };
}

function writeRequest(request: TranscriptionRequest, model: string, host: OpenAiTranscriptionHost) {
  const isVerbose = host.verboseModels.test(model);
  if (request.wordTimes && !isVerbose) throw refuse('times of words', 'timestamp_granularities');
  const streams = request.wantsEvents && host.streamingModels?.test(model) === true;
  const granularities = request.wordTimes ? ['segment', 'word'] : [];
  return writeForm(
    [
      ['model', model],
      ['language', request.language],
      ['prompt', request.prompt],
      ['temperature', request.temperature?.toString()],
      // Whatever the caller wants is written from it, so that what was transcribed can be counted. Plain JSON is what
      // everybody sends unasked, and some hosts do not know the field.
      ['response_format', isVerbose ? 'verbose_json' : undefined],
      ['stream', streams ? 'true' : undefined],
      ...granularities.map((name) => ['timestamp_granularities[]', name] as const),
    ],
    request.file,
  );
}

export function readOpenaiTranscription(json: unknown): TranscriptionAnswer {
  const complaint = complaintIn(json);
  if (complaint !== null) throw new ComplaintError(complaint);
  const body = asObject(json);
  const text = asText(body?.['text']);
  if (body === undefined || text === undefined) {
    throw new UnreadableAnswerError('a transcription without text');
  }
  const usage = asObject(body['usage']);
  const billedMs = readSecondsAsMs(usage?.['seconds']) ?? readSecondsAsMs(usage?.['prompt_audio_seconds']);
  return {
    text,
    // Newer models list what they heard.
    language: asFilledText(body['language']) ?? asFilledText(asObjects(body['languages'])[0]?.['code']),
    durationMs: readSecondsAsMs(body['duration']) ?? billedMs,
    billedMs: billedMs ?? undefined,
    segments: readSpans(body['segments'], 'text'),
    words: readSpans(body['words'], 'word'),
    tokens: readTokens(usage),
  };
}

/** OpenAI counts tokens or seconds and says which. */
function readTokens(usage: Readonly<Record<string, unknown>> | undefined): TranscriptionAnswer['tokens'] {
  const input = asTokenCount(usage?.['input_tokens'] ?? usage?.['prompt_tokens']);
  const output = asTokenCount(usage?.['output_tokens'] ?? usage?.['completion_tokens']);
  // Nothing is heard for no tokens: a zero is a host that does not count.
  if (!input || output === undefined) return null;
  const details = asObject(usage?.['input_token_details'] ?? usage?.['prompt_tokens_details']);
  return { input, audio: asTokenCount(details?.['audio_tokens']), output };
}
