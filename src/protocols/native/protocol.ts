/** The native protocol: responses as the service behind it speaks them; a request is checked and not written anew. */

import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { asFieldIssues, parseRequestObject } from '../json/body.ts';
import type { PassingProtocol } from '../protocol.ts';
import { responsesErrors } from '../responses/errors.ts';
import { responsesPassthrough } from '../responses/passthrough.ts';
import { responsesUpstream } from '../responses/protocol.ts';
import { refuseBackground } from '../responses/request.ts';
import type { ErrorWriter, InferenceRequest, Translator } from '../translator.ts';

const name = 'native';

const nativePassthrough: Translator = { ...responsesPassthrough, writeRequest: ({ text }) => text };

export const nativeUpstream: PassingProtocol = {
  ...responsesUpstream,
  name,
  passthrough: nativePassthrough,
};

const nativeRequestSchema = z.looseObject({ model: z.string().min(1).max(256) });

/**
 * @throws AppError malformed_json when the text is not a JSON object, invalid_parameter for an input or a stream that
 *   cannot be, validation_failed without a model.
 */
export function readNativeRequest(text: string): InferenceRequest {
  const json = parseRequestObject(text);
  if (!Array.isArray(json['input'])) {
    throw new AppError({ code: 'invalid_parameter', public: 'Input must be a list', param: 'input' });
  }
  if (json['stream'] !== true) {
    throw new AppError({ code: 'invalid_parameter', public: 'Stream must be set to true', param: 'stream' });
  }
  refuseBackground(json);
  const parsed = nativeRequestSchema.safeParse(json);
  if (!parsed.success) throw asFieldIssues(parsed.error, json);
  return { text, json, model: parsed.data.model, stream: true, wantsStreamUsage: true };
}

export const nativeErrors: ErrorWriter = {
  writeBody: (error) => JSON.stringify({ detail: error.message, ...error.members }),
  writeFrames: responsesErrors.writeFrames,
};
