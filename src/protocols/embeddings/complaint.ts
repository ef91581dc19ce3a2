/** Errors as upstreams of embeddings and reranking report them, which is more freely than those of chat. */
import { complaintIn } from '../chat-completions/errors.ts';
import { asFilledText, asNumber, asObjects, isJsonObject, tryParseJson } from '../json/fields.ts';
import { ComplaintError, UnreadableAnswerError, type UpstreamComplaint } from '../translator.ts';

/** What an error body says; null when it is not one. */
export function readVectorComplaint(body: string): UpstreamComplaint | null {
  return vectorComplaintIn(tryParseJson(body));
}

/** The error for an answer without what was asked for: the complaint that it is instead, if it is one. */
export function notAnAnswer(json: unknown, reason: string): Error {
  const complaint = vectorComplaintIn(json);
  return complaint === null ? new UnreadableAnswerError(reason) : new ComplaintError(complaint);
}

/**
 * The forms of chat completions; those of TEI's own paths, `{error: "…", error_type}`; bare ones,
 * `{message, code, type}` (Cohere, TEI's OpenAI-compatible path); lists of fields, `{detail: [{loc, msg}]}` (FastAPI).
 */
function vectorComplaintIn(json: unknown): UpstreamComplaint | null {
  const complaint = complaintIn(json);
  if (!isJsonObject(json)) return complaint;
  const kind = asFilledText(json['error_type']);
  if (complaint !== null) return { ...complaint, type: complaint.type ?? kind ?? null };
  if (Array.isArray(json['detail'])) return fieldsComplaint(json['detail']);
  const message = asFilledText(json['message']);
  return message === undefined ? null : bareComplaint(json, message);
}

function bareComplaint(json: Readonly<Record<string, unknown>>, message: string): UpstreamComplaint {
  const code = asNumber(json['code']) ?? asNumber(json['status']);
  return {
    message,
    code: asFilledText(json['code']) ?? null,
    type: asFilledText(json['type']) ?? null,
    param: null,
    status: code !== undefined && code >= 400 && code <= 599 ? code : null,
  };
}

function fieldsComplaint(detail: unknown): UpstreamComplaint | null {
  const fields = asObjects(detail).flatMap((field) => {
    const message = asFilledText(field['msg']);
    if (message === undefined) return [];
    const place = Array.isArray(field['loc']) ? field['loc'].filter((step) => step !== 'body').join('.') : '';
    return [
      { place, text: place === '' ? message : `${place}: ${message}`, type: asFilledText(field['type']) },
    ];
  });
  const [first] = fields;
  if (first === undefined) return null;
  return {
    message: fields.map(({ text }) => text).join('; '),
    code: null,
    type: first.type ?? null,
    param: first.place === '' ? null : first.place,
    status: null,
  };
}
