/** Transcription requests: a form with an audio file, checked while it arrives. */

import { z } from 'zod';
import type { HeldBytes } from '../../base/byte-budget.ts';
import type { Deadlines } from '../../base/deadlines.ts';
import { AppError, type FieldIssue } from '../../base/errors.ts';
import { readDuration, recognizeContainer } from '../audio-file/audio-file.ts';
import { asFieldIssues, withoutCase } from '../json/body.ts';
import type { FormPart } from './form-reader.ts';
import { receiveForm } from './receive-form.ts';
import {
  type AudioFile,
  type TranscriptionRequest,
  type TranscriptionTask,
  transcriptFormats,
} from './transcription.ts';

export interface TranscriptionBounds {
  readonly maxFileBytes: number;
  readonly deadlines: Deadlines;
  /** Takes what arrives. */
  readonly held: HeldBytes;
}

const fileField = 'file';

/**
 * @throws AppError unsupported_content_type, malformed_request, body_too_large before the upload ends, request_timeout,
 *   server_busy,
 *   validation_failed with one entry a field, invalid_parameter for audio that is in none of the six containers.
 */
export async function readTranscriptionRequest(
  http: Request,
  bounds: TranscriptionBounds,
  task: TranscriptionTask = 'transcribe',
): Promise<TranscriptionRequest> {
  const parts = await receiveForm(http, { ...bounds, fileField });
  const file = readFile(parts);
  const fields = readFields(parts);
  if (task === 'translate' && fields.stream === 'true') {
    throw cannotHave('stream', 'translations are not streamed; leave it out or send false');
  }
  return {
    task,
    model: fields.model ?? null,
    file,
    // The language of a translation is English; that of the sound is heard.
    language: task === 'translate' ? undefined : fields.language,
    prompt: fields.prompt,
    temperature: fields.temperature,
    format: fields.response_format,
    wordTimes: fields.timestamp_granularities?.includes('word') === true,
    wantsEvents: fields.stream === 'true',
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

const granularities = ['segment', 'word'] as const;
const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i;

const fieldsSchema = z.object({
  model: z.string().max(256).optional(),
  language: z
    .string()
    .transform((code) => code.toLowerCase())
    .refine((code) => languageCodes.has(code), 'must be a two-letter ISO-639-1 code, such as en')
    .optional(),
  prompt: z.string().max(32_768).optional(),
  response_format: z.enum(transcriptFormats).default('json'),
  temperature: z
    .string()
    .refine((text) => decimal.test(text.trim()), 'must be a number from 0 to 1')
    .transform(Number)
    .pipe(z.number().min(0).max(1))
    .optional(),
  timestamp_granularities: z.array(z.enum(granularities)).optional(),
  stream: z.enum(['true', 'false'], 'must be true or false').optional(),
});

export type TranscriptionFields = z.output<typeof fieldsSchema>;

const fieldNames = Object.keys(fieldsSchema.shape);
const lists: ReadonlySet<string> = new Set(['timestamp_granularities']);

/**
 * Empty fields count as left out, as web forms send those that nobody filled in. Unknown fields are passed over.
 * @throws AppError validation_failed with one entry a field, invalid_parameter for fields that contradict each other or
 *   ask for what is not offered.
 */
function readFields(parts: readonly FormPart[]): TranscriptionFields {
  const values = collectValues(parts);
  const parsed = fieldsSchema.safeParse(values);
  if (!parsed.success) throw asFieldIssues(parsed.error, values);
  const { stream, timestamp_granularities: times, response_format: format } = parsed.data;
  if (stream === 'true' && format !== 'json' && format !== 'text') {
    throw cannotHave('stream', `a stream has text alone; leave it out, or response_format ${format}`);
  }
  if (times !== undefined && format !== 'verbose_json') {
    throw cannotHave('timestamp_granularities', 'is only allowed when response_format is verbose_json');
  }
  return parsed.data;
}

function collectValues(parts: readonly FormPart[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const texts = new Map<string, string[]>();
  for (const { name, hasFileName, bytes } of parts) {
    // Lists are named with brackets by some clients and without by others.
    const field = name.replace(/\[\d*\]$/, '');
    if (!Object.hasOwn(fieldsSchema.shape, field)) {
      const meant = fieldNames.find((name) => withoutCase(name) === withoutCase(field));
      if (meant !== undefined)
        throw misplaced(field.slice(0, 100), `differs from ${meant} by case alone; write ${meant}`);
      continue;
    }
    if (hasFileName) throw misplaced(field, 'is text; only file may be a file');
    const text = decode(field, bytes);
    if (text !== '') texts.set(field, [...(texts.get(field) ?? []), text]);
  }
  for (const [field, [first, ...others]] of texts) {
    if (lists.has(field)) values[field] = [first, ...others];
    else if (others.length > 0) throw misplaced(field, 'is given more than once');
    else values[field] = first;
  }
  return values;
}

function decode(field: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw misplaced(field, 'must be text in UTF-8');
  }
}

function misplaced(field: string, msg: string): AppError {
  const issue: FieldIssue = { loc: [field], msg, type: 'invalid_field' };
  return new AppError({
    code: 'validation_failed',
    public: `${field}: ${msg}`,
    param: field,
    fields: [issue],
  });
}

function cannotHave(param: string, reason: string): AppError {
  return new AppError({ code: 'invalid_parameter', public: `${param}: ${reason}.`, param });
}

const codes = `
aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et
eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk
kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny
oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk
tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
`;

/** In lower case. */
const languageCodes: ReadonlySet<string> = new Set(codes.trim().split(/\s+/));
