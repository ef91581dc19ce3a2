/** Faults of an answer whose body is something else altogether: a page, nothing, or far too much. */
import { type Reply, type StreamEvent, wholeReply } from '../reply.ts';
import type { BodyFault } from './fault.ts';

const usualHugeBytes = 32 * 1024 * 1024;

export function replaceBody(reply: Reply, fault: BodyFault): Reply {
  switch (fault.name) {
    case 'html_answer':
      return wholeReply(fault.status ?? 502, 'text/html; charset=utf-8', nothingSaid(page));
    case 'empty_body':
      return reply.body.kind === 'stream'
        ? { ...reply, body: { kind: 'stream', events: [] } }
        : wholeReply(200, 'application/json', nothingSaid(''));
    case 'huge_body':
      return huge(reply, fault.bytes ?? usualHugeBytes);
  }
}

const page =
  '<!doctype html><html><head><title>Edge trouble</title></head><body><h1>Edge trouble</h1><p>The host behind this address did not answer.</p></body></html>';

/** The good answer with filler of the wanted size in it; in a stream, in its first event. */
function huge(reply: Reply, bytes: number): Reply {
  const { body } = reply;
  if (body.kind === 'whole')
    return { ...reply, body: { ...body, text: fill(body.text, bytes) ?? body.text + 'x'.repeat(bytes) } };
  const [first, ...rest] = body.events;
  const events = first === undefined ? [] : [fillEvent(first, bytes), ...rest];
  return { ...reply, body: { kind: 'stream', events } };
}

function fillEvent(event: StreamEvent, bytes: number): StreamEvent {
  if ('lines' in event) return { ...event, lines: event.lines.map((line) => fill(line, bytes) ?? line) };
  if ('bytes' in event) return { ...event, bytes: Buffer.concat([event.bytes, Buffer.alloc(bytes)]) };
  const { message } = event;
  const payload = Buffer.from(fill(Buffer.from(message.payload).toString(), bytes) ?? message.payload);
  return { ...event, message: { ...message, payload } };
}

/** A member more in the object that the text ends with, so that it stays sound JSON; undefined without one. */
function fill(text: string, bytes: number): string | undefined {
  return text.endsWith('}') ? `${text.slice(0, -1)},"filler":"${'x'.repeat(bytes)}"}` : undefined;
}

function nothingSaid(text: string): { text: string; tokens: number; usage: undefined } {
  return { text, tokens: 0, usage: undefined };
}
