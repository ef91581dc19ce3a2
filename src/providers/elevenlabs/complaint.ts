/** Errors as ElevenLabs reports them. */
import { asFilledText, asObject, asObjects, asText, tryParseJson } from '../../protocols/json/fields.ts';
import type { UpstreamComplaint } from '../../protocols/translator.ts';

export function readElevenlabsComplaint(body: string): UpstreamComplaint | null {
  return elevenlabsComplaintIn(tryParseJson(body));
}

/** `{detail: {status, message}}`, newer `{detail: {type, code, message, param}}`, a sentence, or a list of fields. */
export function elevenlabsComplaintIn(json: unknown): UpstreamComplaint | null {
  const detail = asObject(json)?.['detail'];
  if (typeof detail === 'string') return complaint({ message: detail });
  const [issue] = asObjects(detail);
  if (issue !== undefined) {
    const place = Array.isArray(issue['loc']) ? issue['loc'].slice(1).join('.') : '';
    return complaint({ message: asText(issue['msg']), type: issue['type'], param: place });
  }
  const fields = asObject(detail);
  if (fields === undefined) return null;
  return complaint({
    message: asText(fields['message']),
    code: fields['code'] ?? fields['status'],
    type: fields['type'],
    param: fields['param'],
  });
}

function complaint(fields: {
  readonly message: string | undefined;
  readonly code?: unknown;
  readonly type?: unknown;
  readonly param?: unknown;
}): UpstreamComplaint {
  return {
    message: fields.message ?? '',
    code: asFilledText(fields.code) ?? null,
    type: asFilledText(fields.type) ?? null,
    param: asFilledText(fields.param) ?? null,
    status: null,
  };
}
