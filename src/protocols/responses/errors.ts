/** Errors of responses: as clients are shown them, and as upstreams report them in a body, a failed response or an event. */
import type { AppError, ErrorCode } from '../../base/errors.ts';
import { chatErrors, complaintIn, complaintOf } from '../chat-completions/errors.ts';
import { asObject, type JsonObject, tryParseJson } from '../json/fields.ts';
import type { ErrorWriter, UpstreamComplaint } from '../translator.ts';
import type { StreamPosition } from '../turn/events.ts';
import { ResponseFrames } from './item-place.ts';

/** The protocol's own words for why a response failed; the others are faults of the server. */
const failures: Partial<Record<ErrorCode, string>> = {
  context_length_exceeded: 'context_length_exceeded',
  content_filtered: 'invalid_prompt',
  upstream_refused_request: 'invalid_prompt',
  insufficient_funds: 'insufficient_quota',
  budget_exceeded: 'insufficient_quota',
  rate_limited: 'rate_limit_exceeded',
  upstream_rate_limited: 'rate_limit_exceeded',
};

/** Official clients throw at the first event and read no further; others wait for a response that failed. */
function writeFrames(error: AppError, requestId: string, position?: StreamPosition): string {
  const { code, message, param = null } = error;
  const frames = new ResponseFrames(position?.nextNumber);
  const plain = JSON.stringify({ code, message, param });
  const nested = chatErrors.writeBody(error, requestId);
  const response = {
    id: position?.id ?? `resp_${requestId}`,
    object: 'response',
    status: 'failed',
    error: { code: failures[code] ?? 'server_error', message },
    incomplete_details: null,
    output: [],
    usage: null,
  };
  return (
    frames.write('error', `${plain.slice(1, -1)},${nested.slice(1, -1)}`) +
    frames.write('response.failed', `"response":${JSON.stringify(response)}`)
  );
}

export const responsesErrors: ErrorWriter = { writeBody: chatErrors.writeBody, writeFrames };

/** What an error body says; null when it is not one. */
export function readResponsesComplaint(body: string): UpstreamComplaint | null {
  return responsesComplaintIn(tryParseJson(body));
}

/** Also of a whole response, and of the events `error` and `response.failed`. */
export function responsesComplaintIn(value: unknown): UpstreamComplaint | null {
  const body = asObject(value);
  if (body === undefined) return complaintIn(value);
  return complaintIn(body) ?? complaintIn(asObject(body['response'])) ?? eventComplaint(body);
}

/** The published shape of the event has its fields side by side; the one that is sent mostly nests them. */
function eventComplaint(event: JsonObject): UpstreamComplaint | null {
  return event['type'] === 'error' ? { ...complaintOf(event), type: null } : null;
}
