/** Answers to transcription requests, in the five formats that a caller can ask for. */
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
  if (request.wantsEvents)
    return { contentType: 'text/event-stream; charset=utf-8', body: writeEvents(answer) };
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

/** As OpenAI streams a transcription; of an upstream that gave it whole there is one piece. */
function writeEvents({ text, tokens }: TranscriptionAnswer): string {
  const usage =
    tokens === null
      ? {}
      : {
          usage: {
            type: 'tokens',
            input_tokens: tokens.input,
            output_tokens: tokens.output,
            total_tokens: tokens.input + tokens.output,
          },
        };
  const events = [
    ...(text === '' ? [] : [{ type: 'transcript.text.delta', delta: text }]),
    { type: 'transcript.text.done', text, ...usage },
  ];
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

function writeVerbose(answer: TranscriptionAnswer, request: TranscriptionRequest): object {
  const isTranslated = request.task === 'translate';
  const language = isTranslated ? 'english' : (answer.language ?? request.language);
  const durationS = durationOf(answer, request);
  const { segments, words } = answer;
  return {
    task: request.task,
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

function writeSrt(cues: readonly TranscriptSegment[]): string {
  return cues
    .map((cue, index) => `${index + 1}\n${writeTimes(cue, ',')}\n${oneBlock(cue.text)}\n\n`)
    .join('');
}

function writeVtt(cues: readonly TranscriptSegment[]): string {
  return `WEBVTT\n\n${cues.map((cue) => `${writeTimes(cue, '.')}\n${writeEscaped(oneBlock(cue.text))}\n\n`).join('')}`;
}

function writeTimes({ startS, endS }: TranscriptSegment, point: string): string {
  return `${writeTime(startS, point)} --> ${writeTime(endS, point)}`;
}

function writeTime(seconds: number, point: string): string {
  const ms = Math.max(0, Math.round(seconds * 1000));
  const pad = (value: number, width: number) => String(Math.floor(value)).padStart(width, '0');
  const clock = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60].map((value) => pad(value, 2));
  return `${clock.join(':')}${point}${pad(ms % 1000, 3)}`;
}

/** An empty line would end the cue, and an arrow would be taken for its times. */
function oneBlock(text: string): string {
  return text
    .trim()
    .replace(/\s*[\r\n]\s*/g, '\n')
    .replaceAll('-->', '->');
}

function writeEscaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
