/** The faults an answer can have, by name, with what can be set about each. */

export type Fault = RefusalFault | CutFault | BodyFault;

/** An error answer instead of the good one. */
export type RefusalFault =
  | { readonly name: 'rate_limited'; readonly retryAfter?: number | string }
  | { readonly name: StatusFaultName; readonly retryAfter?: number | string }
  | { readonly name: 'content_filter' | 'context_overflow' | 'wrong_model' | 'error_in_200' };

/** A good answer that goes wrong on its way; `afterEvents` counts stream events, the role chunk as the first. */
export type CutFault =
  | { readonly name: 'reset_before_headers' | 'header_stall' }
  | { readonly name: 'reset_mid_stream'; readonly afterEvents?: number; readonly afterMs?: number }
  | {
      readonly name: 'first_token_stall' | 'mid_stream_stall';
      readonly afterEvents?: number;
      readonly commentEveryMs?: number;
    }
  /** `damagesChecksum` leaves the JSON of a binary frame whole and breaks its checksum instead. */
  /** `events` in a row are broken, one unless said. */
  | {
      readonly name: 'malformed_chunk';
      readonly afterEvents?: number;
      readonly events?: number;
      readonly damagesChecksum?: boolean;
    }
  /** `isAbrupt` leaves out the end of the HTTP body too. */
  | { readonly name: 'truncated_stream'; readonly afterEvents?: number; readonly isAbrupt?: boolean }
  /** After 0 events it comes before any content; `insideChunk` makes it a field of an ordinary chunk. */
  | { readonly name: 'in_band_error'; readonly afterEvents?: number; readonly insideChunk?: boolean };

/** A body that is not what was asked for. */
export type BodyFault =
  | { readonly name: 'html_answer'; readonly status?: 200 | 502 }
  | { readonly name: 'empty_body' }
  | { readonly name: 'huge_body'; readonly bytes?: number };

export type FaultName = Fault['name'];

export type StatusFaultName = keyof typeof statusByFault;

export const statusByFault = {
  status_400: 400,
  status_401: 401,
  status_402: 402,
  status_403: 403,
  status_404: 404,
  status_408: 408,
  status_413: 413,
  status_422: 422,
  status_500: 500,
  status_502: 502,
  status_503: 503,
  status_504: 504,
  status_529: 529,
} as const;

/** What a fault may know of the request it befalls. */
export interface FaultContext {
  readonly model: string;
  readonly stream: boolean;
  /** The key as it came, in whatever header. */
  readonly credential: string | undefined;
}
