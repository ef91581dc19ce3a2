/** What the wire forms of transcriptions share: the form that carries the file, and spans of text with their times. */

import { contentTypes } from '../audio-file/audio-file.ts';
import { asNumber, asObjects, asText } from '../json/fields.ts';
import type { AudioFile, SegmentScores, TranscriptionBody, TranscriptSegment } from './transcription.ts';

/** @param textField what the upstream calls the text. Pieces without times are passed over. */
export function readSpans(list: unknown, ...textFields: readonly string[]): readonly TranscriptSegment[] {
  return asObjects(list).flatMap((item) => {
    const startS = asNumber(item['start']);
    const endS = asNumber(item['end']);
    const text = textFields.map((field) => asText(item[field])).find((found) => found !== undefined);
    if (startS === undefined || endS === undefined || text === undefined) return [];
    const scores = readScores(item);
    return [{ startS, endS, text, ...(scores === undefined ? {} : { scores }) }];
  });
}

function readScores(item: Readonly<Record<string, unknown>>): SegmentScores | undefined {
  const temperature = asNumber(item['temperature']);
  const averageLogprob = asNumber(item['avg_logprob']);
  const compressionRatio = asNumber(item['compression_ratio']);
  const noSpeechProbability = asNumber(item['no_speech_prob']);
  if (temperature === undefined || averageLogprob === undefined) return undefined;
  if (compressionRatio === undefined || noSpeechProbability === undefined) return undefined;
  return { temperature, averageLogprob, compressionRatio, noSpeechProbability };
}

/** More than any upload holds: a length above it is a mistake of the host, and nobody is to pay for it. */
const longestMs = 100 * 3_600_000;

const decimal = /^\d{1,9}(?:\.\d{1,20})?$/;

/** Null when the upstream said nothing that can be a length; what lasts nothing it did not count. vLLM writes it as text. */
export function readSecondsAsMs(value: unknown): number | null {
  const told = typeof value === 'string' && decimal.test(value) ? Number(value) : asNumber(value);
  const ms = Math.round((told ?? 0) * 1000);
  return ms > 0 && ms <= longestMs ? ms : null;
}

/** @param fields names and values in order; undefined ones are left out. */
export function writeForm(
  fields: readonly (readonly [name: string, value: string | undefined])[],
  file: AudioFile,
): TranscriptionBody {
  // 122 random bits: no file has them by chance, and no caller can foresee them.
  const boundary = `sluice-${crypto.randomUUID()}`;
  let head = '';
  for (const [name, value] of fields) {
    if (value === undefined) continue;
    head += `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  }
  // The name's ending is what some upstreams go by.
  head += `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="audio.${file.container}"\r\n`;
  head += `Content-Type: ${contentTypes[file.container]}\r\n\r\n`;
  const encoder = new TextEncoder();
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    parts: [encoder.encode(head), file.bytes, encoder.encode(`\r\n--${boundary}--\r\n`)],
    query: '',
  };
}
