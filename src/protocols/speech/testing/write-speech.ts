/** What an upstream of speech is asked for a short text, or which field it refuses. */
import { AppError } from '../../../base/errors.ts';
import { readSpeechRequest } from '../request.ts';
import type { SpeechUpstream } from '../speech.ts';

const requestOf = (fields: object) =>
  readSpeechRequest(JSON.stringify({ model: 'x', input: 'Hello', ...fields }));

export function writeSpeech(upstream: SpeechUpstream, model: string, fields: object = {}) {
  const { path, body } = upstream.writeRequest(requestOf(fields), model);
  return { path, body: JSON.parse(body) };
}

/** Undefined when it is not refused. */
export function refusedParam(upstream: SpeechUpstream, model: string, fields: object): string | undefined {
  try {
    upstream.writeRequest(requestOf(fields), model);
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_parameter') return error.param;
    throw error;
  }
  return undefined;
}
