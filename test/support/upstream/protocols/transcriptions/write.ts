/** Writes a made-up transcript in the format that was asked for. */
import type { Usage } from '../../usage.ts';
import { isTokenModel, type TranscriptionRequest } from './read.ts';

export interface Transcript {
  readonly contentType: string;
  readonly text: string;
}

export function writeTranscript(
  request: TranscriptionRequest,
  words: readonly string[],
  usage: Usage | undefined,
): Transcript {
  const said = words.join('');
  const end = request.durationS;
  switch (request.format) {
    case 'text':
      return { contentType: 'text/plain; charset=utf-8', text: `${said}\n` };
    case 'srt':
      return { contentType: 'text/plain; charset=utf-8', text: `1\n${span(end, ',')}\n${said}\n\n\n` };
    case 'vtt':
      return { contentType: 'text/plain; charset=utf-8', text: `WEBVTT\n\n${span(end, '.')}\n${said}\n\n` };
    default: {
      const details = request.format === 'verbose_json' ? verboseFields(request, words) : {};
      const answer = { ...details, text: said, ...usageMember(request, usage) };
      return { contentType: 'application/json', text: JSON.stringify(answer) };
    }
  }
}

function usageMember(request: TranscriptionRequest, usage: Usage | undefined): object {
  if (usage === undefined) return {};
  if (!isTokenModel(request.model)) {
    return { usage: { type: 'duration', seconds: Math.ceil(request.durationS) } };
  }
  const { promptTokens, completionTokens } = usage;
  return {
    usage: {
      type: 'tokens',
      input_tokens: promptTokens,
      input_token_details: { text_tokens: 0, audio_tokens: promptTokens },
      output_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  };
}

function verboseFields(request: TranscriptionRequest, words: readonly string[]): object {
  const { durationS: duration, wordTimes, segmentTimes } = request;
  const step = duration / Math.max(1, words.length);
  const segment = {
    id: 0,
    seek: 0,
    start: 0,
    end: duration,
    text: words.join(''),
    tokens: words.map((_, index) => index),
    temperature: 0,
    avg_logprob: -0.25,
    compression_ratio: 1,
    no_speech_prob: 0.01,
  };
  return {
    task: 'transcribe',
    language: request.language ?? 'english',
    duration,
    ...(segmentTimes && { segments: [segment] }),
    ...(wordTimes && {
      words: words.map((word, index) => ({
        word: word.trim(),
        start: index * step,
        end: (index + 1) * step,
      })),
    }),
  };
}

function span(endS: number, point: ',' | '.'): string {
  return `00:00:00${point}000 --> ${clock(endS, point)}`;
}

function clock(seconds: number, point: ',' | '.'): string {
  const ms = Math.round(seconds * 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const rest = String(ms % 1000).padStart(3, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${point}${rest}`;
}
