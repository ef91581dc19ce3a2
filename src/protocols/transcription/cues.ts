/** Subtitles: SubRip and WebVTT. */
import type { TranscriptSegment } from './transcription.ts';

export function writeSrt(cues: readonly TranscriptSegment[]): string {
  return cues
    .map((cue, index) => `${index + 1}\n${writeTimes(cue, ',')}\n${oneBlock(cue.text)}\n\n`)
    .join('');
}

export function writeVtt(cues: readonly TranscriptSegment[]): string {
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
