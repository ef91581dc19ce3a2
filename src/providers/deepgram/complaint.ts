/** Errors as Deepgram reports them, in the forms of its older and newer services. */
import { asFilledText, asObject, asText, tryParseJson } from '../../protocols/json/fields.ts';
import type { UpstreamComplaint } from '../../protocols/translator.ts';

export function readDeepgramComplaint(body: string): UpstreamComplaint | null {
  return deepgramComplaintIn(tryParseJson(body));
}

/** `{err_code, err_msg}` or `{category, message, details}`. */
export function deepgramComplaintIn(json: unknown): UpstreamComplaint | null {
  const body = asObject(json);
  const code = asFilledText(body?.['err_code']) ?? asFilledText(body?.['category']);
  if (body === undefined || code === undefined) return null;
  const details = asFilledText(body['details']);
  const message = asText(body['err_msg']) ?? asText(body['message']) ?? '';
  return {
    message: details === undefined ? message : `${message} ${details}`.trim(),
    code,
    type: null,
    param: null,
    status: null,
  };
}
