/** Answers to transcription requests, in the five formats that a caller can ask for. */
import { writeSrt, writeVtt } from './cues.ts';
import type { TranscriptionAnswer, TranscriptionRequest, TranscriptSegment } from './transcription.ts';

export interface WrittenTranscription {
  readonly contentType: string;
  readonly body: string;
}

const plainText = 'text/plain; charset=utf-8';

/** Up to the end, wherever that is. */
const endlessS = 360_000 - 0.001;

export function writeTranscription(
  answer: TranscriptionAnswer,
  request: TranscriptionRequest,
): WrittenTranscription {
  switch (request.format) {
    case 'json':
      return { contentType: 'application/json', body: JSON.stringify({ text: answer.text }) };
    case 'verbose_json':
      return { contentType: 'application/json', body: JSON.stringify(writeVerbose(answer, request)) };
    case 'text':
      return { contentType: plainText, body: `${answer.text.trim()}\n` };
    case 'srt':
      return { contentType: plainText, body: writeSrt(cuesOf(answer, request)) };
    case 'vtt':
      return { contentType: plainText, body: writeVtt(cuesOf(answer, request)) };
  }
}

function writeVerbose(answer: TranscriptionAnswer, request: TranscriptionRequest): object {
  const language = answer.language ?? request.language;
  const durationS = durationOf(answer, request);
  const { segments, words } = answer;
  return {
    task: 'transcribe',
    ...(language === undefined ? {} : { language }),
    ...(durationS === undefined ? {} : { duration: durationS }),
    text: answer.text,
    segments: segments.map(writeSegment),
    ...(request.wordTimes
      ? { words: words.map(({ text, startS, endS }) => ({ word: text, start: startS, end: endS })) }
      : {}),
  };
}

function writeSegment({ startS, endS, text, scores }: TranscriptSegment, id: number): object {
  return {
    id,
    start: startS,
    end: endS,
    text,
    ...(scores === undefined
      ? {}
      : {
          temperature: scores.temperature,
          avg_logprob: scores.averageLogprob,
          compression_ratio: scores.compressionRatio,
          no_speech_prob: scores.noSpeechProbability,
        }),
  };
}

/** One over the whole where the upstream gave no segments; none where nothing was said. */
function cuesOf(answer: TranscriptionAnswer, request: TranscriptionRequest): readonly TranscriptSegment[] {
  if (answer.segments.length > 0) return answer.segments;
  if (answer.text.trim() === '') return [];
  return [{ startS: 0, endS: durationOf(answer, request) ?? endlessS, text: answer.text }];
}

function durationOf(answer: TranscriptionAnswer, { file }: TranscriptionRequest): number | undefined {
  const durationMs = answer.durationMs ?? file.durationMs;
  // A file without any sound has nothing to show a duration of.
  if (durationMs !== null && durationMs > 0) return durationMs / 1000;
  return answer.words.at(-1)?.endS ?? answer.segments.at(-1)?.endS;
}
