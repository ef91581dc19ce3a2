/** One try at one provider, and what it means when it does not end in an answer. */
import { BodyTooLargeError } from '../base/bounded-body.ts';
import { AppError } from '../base/errors.ts';
import { FrameTooLargeError } from '../base/sse.ts';
import { ComplaintError, UnreadableAnswerError } from '../protocols/translator.ts';
import {
  invalidAnswerFailure,
  refusalFailure,
  type UpstreamFailure,
  unservableFailure,
} from '../routing/index.ts';
import type { Asked, Attempt, Endpoint, Served } from './endpoint.ts';
import { UpstreamFailedError } from './upstream-failed-error.ts';

export type AttemptResult = Served | { readonly kind: 'failure'; readonly failure: UpstreamFailure };

/** Never throws: what the network or the upstream does wrong is a failure. */
export async function attempt<Ask extends Asked>(
  endpoint: Endpoint<Ask>,
  options: Attempt<Ask>,
): Promise<AttemptResult> {
  try {
    return await endpoint.attempt(options);
  } catch (thrown) {
    options.call.cancel();
    return { kind: 'failure', failure: failureOf(thrown, options) };
  }
}

function failureOf(thrown: unknown, { call, candidate }: Attempt<Asked>): UpstreamFailure {
  if (thrown instanceof UpstreamFailedError) return thrown.failure;
  if (thrown instanceof AppError) return unservableFailure(thrown);
  if (thrown instanceof UnreadableAnswerError) return invalidAnswerFailure(thrown.message);
  if (thrown instanceof ComplaintError) {
    return refusalFailure({ status: 200, complaint: thrown.complaint, secret: candidate.secret });
  }
  if (thrown instanceof BodyTooLargeError) return invalidAnswerFailure(thrown.message);
  if (thrown instanceof FrameTooLargeError) return invalidAnswerFailure(thrown.message);
  return call.failureOf(thrown);
}
