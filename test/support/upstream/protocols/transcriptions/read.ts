/** Reads a request to transcribe and refuses what the real host would refuse. */
import { refuse } from '../openai-refusal.ts';
import type { ProtocolRequest } from '../protocol.ts';
import { Refusal } from '../refusal.ts';
import { type FormPart, readForm } from './read-form.ts';

export interface TranscriptionRequest {
  readonly model: string;
  readonly format: string;
  readonly language: string | undefined;
  readonly wordTimes: boolean;
  readonly segmentTimes: boolean;
  readonly durationS: number;
}

const knownFields = [
  ...['file', 'model', 'language', 'prompt', 'response_format', 'temperature', 'stream'],
  ...['timestamp_granularities[]', 'include[]', 'chunking_strategy'],
];
const formats = ['json', 'text', 'srt', 'verbose_json', 'vtt'];
const endings = ['flac', 'mp3', 'mp4', 'mpeg', 'mpga', 'm4a', 'ogg', 'wav', 'webm'];
const mostBytes = 25 * 1024 * 1024;
/** Of sound whose length the double cannot read. */
const bytesOfOneSecond = 16_000;

export function readTranscription({ headers, bytes }: ProtocolRequest): TranscriptionRequest {
  const parts = readForm(headers['content-type'] ?? '', bytes);
  if (parts === undefined) throw refuse('The body is no multipart form.');
  const stranger = parts.find((part) => !knownFields.includes(part.name));
  if (stranger !== undefined) throw refuse(`There is no argument ${stranger.name}.`, stranger.name);
  const text = (name: string) => parts.find((part) => part.name === name)?.bytes.toString();
  const model = text('model');
  if (!model) throw refuse('No model is named.', 'model');
  const file = readFile(parts);
  const format = text('response_format') ?? 'json';
  if (!formats.includes(format) || (isTokenModel(model) && format !== 'json' && format !== 'text')) {
    throw refuse(`response_format ${format} is none that ${model} can write.`, 'response_format');
  }
  const times = parts
    .filter((part) => part.name === 'timestamp_granularities[]')
    .map((part) => String(part.bytes));
  if (times.length > 0 && format !== 'verbose_json') {
    throw refuse('timestamp_granularities need verbose_json.', 'timestamp_granularities');
  }
  const language = text('language');
  if (language !== undefined && !/^[a-z]{2,3}$/.test(language)) {
    throw refuse(`language ${language} is no code of a language.`, 'language');
  }
  return {
    model,
    format,
    language,
    wordTimes: times.includes('word'),
    segmentTimes: times.length === 0 || times.includes('segment'),
    durationS: durationOf(file),
  };
}

/** Models that bill tokens instead of time. */
export function isTokenModel(model: string): boolean {
  return model.startsWith('gpt-');
}

function readFile(parts: readonly FormPart[]): Buffer {
  const file = parts.find((part) => part.name === 'file');
  if (file?.fileName === undefined || file.bytes.length === 0) throw refuse('There is no file.', 'file');
  const ending = file.fileName.split('.').at(-1)?.toLowerCase() ?? '';
  if (!endings.includes(ending)) throw refuse(`The file ${file.fileName} is of no known kind.`, 'file');
  if (file.bytes.length <= mostBytes) return file.bytes;
  const message = `The file has more than ${mostBytes} bytes.`;
  throw new Refusal({ status: 413, message, type: 'invalid_request_error', code: null });
}

function durationOf(file: Buffer): number {
  const isWave = file.toString('latin1', 0, 4) === 'RIFF' && file.length >= 44;
  const bytesPerSecond = isWave ? file.readUInt32LE(28) : bytesOfOneSecond;
  return (file.length - (isWave ? 44 : 0)) / Math.max(1, bytesPerSecond);
}
