/** The fields of a transcription request beside its file. */
import { z } from 'zod';
import { AppError, type FieldIssue } from '../../base/errors.ts';
import { asFieldIssues } from '../json/body.ts';
import { languageCodes } from './languages.ts';
import type { FormPart } from './multipart/form-reader.ts';
import { transcriptFormats } from './transcription.ts';

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

const lists: ReadonlySet<string> = new Set(['timestamp_granularities']);

/**
 * Empty fields count as left out, as web forms send those that nobody filled in. Unknown fields are passed over.
 * @throws AppError validation_failed with one entry a field, invalid_parameter for fields that contradict each other or
 *   ask for what is not offered.
 */
export function readFields(parts: readonly FormPart[]): TranscriptionFields {
  const values = collectValues(parts);
  const parsed = fieldsSchema.safeParse(values);
  if (!parsed.success) throw asFieldIssues(parsed.error, values);
  const { stream, timestamp_granularities: times, response_format: format } = parsed.data;
  if (stream === 'true') {
    throw cannotHave('stream', 'transcriptions are not streamed here; leave it out or send false');
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
    if (!Object.hasOwn(fieldsSchema.shape, field)) continue;
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
