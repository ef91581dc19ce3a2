/** Errors as Bedrock tells them: the kind in a header, the words in the body. */
import type { FrameEvent } from '../../reply.ts';
import type { Problem } from '../protocol.ts';
import { Refusal } from '../refusal.ts';

const kindsByStatus: Readonly<Record<number, string>> = {
  401: 'UnrecognizedClientException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
  503: 'ServiceUnavailableException',
};

export function writeProblem({ message }: Problem): string {
  return JSON.stringify({ message });
}

export function problemHeaders(problem: Problem): Readonly<Record<string, string>> {
  return { 'x-amzn-errortype': kindOf(problem) };
}

/** An exception of the service; or an error of the stream itself, which has no body. */
export function writeProblemEvent(problem: Problem, ofStream: boolean): FrameEvent {
  const kind = kindOf(problem);
  const headers = ofStream
    ? { ':message-type': 'error', ':error-code': kind, ':error-message': problem.message }
    : {
        ':message-type': 'exception',
        ':exception-type': kind.charAt(0).toLowerCase() + kind.slice(1),
        ':content-type': 'application/json',
      };
  const payload = Buffer.from(ofStream ? '' : writeProblem(problem));
  return { message: { headers, payload }, tokens: 0, usage: undefined };
}

function kindOf({ status }: Problem): string {
  return kindsByStatus[status] ?? (status >= 500 ? 'InternalServerException' : 'ValidationException');
}

export function refuse(message: string): Refusal {
  return new Refusal({ status: 400, message, type: 'invalid_request_error', code: null });
}
