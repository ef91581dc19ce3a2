/** The sixteen faults that gateways are held against, as the upstream double plays them; a 429 is played in two ways. */
import type { Fault } from '../support/upstream/faults/fault.ts';

export interface NamedFault {
  readonly name: string;
  /** Null for a host that refuses connections, which no server can play. */
  readonly fault: Fault | null;
  /** What the request itself is refused for: the right answer is that refusal, and no other provider is asked. */
  readonly isOfRequest?: true;
  /** The upstream spoils a piece of its answer and goes on, so that nobody can have all of it. */
  readonly losesPiece?: true;
}

export const sixteenFaults: readonly NamedFault[] = [
  { name: 'connection refused', fault: null },
  { name: 'reset before headers', fault: { name: 'reset_before_headers' } },
  { name: 'reset mid-stream', fault: { name: 'reset_mid_stream' } },
  { name: 'header stall', fault: { name: 'header_stall' } },
  { name: 'first-token stall', fault: { name: 'first_token_stall' } },
  { name: 'mid-stream stall', fault: { name: 'mid_stream_stall' } },
  { name: 'malformed chunk', fault: { name: 'malformed_chunk' }, losesPiece: true },
  { name: 'truncated stream', fault: { name: 'truncated_stream' } },
  { name: '200 with an error body', fault: { name: 'error_in_200' } },
  { name: 'in-band error', fault: { name: 'in_band_error' } },
  { name: '429 without Retry-After', fault: { name: 'rate_limited' } },
  { name: '429 with Retry-After', fault: { name: 'rate_limited', retryAfter: 1 } },
  { name: '500', fault: { name: 'status_500' } },
  { name: '503', fault: { name: 'status_503' } },
  { name: 'content filter', fault: { name: 'content_filter' }, isOfRequest: true },
  { name: 'context overflow', fault: { name: 'context_overflow' }, isOfRequest: true },
  { name: 'wrong model', fault: { name: 'wrong_model' } },
];
