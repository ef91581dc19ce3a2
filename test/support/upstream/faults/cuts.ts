/** Faults of an answer that begins well, or never begins: resets, stalls, cuts, broken and in-band errors. */
import type { Protocol } from '../protocols/protocol.ts';
import type { Ending, Reply, StreamEvent, WholeBody } from '../reply.ts';
import type { CutFault, Fault, FaultContext } from './fault.ts';
import { refuse, serverProblem } from './refusals.ts';

const usualEvents = 3;
const usualResetAfterMs = 20;

export function cut(reply: Reply, fault: CutFault, protocol: Protocol, context: FaultContext): Reply {
  switch (fault.name) {
    case 'reset_before_headers':
      return { ...reply, speaks: false, ending: { kind: 'reset', afterMs: 0 } };
    case 'header_stall':
      return { ...reply, speaks: false, ending: { kind: 'stall', commentEveryMs: undefined } };
    case 'reset_mid_stream': {
      const ending: Ending = { kind: 'reset', afterMs: fault.afterMs ?? usualResetAfterMs };
      return stopAfter(reply, fault.afterEvents ?? usualEvents, ending);
    }
    case 'first_token_stall':
    case 'mid_stream_stall': {
      const usual = fault.name === 'first_token_stall' ? 0 : usualEvents;
      const ending: Ending = { kind: 'stall', commentEveryMs: fault.commentEveryMs };
      return stopAfter(reply, fault.afterEvents ?? usual, ending);
    }
    case 'truncated_stream': {
      const ending: Ending = { kind: fault.isAbrupt ? 'close' : 'complete' };
      return stopAfter(reply, fault.afterEvents ?? usualEvents, ending);
    }
    case 'malformed_chunk':
      return breakOff(reply, fault);
    case 'in_band_error': {
      if (reply.body.kind === 'whole' || protocol.writeProblemEvent === undefined) {
        return refuse({ name: 'error_in_200' }, protocol, context);
      }
      const error = protocol.writeProblemEvent(serverProblem(500), fault.insideChunk === true);
      const events = [...reply.body.events.slice(0, fault.afterEvents ?? usualEvents), error];
      return { ...reply, body: { kind: 'stream', events } };
    }
  }
}

/** Keeps the first events, or half of a whole body; the last event, which ends a good stream, is never kept. */
function stopAfter(reply: Reply, events: number, ending: Ending): Reply {
  const { body } = reply;
  if (body.kind === 'stream') {
    const kept = body.events.slice(0, Math.min(events, body.events.length - 1));
    return { ...reply, body: { kind: 'stream', events: kept }, ending };
  }
  const cutAtByte = events === 0 ? 0 : Math.floor(Buffer.byteLength(body.text) / 2);
  // A whole body that stops short of its stated length cannot end well.
  const harsher: Ending = ending.kind === 'complete' ? { kind: 'close' } : ending;
  return { ...reply, body: { ...body, cutAtByte }, ending: harsher };
}

/** Halves the JSON of some events, or of the whole answer, and otherwise goes on as if nothing were wrong. */
function breakOff(reply: Reply, fault: Extract<Fault, { name: 'malformed_chunk' }>): Reply {
  const { body } = reply;
  if (body.kind === 'whole') return { ...reply, body: breakWhole(body) };
  const first = Math.min(fault.afterEvents ?? usualEvents, body.events.length - 1);
  const last = first + (fault.events ?? 1) - 1;
  const events = body.events.map((event, index) =>
    index >= first && index <= last ? breakEvent(event, fault.damagesChecksum === true) : event,
  );
  return { ...reply, body: { kind: 'stream', events } };
}

function breakWhole(body: WholeBody): WholeBody {
  const text = body.text.slice(0, Math.floor(body.text.length / 2));
  return { kind: 'whole', text, tokens: 0, usage: undefined };
}

function breakEvent(event: StreamEvent, damagesChecksum: boolean): StreamEvent {
  const nothing = { tokens: 0, usage: undefined };
  if ('bytes' in event) return { bytes: half(event.bytes), ...nothing };
  if ('message' in event) {
    const { message } = event;
    const broken = damagesChecksum ? { isDamaged: true } : { payload: half(message.payload) };
    return { message: { ...message, ...broken }, ...nothing };
  }
  const lines = event.lines.map((line) =>
    line.startsWith('data: ') ? line.slice(0, Math.max('data: {'.length, Math.floor(line.length / 2))) : line,
  );
  return { lines, ...nothing };
}

function half(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, Math.ceil(bytes.length / 2));
}
