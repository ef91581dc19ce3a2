/** Transcription requests: a form with an audio file, checked while it arrives. */
import type { Deadlines } from '../../base/deadlines.ts';
import { AppError } from '../../base/errors.ts';
import { readDuration, recognizeContainer } from '../audio-file/audio-file.ts';
import { readFields } from './form-fields.ts';
import type { FormPart } from './multipart/form-reader.ts';
import { receiveForm } from './multipart/receive-form.ts';
import type { AudioFile, TranscriptionRequest } from './transcription.ts';

export interface TranscriptionBounds {
  readonly maxFileBytes: number;
  /** For the whole upload to arrive. */
  readonly timeoutMs: number;
  readonly deadlines: Deadlines;
}

const fileField = 'file';

/**
 * @throws AppError unsupported_content_type, malformed_request, body_too_large before the upload ends, request_timeout,
 *   validation_failed with one entry a field, invalid_parameter for audio that is in none of the six containers.
 */
export async function readTranscriptionRequest(
  http: Request,
  bounds: TranscriptionBounds,
): Promise<TranscriptionRequest> {
  const parts = await receiveForm(http, { ...bounds, fileField });
  const file = readFile(parts);
  const fields = readFields(parts);
  return {
    model: fields.model ?? null,
    file,
    language: fields.language,
    prompt: fields.prompt,
    temperature: fields.temperature,
    format: fields.response_format,
    wordTimes: fields.timestamp_granularities?.includes('word') === true,
  };
}

function readFile(parts: readonly FormPart[]): AudioFile {
  const stray = parts.find(({ name, hasFileName }) => hasFileName && name !== fileField);
  if (stray !== undefined) {
    throw refused(stray.name.slice(0, 100), 'is no field for a file; the audio belongs into the field file');
  }
  const [file, second] = parts.filter(({ name }) => name === fileField);
  if (file === undefined) {
    const issue = { loc: [fileField], msg: 'is required', type: 'missing' };
    throw new AppError({
      code: 'validation_failed',
      public: 'file: is required',
      param: fileField,
      fields: [issue],
    });
  }
  if (second !== undefined) throw refused(fileField, 'is given more than once; send one file a request');
  if (file.bytes.byteLength === 0) throw refused(fileField, 'is empty');
  const container = recognizeContainer(file.bytes);
  if (container === null) {
    throw refused(fileField, 'is no audio that is taken here: WAV, MP3, M4A, FLAC, OGG and WebM are');
  }
  const duration = readDuration(file.bytes, container);
  return {
    bytes: file.bytes,
    container,
    durationMs: duration?.ms ?? null,
    isDurationEstimated: duration?.isEstimated,
  };
}

function refused(param: string, reason: string): AppError {
  return new AppError({ code: 'invalid_parameter', public: `${param}: ${reason}.`, param });
}
