/** Every fault under its name with its defaults, so that a name alone is enough and a suite can walk them all. */
import type { Fault, FaultName } from './fault.ts';

const plainFaults: Readonly<Record<FaultName, Fault>> = {
  reset_before_headers: { name: 'reset_before_headers' },
  reset_mid_stream: { name: 'reset_mid_stream' },
  header_stall: { name: 'header_stall' },
  first_token_stall: { name: 'first_token_stall' },
  mid_stream_stall: { name: 'mid_stream_stall' },
  malformed_chunk: { name: 'malformed_chunk' },
  truncated_stream: { name: 'truncated_stream' },
  error_in_200: { name: 'error_in_200' },
  in_band_error: { name: 'in_band_error' },
  rate_limited: { name: 'rate_limited' },
  content_filter: { name: 'content_filter' },
  context_overflow: { name: 'context_overflow' },
  wrong_model: { name: 'wrong_model' },
  html_answer: { name: 'html_answer' },
  empty_body: { name: 'empty_body' },
  huge_body: { name: 'huge_body' },
  status_400: { name: 'status_400' },
  status_401: { name: 'status_401' },
  status_402: { name: 'status_402' },
  status_403: { name: 'status_403' },
  status_404: { name: 'status_404' },
  status_408: { name: 'status_408' },
  status_413: { name: 'status_413' },
  status_422: { name: 'status_422' },
  status_500: { name: 'status_500' },
  status_502: { name: 'status_502' },
  status_503: { name: 'status_503' },
  status_504: { name: 'status_504' },
  status_529: { name: 'status_529' },
};

/** Without `connection_refused`, which no server can answer: see `refusedUrl`. */
export const faultNames: readonly FaultName[] = Object.values(plainFaults).map((fault) => fault.name);

export function faultOf(fault: FaultName | Fault): Fault {
  return typeof fault === 'string' ? plainFaults[fault] : fault;
}
