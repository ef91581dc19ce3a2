/** Turns a reply and a shape into the steps that put it on a connection, bytes ready made. */
import type { Shape } from '../answer.ts';
import type { Ending, Reply, StreamEvent, WholeBody } from '../reply.ts';
import { cutPieces, type Piece } from './cut-pieces.ts';
import { frameMessage } from './frame-message.ts';
import { writeHead } from './write-head.ts';

export type Step =
  | { readonly kind: 'wait'; readonly delayMs: number }
  | { readonly kind: 'hold'; readonly until: Promise<unknown> }
  | (Piece & { readonly kind: 'write' })
  | Ending;

const lastChunk = Buffer.from('0\r\n\r\n');

export function planSteps(reply: Reply, shape: Shape): readonly Step[] {
  const opening = waitFor(shape.headerDelayMs);
  const { body } = reply;
  const ending = endingSteps(reply.ending);
  if (!reply.speaks) return [...opening, ...ending];
  return body.kind === 'whole'
    ? [...opening, ...holdFor(shape), ...wholeSteps(reply, body, shape), ...ending]
    : [...opening, ...streamSteps(reply, body.events, shape), ...ending];
}

function wholeSteps(reply: Reply, body: WholeBody, shape: Shape): Step[] {
  const bytes = Buffer.from(body.text);
  const head = writeHead(reply, bytes.length);
  const sent = bytes.subarray(0, body.cutAtByte ?? bytes.length);
  const isWhole = sent.length === bytes.length;
  const said = {
    events: isWhole ? 1 : 0,
    tokens: isWhole ? body.tokens : 0,
    usage: isWhole ? body.usage : undefined,
  };
  const pieces = cutPieces([{ bytes: sent, ...said }], shape.writes ?? 'event');
  const [first, ...rest] = pieces;
  // In one write with its head when nothing asks for more: a whole answer is what the bench counts in thousands.
  if (first !== undefined && rest.length === 0 && waitFor(shape.firstDelayMs).length === 0) {
    return [{ kind: 'write', ...first, bytes: Buffer.concat([head, first.bytes]) }];
  }
  return [headStep(head), ...paced(pieces, shape)];
}

function streamSteps(reply: Reply, events: readonly StreamEvent[], shape: Shape): Step[] {
  const pieces = cutPieces(eventPieces(events, shape), shape.writes ?? 'event').map((piece) => ({
    ...piece,
    bytes: asChunk(piece.bytes),
  }));
  const last = pieces.at(-1);
  // The end of the body rides on the last write, so a client that has read everything finds the answer ended.
  if (reply.ending.kind === 'complete') {
    const end = last ?? { bytes: new Uint8Array(), events: 0, tokens: 0, usage: undefined };
    pieces.splice(-1, 1, { ...end, bytes: Buffer.concat([end.bytes, lastChunk]) });
  }
  const held = Math.max(0, pieces.length - (shape.hold?.lastWrites ?? 0));
  return [
    headStep(writeHead(reply, undefined)),
    ...paced(pieces.slice(0, held), shape),
    ...holdFor(shape),
    ...paced(pieces.slice(held), shape),
  ];
}

const holdFor = ({ hold }: Shape): Step[] =>
  hold === undefined ? [] : [{ kind: 'hold', until: hold.until }];

function eventPieces(events: readonly StreamEvent[], shape: Shape): Piece[] {
  const lineEnd = shape.lineEnds === 'crlf' ? '\r\n' : '\n';
  const bytesOf = (lines: readonly string[]): Uint8Array =>
    Buffer.from(lines.map((line) => line + lineEnd).join('') + lineEnd);
  return events.flatMap((event) => {
    const said = { events: 1, tokens: event.tokens, usage: event.usage };
    if ('message' in event) return [{ bytes: frameMessage(event.message), ...said }];
    if ('bytes' in event) return [{ bytes: event.bytes, ...said }];
    const piece = { bytes: bytesOf(named(event.lines, shape.eventName)), ...said };
    if (shape.comment === undefined) return [piece];
    return [{ bytes: bytesOf([`: ${shape.comment}`]), events: 0, tokens: 0, usage: undefined }, piece];
  });
}

function named(lines: readonly string[], eventName: string | undefined): readonly string[] {
  const isData = lines.some((line) => line.startsWith('data:'));
  const isNamed = lines.some((line) => line.startsWith('event:'));
  return eventName !== undefined && isData && !isNamed ? [`event: ${eventName}`, ...lines] : lines;
}

function paced(pieces: readonly Piece[], shape: Shape): Step[] {
  return pieces.flatMap((piece, index) => [
    ...waitFor(index === 0 ? shape.firstDelayMs : shape.chunkDelayMs),
    { kind: 'write' as const, ...piece },
  ]);
}

/** So that what was said before a connection closes is read by itself. */
const beforeCloseMs = 20;

/** Two waits, as a busy event loop is sure to let the client read between two timers but not before one. */
function endingSteps(ending: Ending): Step[] {
  if (ending.kind !== 'reset' && ending.kind !== 'close') return [ending];
  const pause = waitFor((ending.kind === 'reset' ? ending.afterMs : beforeCloseMs) / 2);
  return [...pause, ...pause, ending];
}

function waitFor(delayMs: number | undefined): Step[] {
  return delayMs === undefined || delayMs <= 0 ? [] : [{ kind: 'wait', delayMs }];
}

function headStep(bytes: Uint8Array): Step {
  return { kind: 'write', bytes, events: 0, tokens: 0, usage: undefined };
}

export function asChunk(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}
