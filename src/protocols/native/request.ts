/** Native requests: what the endpoint promises to check, in the order and words of the service behind it. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { asFieldIssues, parseJsonObject } from '../json/body.ts';
import { refuseBackground } from '../responses/refuse-background.ts';
import type { InferenceRequest } from '../translator.ts';

const nativeRequestSchema = z.looseObject({ model: z.string().min(1).max(256) });

/**
 * @throws AppError malformed_json when the text is not a JSON object, invalid_parameter for an input or a stream that
 *   cannot be, validation_failed without a model.
 */
export function readNativeRequest(text: string): InferenceRequest {
  const json = parseJsonObject(text);
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
