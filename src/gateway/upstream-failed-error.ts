/** How one try at an upstream ends without an answer. */
import type { UpstreamFailure } from '../routing/index.ts';

/** An upstream that did not answer, or refused to. */
export class UpstreamFailedError extends Error {
  readonly failure: UpstreamFailure;

  constructor(failure: UpstreamFailure) {
    super(failure.error.message);
    this.name = 'UpstreamFailedError';
    this.failure = failure;
  }
}
