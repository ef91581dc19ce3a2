/** Faults that are an error answer: each is a problem the protocol words in its own shape. */
import type { Problem, Protocol } from '../protocols/protocol.ts';
import { type Reply, wholeReply } from '../reply.ts';
import { type FaultContext, type RefusalFault, type StatusFaultName, statusByFault } from './fault.ts';

export function refuse(fault: RefusalFault, protocol: Protocol, context: FaultContext): Reply {
  const problem = problemOf(fault, context);
  const status = fault.name === 'error_in_200' ? 200 : problem.status;
  const text = protocol.writeProblem(problem);
  const reply = wholeReply(status, 'application/json', { text, tokens: 0, usage: undefined });
  const retryAfter = 'retryAfter' in fault ? fault.retryAfter : undefined;
  return {
    ...reply,
    headers: {
      ...reply.headers,
      ...protocol.problemHeaders?.(problem),
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    },
  };
}

function problemOf(fault: RefusalFault, context: FaultContext): Problem {
  switch (fault.name) {
    case 'rate_limited':
      return {
        status: 429,
        // Real hosts name the account here: a gateway must not hand it on.
        message: `Organisation org-double-account has used up its requests for ${context.model}.`,
        type: 'requests',
        code: 'rate_limit_exceeded',
      };
    case 'content_filter':
      return {
        status: 400,
        message: 'The content policy refuses this prompt.',
        type: 'invalid_request_error',
        code: 'content_filter',
        param: 'prompt',
        details: {
          innererror: {
            code: 'ResponsibleAIPolicyViolation',
            content_filter_result: { violence: { filtered: true, severity: 'high' } },
          },
        },
      };
    case 'context_overflow':
      return {
        status: 400,
        message: `The messages are longer than the 8192 tokens that ${context.model} can read.`,
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
        param: 'messages',
      };
    case 'wrong_model':
      return {
        status: 404,
        message: `This account has no model named ${context.model}.`,
        type: 'invalid_request_error',
        code: 'model_not_found',
        param: 'model',
      };
    case 'error_in_200':
      return serverProblem(500);
    default:
      return statusProblem(fault.name, context);
  }
}

function statusProblem(name: StatusFaultName, context: FaultContext): Problem {
  const status = statusByFault[name];
  if (status >= 500) return serverProblem(status);
  if (status === 401) {
    // Real hosts repeat the key they refuse: a gateway must not hand it on.
    const key = context.credential ?? 'no key';
    return {
      status,
      message: `This is not a key of ours: ${key}.`,
      type: 'invalid_request_error',
      code: 'invalid_api_key',
    };
  }
  const type = status === 403 ? 'permission_error' : 'invalid_request_error';
  return { status, message: `The double refuses this with ${status}.`, type, code: null };
}

export function serverProblem(status: number): Problem {
  return {
    status,
    message: 'The double met an error of its own making.',
    type: 'server_error',
    code: status === 503 ? 'overloaded' : null,
  };
}
