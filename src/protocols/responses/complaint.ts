/** Errors as Responses upstreams report them: as a body, as a response that failed, as an event. */
import { complaintIn } from '../chat-completions/errors.ts';
import { asFilledText, asObject, tryParseJson } from '../json/fields.ts';
import type { UpstreamComplaint } from '../translator.ts';

/** In a stream no status comes with an error; its code says which one it stands for. */
const statusByCode: Readonly<Record<string, number>> = {
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  slow_down: 429,
  server_error: 500,
  server_is_overloaded: 503,
  vector_store_timeout: 504,
  context_length_exceeded: 400,
  content_filter: 400,
  invalid_prompt: 400,
};

/** What an error body says; null when it is not one. */
export function readResponsesComplaint(body: string): UpstreamComplaint | null {
  return responsesComplaintIn(tryParseJson(body));
}

/** Also of a whole response, and of the events `error` and `response.failed`. */
export function responsesComplaintIn(value: unknown): UpstreamComplaint | null {
  const body = asObject(value);
  const complaint =
    body === undefined
      ? complaintIn(value)
      : (complaintIn(body) ?? complaintIn(asObject(body['response'])) ?? eventComplaint(body));
  if (complaint === null || complaint.status !== null) return complaint;
  return { ...complaint, status: statusByCode[complaint.code ?? complaint.type ?? ''] ?? null };
}

/** The published shape of the event has its fields side by side; the one that is sent mostly nests them. */
function eventComplaint(event: Readonly<Record<string, unknown>>): UpstreamComplaint | null {
  if (event['type'] !== 'error') return null;
  return {
    message: asFilledText(event['message']) ?? '',
    code: asFilledText(event['code']) ?? null,
    type: null,
    param: asFilledText(event['param']) ?? null,
    status: null,
  };
}
