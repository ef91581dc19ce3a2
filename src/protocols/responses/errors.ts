/** Errors as Responses clients expect them: in a body as in chat completions, in a stream as events. */
import type { AppError, ErrorCode } from '../../base/errors.ts';
import { chatErrors } from '../chat-completions/errors.ts';
import type { ErrorWriter } from '../translator.ts';
import { ResponseFrames } from './frames.ts';

/** The protocol's own words for why a response failed; the others are faults of the server. */
const failures: Partial<Record<ErrorCode, string>> = {
  context_length_exceeded: 'context_length_exceeded',
  content_filtered: 'invalid_prompt',
  upstream_refused_request: 'invalid_prompt',
  insufficient_funds: 'insufficient_quota',
  rate_limited: 'rate_limit_exceeded',
  upstream_rate_limited: 'rate_limit_exceeded',
};

/** Official clients throw at the first event and read no further; others wait for a response that failed. */
function writeFrames(error: AppError, requestId: string): string {
  const { code, message, param = null } = error;
  const frames = new ResponseFrames();
  const plain = JSON.stringify({ code, message, param });
  const nested = chatErrors.writeBody(error, requestId);
  const response = {
    id: `resp_${requestId}`,
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
