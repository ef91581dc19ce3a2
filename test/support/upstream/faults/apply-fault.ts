/** Turns a good reply into a faulty one. */
import type { Protocol } from '../protocols/protocol.ts';
import type { Reply } from '../reply.ts';
import { replaceBody } from './bodies.ts';
import { cut } from './cuts.ts';
import type { Fault, FaultContext } from './fault.ts';
import { refuse } from './refusals.ts';

export function applyFault(reply: Reply, fault: Fault, protocol: Protocol, context: FaultContext): Reply {
  switch (fault.name) {
    case 'reset_before_headers':
    case 'reset_mid_stream':
    case 'header_stall':
    case 'first_token_stall':
    case 'mid_stream_stall':
    case 'malformed_chunk':
    case 'truncated_stream':
    case 'in_band_error':
      return cut(reply, fault, protocol, context);
    case 'html_answer':
    case 'empty_body':
    case 'huge_body':
      return replaceBody(reply, fault);
    default:
      return refuse(fault, protocol, context);
  }
}
