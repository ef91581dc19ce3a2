/** Faults of an answer whose body is something else altogether: a page, nothing, or far too much. */
import { type Reply, streamReply, wholeReply } from '../reply.ts';
import type { BodyFault, FaultContext } from './fault.ts';

const usualHugeBytes = 32 * 1024 * 1024;

export function replaceBody(fault: BodyFault, context: FaultContext): Reply {
  switch (fault.name) {
    case 'html_answer':
      return wholeReply(fault.status ?? 502, 'text/html; charset=utf-8', nothingSaid(page));
    case 'empty_body':
      return context.stream ? streamReply([]) : wholeReply(200, 'application/json', nothingSaid(''));
    case 'huge_body':
      return huge(fault.bytes ?? usualHugeBytes, context.stream);
  }
}

const page =
  '<!doctype html><html><head><title>Edge trouble</title></head><body><h1>Edge trouble</h1><p>The host behind this address did not answer.</p></body></html>';

/** Sound JSON around filler of the wanted size; in a stream, one event that long. */
function huge(bytes: number, stream: boolean): Reply {
  const field = stream ? 'delta' : 'message';
  const start = `{"id":"chatcmpl-double-huge","choices":[{"index":0,"${field}":{"role":"assistant","content":"`;
  const end = '"},"finish_reason":"stop"}]}';
  const text = `${start}${'x'.repeat(bytes)}${end}`;
  if (!stream) return wholeReply(200, 'application/json', nothingSaid(text));
  return streamReply([
    { lines: [`data: ${text}`], tokens: 0, usage: undefined },
    { lines: ['data: [DONE]'], tokens: 0, usage: undefined },
  ]);
}

function nothingSaid(text: string): { text: string; tokens: number; usage: undefined } {
  return { text, tokens: 0, usage: undefined };
}
