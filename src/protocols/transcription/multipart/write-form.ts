/** The form of a request to an upstream. The file is not copied into it. */
import { contentTypes } from '../../audio-file/audio-file.ts';
import type { AudioFile, TranscriptionBody } from '../transcription.ts';

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
